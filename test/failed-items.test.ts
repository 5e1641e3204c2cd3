import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';
import { startRedisServer } from './support/redis/server.ts';
import { until } from './support/until.ts';

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/**
 * A receiver of letters, which writes to somebody once for each idempotency key. It refuses those whose number is in
 * `refused`, and answers slowly.
 */
async function startReceiver() {
  const requests = new Map<string, number>();
  const letters: number[] = [];
  const delivered = new Set<string>();
  const refused = new Set<number>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://receiver');
    const key = request.headers['idempotency-key'];
    const to = Number(url.searchParams.get('to'));
    if (typeof key !== 'string') throw new TypeError('a request without a key');
    requests.set(key, (requests.get(key) ?? 0) + 1);
    if (!refused.has(to) && !delivered.has(key)) {
      delivered.add(key);
      letters.push(to);
    }
    setTimeout(() => {
      response.statusCode = refused.has(to) ? 500 : 200;
      response.end('{}');
    }, 20);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, letters, refused };
}

/** An extension with a tool that sends a letter to the receiver. */
const extension = (port: number): string => `
import { ToolError } from 'orchestration-service/tools';
import { z } from 'zod';
export default ({ tools }) => tools.register({
  name: 'send_letter', description: 'Sends a letter', effect: 'idempotent', input: z.object({ to: z.number() }),
  async execute({ to }, { idempotencyKey, signal }) {
    const headers = { 'Idempotency-Key': idempotencyKey };
    const response = await fetch('http://127.0.0.1:${port}/?to=' + to, { headers, signal });
    await response.text();
    if (!response.ok) throw new ToolError('refused', { permanent: true });
    return { to };
  },
});
`;

const COUNT = 60;

const item = '$'.concat('{{ item }}');
const each = { items: 'input.people', concurrency: 2, on_item_error: 'continue' };
const send = { id: 'send', tool_name: 'send_letter', static_input: { to: '$input.to' } };
const steps = {
  tool: [{ id: 'welcome', tool_name: 'send_letter', static_input: item, foreach: each }],
  chain: [
    {
      id: 'welcome',
      kind: 'workflow',
      static_input: item,
      foreach: each,
      definition: {
        steps: [
          { id: 'look', kind: 'agent', agent_name: 'echo' },
          { ...send, depends_on: ['look'] },
        ],
      },
    },
  ],
} as const;

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly step_results: { readonly welcome: { readonly output: { failed: number; count: number } | null } };
}

const read = async ({ baseUrl }: Service, id: string): Promise<Execution> =>
  bodyOf<Execution>(await fetch(`${baseUrl}/runs/${id}`));

async function untilEnded(service: Service, id: string): Promise<Execution> {
  await until('the run has ended', async () => (await read(service, id)).status === 'COMPLETED', 90_000);
  return read(service, id);
}

test.each([
  ['sqlite', 'tool'],
  ['sqlite', 'chain'],
  ['kvstore', 'tool'],
  ['kvstore', 'chain'],
] as const)(
  'with %s, a rerun of failed items (%s) whose process is killed writes to nobody twice',
  async (store, kind) => {
    const folder = await mkdtemp(join(tmpdir(), 'failed-items-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'));
    const receiver = await startReceiver();
    await writeFile(join(folder, 'letters.mjs'), extension(receiver.port));
    const redis = store === 'kvstore' ? await startRedisServer() : undefined;
    if (redis !== undefined) ends.push(() => redis.close());
    const settings = {
      TRACE_BACKEND: store,
      RUN_RECOVERY: 'resume',
      RATE_LIMIT_REQUESTS: '1000000',
      EXTENSIONS: join(folder, 'letters.mjs'),
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('support/process/own-name.ts', import.meta.url))}`,
      ...(redis === undefined ? {} : { KVSTORE_URL: redis.url }),
    };
    const start = async (): Promise<Service> => {
      const service = await startService(settings, folder);
      ends.push(() => service.stop());
      return service;
    };
    const first = await start();
    const people = Array.from({ length: COUNT }, (_, to) => ({ to }));
    for (let to = 0; to < COUNT; to += 2) receiver.refused.add(to);
    const made = await postJson(`${first.baseUrl}/workflows`, { name: 'Welcome', steps: steps[kind] });
    const { id } = await bodyOf<{ id: string }>(made);
    const body = { background: true, input: { people } };
    const started = await postJson(`${first.baseUrl}/workflows/${id}/run`, body);
    const { execution_id } = await bodyOf<Execution>(started);
    const before = await untilEnded(first, execution_id);
    expect(before.step_results.welcome.output).toMatchObject({ count: COUNT, failed: COUNT / 2 });
    const keys = new Set(receiver.requests.keys());
    expect(keys.size).toBe(COUNT);

    receiver.refused.clear();
    const sent = receiver.letters.length;
    const rerun = { from_step: 'welcome', items: 'failed' };
    const again = await bodyOf<Execution>(
      await postJson(`${first.baseUrl}/runs/${execution_id}/rerun`, rerun),
    );
    await until('some letters are sent', () => receiver.letters.length >= sent + 5, 30_000);
    first.process.kill('SIGKILL');
    await first.exited;
    const second = await start();
    const after = await untilEnded(second, again.execution_id);
    expect(after.step_results.welcome.output).toMatchObject({ count: COUNT, failed: 0 });
    // Each person has one letter, under the key of the first run, and those of the first run were asked about once.
    expect(new Set(receiver.requests.keys())).toEqual(keys);
    expect(receiver.letters.toSorted((one, other) => one - other)).toEqual(people.map(({ to }) => to));
    const asked = [...receiver.requests.values()];
    expect(asked.filter((count) => count === 1)).toHaveLength(COUNT / 2);
  },
  240_000,
);
