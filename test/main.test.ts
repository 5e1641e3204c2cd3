import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { urlsOf } from '../src/bin/urls.ts';
import { send } from './support/console/requests.ts';
import { invokeAll } from './support/process/invocations.ts';
import { bodyOf, postJson, runToEnd, type Service, startService } from './support/process/service.ts';

const running: Service[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function start(settings: Record<string, string> = {}, cwd?: string): Promise<Service> {
  const service = await startService(settings, cwd);
  running.push(service);
  return service;
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const message = { customer_id: 'c-1', message: 'I want a refund for my broken blender.' };

describe('the service', () => {
  /** A service of tests that only ask. */
  let service: Service;

  beforeAll(async () => {
    service = await startService({
      LOG_LEVEL: 'debug',
      OUTBOUND_ALOW: 'canary.example',
      REDIS_PORT_6379_TCP: 'tcp://canary',
    });
  });

  afterAll(() => service?.stop());

  test('processes a message and stores its trace', async () => {
    const { baseUrl } = service;
    const reply = await postJson(`${baseUrl}/messages`, message);
    expect(reply.status).toBe(200);
    const body = await bodyOf<{ trace_id: string; response: string }>(reply);
    expect(body).toMatchObject({ status: 'COMPLETED', intent: 'refund', escalated: false });
    const trace = await bodyOf<{ state_transitions: { to: string }[] }>(
      await fetch(`${baseUrl}/trace/${body.trace_id}`),
    );
    expect(trace).toMatchObject({
      ...message,
      source: 'other',
      status: 'COMPLETED',
      response: body.response,
    });
    expect(trace.state_transitions.map(({ to }) => to)).toEqual([
      'RECEIVED',
      'CLASSIFIED',
      'PLANNING',
      'TOOL_EXECUTION',
      'VERIFYING',
      'COMPLETED',
    ]);
  });

  test('tells its version everywhere as package.json has it', async () => {
    const { version } = manifest;
    const { baseUrl } = service;
    const read = async (path: string) => bodyOf<Record<string, unknown>>(await fetch(`${baseUrl}${path}`));
    for (const path of ['/', '/health', '/system']) expect(await read(path)).toMatchObject({ version });
    const description = await read('/openapi.json');
    expect(description).toMatchObject({ info: { version } });
    const examples = JSON.stringify(description).matchAll(/"version":"([^"]*\.[^"]*)"/g);
    expect([...new Set(Array.from(examples, ([, told]) => told))]).toEqual([version]);
  });

  test('warns of variables that look like settings and are none, and shows no value', () => {
    const warnings = service.log().filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([{ variable: 'OUTBOUND_ALOW', nearest: 'OUTBOUND_ALLOW' }]);
    expect(service.output()).not.toContain('canary');
  });

  test('logs the request id in every line of a request, and the trace id in every line of its message', async () => {
    const reply = await postJson(`${service.baseUrl}/messages`, message, { 'X-Request-Id': 'request-7' });
    const { trace_id } = await bodyOf<{ trace_id: string }>(reply);
    const lines = () => service.log().filter(({ request_id }) => request_id === 'request-7');
    await expect.poll(() => lines().some(({ msg }) => msg === 'request')).toBe(true);
    expect(lines().length).toBeGreaterThan(5);
    expect(lines().every((line) => line['trace_id'] === trace_id)).toBe(true);
    expect(service.output()).not.toContain('blender');
  });

  test('reads a .env file, and prefers the environment', async () => {
    const folder = await folderWith({
      '.env':
        'MAX_BATCH_SIZE=2\nAUTH_ENABLED=true\nAPI_KEY=from-the-file\nKVSTORE_URL=redis://:from-the-file@127.0.0.1:1\n',
    });
    const { baseUrl } = await start({ AUTH_ENABLED: 'false', CONSOLE_NOTICE: ' Only a test' }, folder);
    const reply = await postJson(`${baseUrl}/messages/batch`, { messages: [message, message, message] });
    expect(reply.status).toBe(422);
    expect(await bodyOf(reply)).toMatchObject({ detail: 'messages: must contain at most 2 messages' });
    const system = await (await fetch(`${baseUrl}/system`)).text();
    expect(system).not.toMatch(/from-the-file|127\.0\.0\.1|redis:/);
    expect(JSON.parse(system)).toMatchObject({
      notice: 'Only a test',
      storage: { backend: 'memory', run_recovery: 'interrupt' },
      model: { configured: false },
      authentication: { enabled: false, keys: 0 },
      limits: { max_batch_size: 2, rate_limit: { requests: 600, window_seconds: 60 } },
      settings: ['API_KEY', 'AUTH_ENABLED', 'CONSOLE_NOTICE', 'KVSTORE_URL', 'MAX_BATCH_SIZE', 'PORT'],
    });
  });
});

test('the service has only the built-in agents that a setting names', async () => {
  const { baseUrl } = await start({ BUILT_IN_AGENTS: 'summary' });
  expect(await bodyOf(await fetch(`${baseUrl}/agents`))).toMatchObject({
    count: 1,
    agents: [{ name: 'summary' }],
  });
  const routed = await postJson(`${baseUrl}/agents/route`, { goal: 'Echo this.' });
  expect(await bodyOf(routed)).toMatchObject({ status: 'failed', unassigned: ['Echo this.'] });
});

test('an extension gets the modules of the service', async () => {
  const folder = await folderWith({
    'same.mjs': `
      import { OrchestrationError } from 'orchestration-service';
      export default ({ tools }) => {
        try {
          tools.register({ name: 'not a name' });
        } catch (error) {
          console.log(JSON.stringify({ msg: 'refused', isSame: error instanceof OrchestrationError }));
        }
      };
    `,
  });
  const hook = fileURLToPath(new URL('support/process/own-name.ts', import.meta.url));
  const service = await start({ EXTENSIONS: './same.mjs', NODE_OPTIONS: `--import=${hook}` }, folder);
  expect(service.log()).toContainEqual({ msg: 'refused', isSame: true });
});

describe('a failed start', () => {
  test('names built-in agents that do not exist', async () => {
    const { code, stderr } = await runToEnd({ BUILT_IN_AGENTS: 'echo,nobody' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^BUILT_IN_AGENTS: .*there is no "nobody"\n$/);
  });

  test('refuses durable runs that it cannot keep', async () => {
    const ended = await runToEnd({ RUN_RECOVERY: 'resume', RUN_UNKNOWN_OUTCOME: 'ask', INBOX: 'off' });
    expect(ended.code).toBe(1);
    expect(ended.stderr.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(/^RUN_RECOVERY: resume needs TRACE_BACKEND sqlite, kvstore or postgres, /),
      'RUN_UNKNOWN_OUTCOME: ask needs INBOX on',
    ]);
  });

  test('prints one line for each invalid setting and no secret', async () => {
    const ended = await runToEnd({
      PORT: 'abc',
      LOG_LEVEL: 'loud',
      AUTH_ENABLED: 'true',
      TRACE_BACKEND: 'kvstore',
      KVSTORE_URL: 'postgres://user:canary-password@host/0',
      LLM_API_KEY: 'canary-key',
      LLM_BASE_URL: 'not a url canary',
    });
    expect(ended.code).toBe(1);
    const names = ended.stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf(':')));
    expect(names.sort()).toEqual(['AUTH_ENABLED', 'KVSTORE_URL', 'LLM_BASE_URL', 'LOG_LEVEL', 'PORT']);
    expect(ended.stdout + ended.stderr).not.toContain('canary');
  });

  test('names an extension that cannot be loaded, and the reason', async () => {
    const folder = await folderWith({
      'throws.mjs': 'export default () => { throw new Error("no credentials"); };',
    });
    const reasons = new Map([
      ['./throws.mjs', 'extension "./throws.mjs": no credentials'],
      ['./missing.mjs', 'extension "./missing.mjs": Cannot find module'],
    ]);
    for (const [extension, reason] of reasons) {
      const ended = await runToEnd({ EXTENSIONS: extension, PORT: '0' }, folder);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain(reason);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  test('exits when the port is in use, without Redis and while Redis is unreachable', async () => {
    const { port } = await start();
    const unreachable = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: 'redis://127.0.0.1:9' };
    for (const settings of [{}, unreachable]) {
      const ended = await runToEnd({ PORT: String(port), ...settings });
      expect(ended).toMatchObject({ code: 1, stderr: 'HOST, PORT: the address is in use (EADDRINUSE)\n' });
    }
  });
});

describe('the log line of a listening service', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1'],
    ['0.0.0.0', 'http://127.0.0.1'],
    ['::1', 'http://[::1]'],
    ['::', 'http://[::1]'],
  ])('has URLs for the address %s', (address, origin) => {
    const url = `${origin}:80`;
    const always = { url, docs: `${url}/docs`, health: `${url}/health` };
    expect(urlsOf(address, 80, false)).toEqual(always);
    expect(urlsOf(address, 80, true)).toEqual({ ...always, console: `${url}/console/` });
  });

  test('has URLs that can be opened when HOST is ::', async () => {
    const { port, log } = await start({ HOST: '::' });
    const url = `http://[::1]:${port}`;
    const line = log().find(({ msg }) => msg === 'listening');
    expect(line).toMatchObject({ address: '::', port, url, docs: `${url}/docs`, health: `${url}/health` });
    for (const page of [line?.['docs'], line?.['health']])
      expect((await fetch(String(page))).status).toBe(200);
  });
});

