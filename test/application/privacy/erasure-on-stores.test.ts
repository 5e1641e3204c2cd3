import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import { defaultPorts } from '../../../src/entries/defaults.ts';
import { sqliteStorage } from '../../../src/entries/sqlite.ts';
import type { StoragePorts } from '../../../src/ports/ports.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';
import { newPath } from '../../support/sqlite/files.ts';
import { quickTimes } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const CUSTOMER = 'zqcustomer';
const SECRET = 'zqsecret';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.close());

/** Tools and agents of the tests: `held` ends when it is told to, `deaf` when `release` is called. */
function register({ tools, agents }: Orchestrator) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const input = z.record(z.string(), z.json());
  const started: string[] = [];
  tools.register({
    name: 'held',
    description: 'held',
    effect: 'read',
    input,
    timeoutMs: 600_000,
    async execute(_input, { signal, idempotencyKey }) {
      started.push(idempotencyKey);
      await sleep(600_000, undefined, { signal });
      return {};
    },
  });
  tools.register({
    name: 'deaf',
    description: 'deaf',
    effect: 'read',
    input,
    timeoutMs: 600_000,
    async execute(given, { idempotencyKey }) {
      started.push(idempotencyKey);
      await released;
      return { echoed: JSON.stringify(given) };
    },
  });
  tools.register({
    name: 'quick',
    description: 'quick',
    effect: 'read',
    input,
    execute: (given, { customerId }) => ({ given: JSON.stringify(given), customerId }),
  });
  agents.register({
    name: 'slow',
    description: 'slow',
    async handle({ id }, { route, customerId }) {
      started.push(id);
      await released;
      return { ...(await route('support_pipeline', { message: `Where is ${SECRET}?` })), customerId };
    },
  });
  return { started, release };
}

type Core = Orchestrator & ReturnType<typeof register> & { readonly storage: StoragePorts };

/** One core over memory or a file, and two over Redis. Runs are durable but in memory. */
async function startCores(store: string): Promise<readonly [Core, Core]> {
  const limits = { cancelGraceMs: 300, maxBackgroundRuns: 4, toolMaxAttempts: 1 };
  const ends: (() => Promise<unknown>)[] = [];
  function create(storage: StoragePorts, isDurable: boolean): Core {
    const options = isDurable ? { recovery: defaultRecoveryPolicy } : {};
    const core = createOrchestrator(defaultPorts(storage), limits, options);
    const registered = register(core);
    core.start();
    ends.push(() => {
      registered.release();
      return core.close(0);
    });
    return { ...core, ...registered, storage };
  }
  onTestFinished(async () => {
    for (const end of ends.reverse()) await end();
  });
  if (store === 'redis') {
    const factory = createStoresFactory();
    ends.push(factory.closeAll);
    const first = await factory.make(server.url, quickTimes);
    const second = await factory.make(server.url, { ...quickTimes, prefix: first.prefix });
    return [create(first.ports, true), create(second.ports, true)];
  }
  if (store === 'sqlite') {
    const storage = sqliteStorage({ path: await newPath() });
    ends.push(storage.close);
    const core = create(storage.ports, true);
    return [core, core];
  }
  const { erasures, ...storage } = defaultPorts();
  const core = create({ ...storage, erasures }, false);
  return [core, core];
}

const step = (id: string, toolName: string): Step => ({
  id,
  kind: 'tool',
  toolName,
  dependsOn: [],
  staticInput: { text: '$input.text' },
});

async function define({ workflows }: Core, ...steps: Step[]): Promise<string> {
  return (await workflows.create({ name: 'sample', steps })).id;
}

/** Starts a run of a customer in the background. Resolves to its id. */
async function start(core: Core, workflowId: string, customerId: string | null = CUSTOMER) {
  const request = { background: true, input: { text: SECRET }, customerId: customerId ?? undefined };
  return (await core.workflows.run(workflowId, request)).runId;
}

async function untilStatus({ runs }: Core, runId: string, ...statuses: string[]): Promise<void> {
  await until(`${runId} is ${statuses.join()}`, async () =>
    statuses.includes((await runs.get(runId)).status),
  );
}

/** Everything that can be listed, as one text. */
async function everything({ runs, traces, agents, inbox }: Core): Promise<string> {
  const page = { limit: 200, offset: 0 };
  const { items: routes } = await agents.listRoutes(page);
  return JSON.stringify([
    await runs.list({}, { limit: 200 }),
    await traces.list(page),
    await Promise.all(routes.map(({ routingId }) => agents.getRoute(routingId))),
    await inbox?.list({ statuses: ['open', 'claimed', 'resolved', 'withdrawn', 'expired'] }, { limit: 200 }),
  ]);
}

