import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../build/service.ts';
import { keyFile } from './support/console/key-file.ts';
import { KEY, openConsole } from './support/console/proxy.ts';
import { errorOf, send } from './support/console/requests.ts';
import { startServer } from './support/outbound/server.ts';
import { type Program, startProgram } from './support/process/program.ts';
import { type Service, startService } from './support/process/service.ts';

/** Runs the command with these arguments, in an own process. */
function run(...args: readonly string[]): Program {
  const env = { PATH: process.env['PATH'] ?? '' };
  const started = startProgram(process.execPath, [program, 'console', ...args], { cwd: tmpdir(), env });
  onTestFinished(async () => void (await started.stop('SIGKILL')));
  return started;
}

/** The port and the path that a running command has printed. */
async function printedAddress(program: Program): Promise<{ port: number; path: string }> {
  const [, port, path = ''] = await program.waitForOutput(
    /^ {2}http:\/\/127\.0\.0\.1:(\d+)(\/console\/\?token=\S+)$/m,
  );
  return { port: Number(port), path };
}

const listening = (service: Service) => service.log().find(({ msg }) => msg === 'listening');

describe('orchestration-service console', () => {
  test('shows a service that needs a key, through its restart, and never tells the key', async () => {
    const settings = { AUTH_ENABLED: 'true', API_KEY: KEY };
    let service = await startService(settings);
    onTestFinished(() => service.stop());
    expect((await fetch(`${service.baseUrl}/tools`)).status).toBe(401);
    const settingsOfPage = await fetch(`${service.baseUrl}/console/settings.json`, {
      headers: { 'X-Api-Key': KEY },
    });
    expect(await settingsOfPage.json()).toEqual({ read_only: false, upstream: null });
    expect(listening(service)).toHaveProperty('console', `${service.baseUrl}/console/`);
    const program = run(
      '--url',
      service.baseUrl,
      '--key-file',
      await keyFile(` ${KEY} \nmore\n`),
      '--port',
      '0',
    );
    const { port, path } = await printedAddress(program);
    const seen: string[] = [];
    const cookie = await openConsole(port, path);
    const browse = async (target: string, method = 'GET', body?: string) => {
      const origin = `http://127.0.0.1:${port}`;
      const headers = { Cookie: cookie, Origin: origin, 'Content-Type': 'application/json' };
      const reply = await send(port, target, { method, headers, ...(body !== undefined && { body }) });
      seen.push(JSON.stringify(reply));
      return reply;
    };
    expect((await browse('/tools')).status).toBe(200);
    expect((await browse('/messages', 'POST', '{"customer_id":"c-1","message":"Hello"}')).status).toBe(200);
    expect(JSON.parse((await browse('/console/settings.json')).body)).toEqual({
      read_only: false,
      upstream: service.baseUrl,
    });
    expect((await browse('/nowhere')).status).toBe(404);
    await service.stop();
    expect(errorOf(await browse('/tools'))).toMatchObject({ status: 502 });
    service = await startService({ ...settings, CONSOLE: 'off', PORT: String(service.port) });
    expect(listening(service)).not.toHaveProperty('console');
    expect((await browse('/console/settings.json')).status).toBe(200);
    const headers = { 'X-Api-Key': KEY };
    const ofService = await fetch(`${service.baseUrl}/console/settings.json`, { headers });
    expect(ofService.status).toBe(404);
    expect((await browse('/tools')).status).toBe(200);
    const ended = await program.stop('SIGTERM');
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(`${seen.join()}${ended.stdout}`).not.toContain(KEY);
  });

  test('passes on nothing that changes something with --read-only, works without a key, and ends at once', async () => {
    const open: (() => void)[] = [];
    const upstream = await startServer((_request, response) => {
      response.writeHead(200).write('x');
      open.push(() => response.end());
    });
    const program = run('--url', `http://127.0.0.1:${upstream.port}`, '--port=0', '--read-only');
    const { port, path } = await printedAddress(program);
    const headers = { Cookie: await openConsole(port, path), Origin: `http://127.0.0.1:${port}` };
    const refused = await send(port, '/messages', { method: 'POST', headers });
    expect(errorOf(refused)).toMatchObject({ status: 403, detail: expect.stringContaining('--read-only') });
    const streaming = send(port, '/events', { headers }).catch(() => 'broken');
    await expect.poll(() => open.length).toBe(1);
    const ended = await program.stop('SIGINT');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(', read-only,');
    expect(await streaming).toBe('broken');
    expect(upstream.received.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
      ['/events', undefined],
    ]);
  });

  test('warns of a key that others can read', async () => {
    const program = run(
      '--url',
      'http://service.example',
      '--key-file',
      await keyFile(KEY, 0o644),
      '--port',
      '0',
    );
    await printedAddress(program);
    const { stderr, stdout } = await program.stop('SIGTERM');
    expect(stderr).toMatch(/^warning: other users of this machine may read \S+: chmod 600/);
    expect(stderr).toContain('warning: http://service.example has no TLS: everybody on the way');
    expect(stderr + stdout).not.toContain(KEY);
  });

  test('prints its usage', async () => {
    const { code, stdout } = await run('--help').ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^usage: orchestration-service console --url URL/);
    for (const option of ['--url', '--key-file', '--port', '--read-only'])
      expect(stdout).toMatch(new RegExp(`^  ${option}`, 'm'));
  });

  test('ends with what is wrong with its arguments or the key file, and tells no value', async () => {
    const path = await keyFile(`${KEY} and more\n`);
    const wrong = await Promise.all([
      run('--url', `https://x:${KEY}@service.example`).ended,
      run('--url', 'https://service.example', '--key', KEY).ended,
      run('--url', 'https://service.example', '--key-file', path).ended,
    ]);
    expect(wrong).toMatchObject([{ code: 2 }, { code: 2 }, { code: 1 }]);
    expect(wrong.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
      '--url: must contain no user or password',
      expect.stringMatching(/^the key cannot be an argument/),
      expect.stringMatching(/^--key-file: its first line must be the API key/),
    ]);
    expect(wrong.map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(KEY);
  });

  test('names a port that is in use', async () => {
    const { port } = await startServer((_request, response) => response.end());
    const ended = await run('--url', 'https://service.example', '--port', String(port)).ended;
    expect(ended).toMatchObject({
      code: 1,
      stderr: `--port ${port}: the port is in use; choose another one (EADDRINUSE)\n`,
    });
  });
});
