import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson, type Service, startService } from '../support/process/service.ts';

const MEGABYTE = 1_000_000;

/** A text, a list of empty objects, and many members: what takes much memory in different ways. */
const inputs = {
  text: JSON.stringify({ input: { text: 'x'.repeat(MEGABYTE) } }),
  objects: `{"input":{"list":[${new Array(330_000).fill('{}').join()}]}}`,
  members: JSON.stringify({
    input: Object.fromEntries(Array.from({ length: 75_000 }, (_, index) => [`k${index}`, index])),
  }),
};

let service: Service;

beforeAll(async () => {
  // Twice as much as the runs may take, with what else the service keeps.
  service = await startService({
    NODE_OPTIONS: '--max-old-space-size=1024',
    RATE_LIMIT_REQUESTS: '1000000',
    LOG_LEVEL: 'info',
  });
});
afterAll(() => service.stop());

interface Answers {
  readonly statuses: ReadonlyMap<number, number>;
  /** The last answer that was no success. */
  readonly refused: Response | undefined;
}

/** Sends the same request so often, four at a time. */
async function repeat(count: number, send: (index: number) => Promise<Response>): Promise<Answers> {
  const statuses = new Map<number, number>();
  let refused: Response | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const reply = await send(next++);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      if (reply.ok) await reply.arrayBuffer();
      else refused = reply;
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return { statuses, refused };
}

const postText = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });

async function createWorkflow(steps: readonly object[], more: object = {}): Promise<string> {
  const reply = await postJson(`${service.baseUrl}/workflows`, { name: 'n', steps, ...more });
  return (await bodyOf<{ id: string }>(reply)).id;
}

async function expectAlive(): Promise<void> {
  expect(service.process.exitCode).toBeNull();
  expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200);
}

describe('with a heap of 1 GB, the service in memory outlives', () => {
  test('600 runs of 1 MB that wait, and answers 503 to those that do not fit', async () => {
    const id = await createWorkflow([{ id: 'w', kind: 'wait', duration_ms: 3_600_000 }]);
    const start = () => postText(`/workflows/${id}/run`, inputs.text, { Prefer: 'respond-async' });
    const { statuses, refused } = await repeat(600, start);
    await expectAlive();
    expect([...statuses.keys()].sort()).toEqual([202, 503]);
    expect(statuses.get(202)).toBeGreaterThan(100);
    expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({
      error: 'Service Unavailable',
      detail: expect.stringMatching(/runs (that have not ended|under way) take \d+ bytes of memory already/),
    });
    // Waiting runs can end, which makes room.
    const { executions } = await bodyOf<{ executions: { execution_id: string }[] }>(
      await fetch(`${service.baseUrl}/runs?status=WAITING&limit=200`),
    );
    for (const { execution_id } of executions) await postText(`/runs/${execution_id}/cancel`, '{}');
    await expect.poll(async () => (await start()).status, { timeout: 20_000 }).toBe(202);
  }, 300_000);

  test.each(['objects', 'members'] as const)(
    'runs with inputs of many %s',
    async (kind) => {
      const id = await createWorkflow([{ id: 'w', kind: 'wait', duration_ms: 3_600_000 }]);
      await repeat(60, () => postText(`/workflows/${id}/run`, inputs[kind], { Prefer: 'respond-async' }));
      await expectAlive();
    },
    300_000,
  );

  test('runs whose outputs grow', async () => {
    const list = '${{ input.l }}';
    const echo = (index: number) => ({
      id: `s${index}`,
      kind: 'agent',
      agent_name: 'echo',
      static_input: { list },
    });
    const steps = Array.from({ length: 140 }, (_, index) => echo(index));
    const wait = { id: 'w', kind: 'wait', duration_ms: 3_600_000, depends_on: steps.map(({ id }) => id) };
    const id = await createWorkflow([...steps, wait]);
    const input = `{"input":{"l":[${new Array(80_000).fill('{}').join()}]}}`;
    await repeat(10, () => postText(`/workflows/${id}/run`, input, { Prefer: 'respond-async' }));
    await expect
      .poll(
        async () => {
          const counts = await bodyOf<{ executions: unknown[] }>(
            await fetch(`${service.baseUrl}/runs?status=PENDING,RUNNING&limit=1`),
          );
          return counts.executions.length;
        },
        { timeout: 200_000, interval: 500 },
      )
      .toBe(0);
    await expectAlive();
  }, 300_000);

  test('workflows, their versions and schedules of 1 MB', async () => {
    const step = { id: 'a', kind: 'agent', agent_name: 'echo', static_input: { text: 'x'.repeat(MEGABYTE) } };
    const body = JSON.stringify({ name: 'n', steps: [step] });
    const { statuses, refused } = await repeat(150, () => postText('/workflows', body));
    expect([...statuses.keys()].sort()).toEqual([201, 409]);
    expect(await refused?.json()).toMatchObject({ detail: expect.stringContaining('bytes of definitions') });
    const id = await createWorkflow([{ id: 'a', kind: 'agent', agent_name: 'echo' }]);
    const schedule = { workflow_id: id, cron: '0 0 1 1 *', input: { text: 'x'.repeat(MEGABYTE) } };
    const schedules = await repeat(80, () => postText('/schedules', JSON.stringify(schedule)));
    expect([...schedules.statuses.keys()].sort()).toEqual([201, 409]);
    await expectAlive();
  }, 300_000);

  test('approvals with large payloads', async () => {
    const payload = { list: '${{ input.l }}' };
    const id = await createWorkflow([{ id: 'a', kind: 'approval', title: 't', payload }]);
    const input = `{"input":{"l":[${new Array(80_000).fill('{}').join()}]}}`;
    await repeat(60, () => postText(`/workflows/${id}/run`, input, { Prefer: 'respond-async' }));
    await expectAlive();
  }, 300_000);
});