describe.each(['memory', 'sqlite', 'redis'])('an erasure on %s', (store) => {
  test('deletes runs in every state, with children and items, and those of nobody else', async () => {
    const [core, other] = await startCores(store);
    const { storage, erase, runs } = core;
    const held = await define(core, step('a', 'held'));
    const quick = await define(core, step('a', 'quick'));
    const waits = await define(core, {
      id: 'w',
      kind: 'wait',
      durationMs: 3_600_000,
      dependsOn: [],
      staticInput: {},
    });
    const asks = await define(core, {
      id: 'ok',
      kind: 'approval',
      title: `May ${SECRET}?`,
      dependsOn: [],
      staticInput: { text: '$input.text' },
    });
    const nested = await define(core, {
      id: 'child',
      kind: 'workflow',
      workflowId: asks,
      dependsOn: [],
      staticInput: { text: '$input.text' },
    });
    const completed = await start(core, quick);
    await untilStatus(core, completed, 'COMPLETED');
    expect(await core.runs.get(completed)).toMatchObject({
      customerId: CUSTOMER,
      stepResults: [{ output: { customerId: CUSTOMER } }],
    });
    const rerun = await core.runs.rerun(completed, { background: false });
    expect(rerun.customerId).toBe(CUSTOMER);
    const waiting = [await start(core, waits), await start(core, asks), await start(core, nested)];
    for (const runId of waiting) await untilStatus(core, runId, 'WAITING');
    await until('the child waits', async () => (await storage.runs.ofCustomer(CUSTOMER, 200)).length === 6);
    const running = [await start(core, held), await start(core, held)];
    await until(
      'steps are under way',
      () => core.started.length + (other === core ? 0 : other.started.length) === 2,
    );
    // More than may run at once, so that some of them are queued.
    const queued = await Promise.all(Array.from({ length: 6 }, () => start(core, held)));
    const kept = [await start(core, quick, 'somebody else'), await start(core, quick, null)];
    for (const runId of kept) await untilStatus(core, runId, 'PENDING', 'RUNNING', 'COMPLETED');
    const before = await everything(core);
    for (const runId of [...waiting, ...running, ...queued]) expect(before).toContain(runId);

    const counts = await erase(CUSTOMER);
    expect(counts).toMatchObject({ runs: 14, routes: 0, traces: 0, inboxItems: 2 });
    expect(await storage.runs.ofCustomer(CUSTOMER, 200)).toEqual([]);
    for (const runId of kept) await untilStatus(core, runId, 'COMPLETED');
    expect((await runs.list({}, { limit: 200 })).items.map(({ runId }) => runId).toSorted()).toEqual(
      kept.toSorted(),
    );
    const after = (await everything(core)).replaceAll(/"input":\{"text":"zqsecret"\}/g, '');
    expect(after).not.toContain(SECRET);
    expect(after).not.toContain(CUSTOMER);
    expect(await erase(CUSTOMER)).toMatchObject({ runs: 0, routes: 0, inboxItems: 0 });
  });

  test('leaves nothing of a step that does not stop and ends later', async () => {
    const [core] = await startCores(store);
    const runId = await start(core, await define(core, step('a', 'deaf')));
    await until('the step is under way', () => core.started.length === 1);
    expect(await core.erase(CUSTOMER)).toMatchObject({ runs: 1 });
    core.release();
    await sleep(300);
    await expect(core.runs.get(runId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await everything(core)).not.toContain(SECRET);
  });

  test('deletes goals with their traces, and no others', async () => {
    const [core, other] = await startCores(store);
    const goal = `Reply to this customer: "Where is my order ${SECRET}?"`;
    const routed = await core.agents.route({ goal, customerId: CUSTOMER });
    expect(routed).toMatchObject({ status: 'completed', customerId: CUSTOMER });
    const subtasks = [{ agentName: 'support_pipeline', payload: { message: SECRET, customer_id: CUSTOMER } }];
    expect(await core.agents.route({ goal, subtasks })).toMatchObject({ customerId: CUSTOMER });
    const kept = await core.agents.route({ goal: 'Reply to this customer: "Where is my order?"' });
    const { items } = await core.traces.list({ limit: 10, offset: 0 });
    expect(items.map(({ customerId }) => customerId).toSorted()).toEqual(['agent', CUSTOMER, CUSTOMER]);
    expect(await other.erase(CUSTOMER)).toMatchObject({ routes: 2, traces: 2, runs: 0 });
    expect(await everything(core)).not.toContain(SECRET);
    expect((await core.agents.listRoutes({ limit: 10, offset: 0 })).items).toMatchObject([
      { routingId: kept.routingId, customerId: null },
    ]);
    expect(await core.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 1 });
  });

  test('ends a goal that is under way, of which nothing is stored later', async () => {
    const [core, other] = await startCores(store);
    const goals = [core, other].map(({ agents }) =>
      agents.route({ goal: SECRET, subtasks: [{ agentName: 'slow', payload: {} }], customerId: CUSTOMER }),
    );
    await until('agents work', () => new Set([...core.started, ...other.started]).size === 2);
    const erased = core.erase(CUSTOMER);
    expect(await erased).toMatchObject({ routes: 0, traces: 0 });
    core.release();
    other.release();
    await Promise.all(goals);
    await sleep(300);
    expect(await everything(core)).not.toContain(SECRET);
    expect(await core.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 0 });
  });

  test('lets the customer come again', async () => {
    const [core] = await startCores(store);
    await core.erase(CUSTOMER);
    const { routingId } = await core.agents.route({ goal: 'Echo: hello', customerId: CUSTOMER });
    expect(await core.agents.getRoute(routingId)).toMatchObject({ customerId: CUSTOMER });
    const runId = await start(core, await define(core, step('a', 'quick')));
    await untilStatus(core, runId, 'COMPLETED');
    expect(await core.erase(CUSTOMER)).toMatchObject({ runs: 1, routes: 1 });
  });

  test('of a goal deletes the traces that its agents have forwarded to', async () => {
    const [core] = await startCores(store);
    core.release();
    const { routingId } = await core.agents.route({
      goal: SECRET,
      subtasks: [{ agentName: 'slow', payload: {} }],
    });
    expect(await core.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 1 });
    await core.agents.deleteRoute(routingId);
    expect(await core.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 0 });
    await expect(core.agents.getRoute(routingId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(core.agents.deleteRoute(routingId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