describe('a service that needs no key', () => {
  const warnings = async (settings: Record<string, string>) => {
    const { log } = await start(settings);
    return log().filter(({ level }) => level === 'warn');
  };

  test('warns once that others can reach it, and says who', async () => {
    const [everywhere, ...further] = await warnings({ HOST: '0.0.0.0' });
    expect(further).toEqual([]);
    expect(everywhere).toMatchObject({
      msg: 'no key is needed: every machine that can connect to this one can read and change everything; see AUTH_ENABLED',
      address: '0.0.0.0',
    });
  });

  test('does not warn where only this machine can reach it, or where it needs a key', async () => {
    for (const HOST of ['127.0.0.1', 'localhost', '::1']) expect(await warnings({ HOST })).toEqual([]);
    expect(await warnings({ HOST: '0.0.0.0', AUTH_ENABLED: 'true', API_KEY: 'key' })).toEqual([]);
  });

  test('is reached under the names that it allows', async () => {
    const { port } = await start({ ALLOWED_HOSTS: 'app.example', ALLOWED_ORIGINS: 'https://page.example' });
    const status = async (Host: string, Origin?: string) =>
      (await send(port, '/tools', { headers: { Host, ...(Origin !== undefined && { Origin }) } })).status;
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status('app.example')).toBe(200);
    expect(await status('app.example', 'https://page.example')).toBe(200);
    expect(await status('app.example', 'https://evil.example')).toBe(403);
    expect(await status('evil.example')).toBe(403);
  });
});

