import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

const running: Service[] = [];
let folder = '';

const waitingAgent = `
export default ({ agents }) => agents.register({
  name: 'wait',
  description: 'Answers after some milliseconds, or never',
  handle: ({ payload }) => payload.ms === undefined
    ? new Promise(() => {})
    : new Promise((resolve) => setTimeout(() => resolve({ waited: payload.ms }), payload.ms)),
});
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shutdown-'));
  await writeFile(join(folder, 'wait.mjs'), waitingAgent);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

async function start(settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService({ EXTENSIONS: join(folder, 'wait.mjs'), ...settings });
  running.push(service);
  return service;
}

/** Routes one subtask to the waiting agent. */
function wait(service: Service, payload: { ms?: number }): Promise<Response> {
  return postJson(`${service.baseUrl}/agents/route`, {
    goal: 'wait',
    subtasks: [{ agent_name: 'wait', payload }],
  });
}

async function runInBackground(service: Service, payload: object): Promise<string> {
  const steps = [
    { id: 'slow', kind: 'agent', agent_name: 'wait', static_input: payload },
    { id: 'after', kind: 'agent', agent_name: 'echo', depends_on: ['slow'] },
  ];
  const workflow = await bodyOf<{ id: string }>(
    await postJson(`${service.baseUrl}/workflows`, { name: 'slow', steps }),
  );
  const reply = await postJson(`${service.baseUrl}/workflows/${workflow.id}/run`, { background: true });
  expect(reply.status).toBe(202);
  return (await bodyOf<{ execution_id: string }>(reply)).execution_id;
}

function rejectsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

describe('SIGTERM', () => {
  test('lets 200 requests in flight finish, rejects new connections, and exits with code 0', async () => {
    const service = await start();
    const replies = Array.from({ length: 200 }, () => wait(service, { ms: 3_000 }));
    const health = async (): Promise<number> => (await fetch(`${service.baseUrl}/health`)).status;
    await expect.poll(health, { timeout: 20_000 }).toBe(200);
    // A busy machine takes longer to accept all of them.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    service.process.kill('SIGTERM');
    await expect.poll(() => rejectsConnections(service.port)).toBe(true);
    const answered = await Promise.all(replies);
    const bodies = await Promise.all(answered.map((reply) => bodyOf<{ status: string }>(reply)));
    expect(bodies.every(({ status }) => status === 'completed')).toBe(true);
    expect(answered.some((reply) => reply.headers.get('connection') === 'close')).toBe(true);
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });

  test('interrupts requests that outlast the grace period, and still responds to them', async () => {
    const service = await start({ SHUTDOWN_GRACE_SECONDS: '1' });
    const pending = wait(service, {});
    await runInBackground(service, {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    service.process.kill('SIGTERM');
    const result = await bodyOf<{ status: string; results: { error: string }[] }>(await pending);
    expect(result.status).toBe('failed');
    expect(result.results[0]?.error).toContain('interrupted');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    const finished = service.log().find(({ msg }) => msg === 'workflow run finished');
    expect(finished).toMatchObject({ status: 'FAILED', error: 'interrupted' });
  });

  test('waits for background runs within the grace period', async () => {
    const service = await start();
    await runInBackground(service, { ms: 400 });
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    const finished = service.log().find(({ msg }) => msg === 'workflow run finished');
    expect(finished).toMatchObject({ status: 'COMPLETED' });
  });

  test('makes the service not ready at once, also on a connection that is already open', async () => {
    const service = await start();
    const socket = connect(service.port, '127.0.0.1');
    const received: string[] = [];
    socket.setEncoding('utf8').on('data', (text: string) => received.push(text));
    socket.on('error', () => {});
    socket.write('GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => received.join('')).toContain('support_pipeline');
    const slow = wait(service, { ms: 800 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Half a request is under way, so that the connection is not idle when the signal comes.
    socket.write('GET /health?probe=ready HTTP/1.1\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    service.process.kill('SIGTERM');
    await expect.poll(() => rejectsConnections(service.port)).toBe(true);
    socket.write('Host: localhost\r\n\r\n');
    await expect.poll(() => received.join('')).toContain('HTTP/1.1 503');
    expect(received.join('').toLowerCase()).toContain('connection: close');
    await slow;
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });

  test('sent twice exits at once', async () => {
    const service = await start();
    wait(service, {}).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    service.process.kill('SIGTERM');
    await expect.poll(() => service.output()).toContain('shutting down');
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 143, signal: null });
  });

  test.each([
    ['start', 'the compiled service'],
    ['dev', 'the sources'],
  ])('reaches what npm run %s runs, %s, and leaves no process behind', async (script) => {
    const npm = spawn('npm', ['run', script], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: {
        ...process.env,
        PORT: '0',
        EXTENSIONS: './examples/extension/currency.ts',
        CURRENCY_URL: 'http://127.0.0.1:9',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      // In a process group of its own, of which nothing is left after a failure.
      detached: true,
    });
    onTestFinished(() => {
      if (npm.exitCode === null && npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
    });
    const exited = new Promise((resolve) => npm.once('close', resolve));
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await expect.poll(() => output, { timeout: 20_000 }).toContain('"listening"');
    const port = Number(/"port":(\d+)/.exec(output)?.[1]);
    const { tools } = await bodyOf<{ tools: { name: string }[] }>(
      await fetch(`http://127.0.0.1:${port}/tools`),
    );
    expect(tools.map(({ name }) => name)).toContain('convert_currency');
    npm.kill('SIGTERM');
    await exited;
    expect(await rejectsConnections(port)).toBe(true);
    expect(output).toContain('"exit_code":0');
  });
});