describe('the command line', () => {
  const usages = [
    ['serve', /^usage: orchestration-service serve\n/],
    ['console', /^usage: orchestration-service console /],
    ['train', /^usage: /],
    ['evaluate', /^usage: orchestration-service evaluate /],
    ['playbook', /^usage: orchestration-service playbook /],
  ] as const;

  test('prints the usage', async () => {
    const ended = await runToEnd({}, tmpdir(), ['--help']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^usage: orchestration-service /);
  });

  test('names an argument that it does not know, and starts nothing', async () => {
    const ended = await runToEnd({}, tmpdir(), ['--porr']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^unknown argument: "--porr"\nusage: orchestration-service /);
  });

  test('prints the version and the usage of its commands, and names a command that it does not know', async () => {
    const invocations = {
      version: { args: ['--version'] },
      serv: { args: ['serv'] },
      serve: { args: ['serve', '--help'] },
      console: { args: ['console', '--help'] },
      train: { args: ['train', '--help'] },
      evaluate: { args: ['evaluate', '--help'] },
      playbook: { args: ['playbook', '--help'] },
    };
    const outcomes = await invokeAll([], tmpdir(), invocations);
    for (const [name, expected] of usages) {
      expect(outcomes[name]).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(expected) });
    }
    expect(outcomes.version).toEqual({
      code: 0,
      stderr: '',
      stdout: `${manifest.version}\n`,
    });
    expect(outcomes.serv).toMatchObject({ code: 1, stdout: '' });
    expect(outcomes.serv.stderr).toMatch(/^unknown command: "serv"\nusage: orchestration-service /);
  });

  test('prints every fault of a playbook and starts nothing', async () => {
    const ended = await runToEnd({ PLAYBOOK: 'none.yaml' }, tmpdir());
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^none\.yaml: .*ENOENT/);
  });
});
