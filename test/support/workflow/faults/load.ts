import type { Random } from '../../../../src/adapters/evaluation/random.ts';
import { call } from '../../faults/calls.ts';
import type { Cluster, Serving } from '../../faults/durable/cluster.ts';
import type { Findings } from '../../faults/durable/rig.ts';
import { sleep } from '../../faults/fleet.ts';

/** An answer to an inbox item that was accepted. */
export interface AcceptedAnswer {
  readonly itemId: string;
  readonly by: string;
  readonly outcome: string;
}

/** Callers that start runs, and people who answer what these ask. */
export interface LanguageLoad {
  /** The ids and tokens of the runs whose start was acknowledged. */
  readonly acknowledged: readonly { readonly id: string; readonly token: string }[];
  readonly accepted: readonly AcceptedAnswer[];
  /** Starts no more runs; people go on. Resolves when the last call has ended. */
  stopRuns(): Promise<void>;
  /** Stops the people as well. */
  stop(): Promise<void>;
}

const ends = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** The longest time that a caller follows its run before it starts the next one, in milliseconds. */
const FOLLOWED_MS = 6_000;

/** Starts the load on a cluster that is ready. */
export async function startLanguageLoad(
  cluster: Cluster,
  findings: Findings,
  { random, callers }: { readonly random: Random; readonly callers: number },
): Promise<LanguageLoad> {
  const acknowledged: { id: string; token: string }[] = [];
  const accepted: AcceptedAnswer[] = [];
  let started = 0;
  let answers = 0;
  let hasRuns = true;
  let hasPeople = true;

  async function request(life: Serving, path: string, body?: unknown) {
    const { outcome, status, body: reply } = await call(life, path, body);
    findings.add('calls');
    const isDecided = status === 409 || status === 404;
    if (outcome === 'unexpected' && !isDecided)
      findings.violate(`${path.replaceAll(/[\d-]{3,}\w*/gu, '…')} was answered ${status}`, reply);
    return outcome === 'succeeded' ? reply : undefined;
  }

  const serving = (): Serving | undefined => {
    const all = cluster.serving();
    return all.length === 0 ? undefined : random.pick(all);
  };

  async function define(definition: object): Promise<string> {
    const life = serving();
    const created = life && (await request(life, '/workflows', definition));
    if (created === undefined) throw new Error('a workflow was not created');
    return (created as { id: string }).id;
  }

  async function follow(id: string): Promise<void> {
    const until = Date.now() + FOLLOWED_MS;
    while (hasRuns && Date.now() < until) {
      await sleep(200);
      const life = serving();
      const run = life && (await request(life, `/runs/${id}`));
      if (run !== undefined && ends.includes((run as { status: string }).status)) return;
    }
  }

  async function caller(workflowId: string): Promise<void> {
    while (hasRuns) {
      const life = serving();
      const token = `t${started++}`;
      const body = { background: true, input: { token } };
      const run = life && (await request(life, `/workflows/${workflowId}/run`, body));
      if (run === undefined) await sleep(50);
      else {
        const { execution_id: id } = run as { execution_id: string };
        acknowledged.push({ id, token });
        await follow(id);
      }
    }
  }

  async function answer(life: Serving, itemId: string, kind: string): Promise<void> {
    const by = `p${answers++}`;
    const outcomes = kind === 'approval' ? ['approved', 'rejected'] : ['completed', 'failed'];
    const outcome = random.pick(outcomes);
    const reply = await request(life, `/inbox/${itemId}/resolve`, { outcome, by });
    if (reply !== undefined) accepted.push({ itemId, by, outcome });
  }

  async function person(): Promise<void> {
    while (hasPeople) {
      await sleep(100 + random.next() * 200);
      const life = serving();
      const listed = life && (await request(life, '/inbox?limit=20'));
      if (life === undefined || listed === undefined) continue;
      const { items } = listed as { items: readonly { item_id: string; kind: string }[] };
      for (const { item_id: itemId, kind } of items) {
        if (!hasPeople || random.flip(0.3)) continue;
        const other = random.flip(0.2) ? serving() : undefined;
        await Promise.all([answer(life, itemId, kind), ...(other ? [answer(other, itemId, kind)] : [])]);
      }
    }
  }

  const workflowId = await define(large(await define(small), await define(middle)));
  const running = Promise.all(Array.from({ length: callers }, () => caller(workflowId)));
  const people = Promise.all([person(), person()]);
  return {
    acknowledged,
    accepted,
    async stopRuns() {
      hasRuns = false;
      await running;
    },
    async stop() {
      hasPeople = false;
      await people;
    },
  };
}

/** The number of items of the large steps with `foreach`. */
export const ITEMS = 50;

/** The number of children that the step `subs` starts. */
export const CHILDREN = 4;

type Effect = 'read' | 'idempotent' | 'write';

const act = (
  id: string,
  effect: Effect,
  ms: number,
  dependsOn: readonly string[] = [],
  more: object = {},
) => ({
  id,
  tool_name: `act_${effect}`,
  depends_on: dependsOn,
  ...more,
  static_input: { token: '$input.token', step: id, ms },
});

const each = (id: string, effect: Effect, concurrency: number, dependsOn: readonly string[]) => ({
  id,
  tool_name: `act_${effect}`,
  depends_on: dependsOn,
  on_error: 'continue',
  foreach: {
    items: Array.from({ length: ITEMS }, (_, index) => index),
    concurrency,
    on_item_error: 'continue',
  },
  static_input: { token: '$input.token', step: `${id}-\${{ index }}`, ms: 15 },
});

const ask = (id: string, dependsOn: readonly string[] = []) => ({
  id,
  kind: 'approval',
  depends_on: dependsOn,
  on_reject: 'continue',
  title: 'May it go on?',
  payload: { token: '$input.token' },
});

const pause = (id: string, ms: number, dependsOn: readonly string[] = []) => ({
  id,
  kind: 'wait',
  depends_on: dependsOn,
  duration_ms: ms,
});

/** The workflow of one child of `subs`. */
const small = { name: 'small', steps: [act('s', 'read', 30), pause('s-nap', 100, ['s'])] };

/** The workflow of the child of `sub`. */
const middle = {
  name: 'middle',
  steps: [
    act('c-read', 'read', 30),
    pause('c-nap', 300, ['c-read']),
    act('c-write', 'write', 50, ['c-nap'], { on_error: 'continue' }),
    ask('c-ask', ['c-read']),
  ],
  output: { approved: '$step.c-ask.approved' },
};

/** The workflow of a run: steps of each kind, beside and after each other. Nothing that fails fails it. */
const large = (smallId: string, middleId: string) => ({
  name: 'large',
  output: { by: '$step.ask.decided_by' },
  steps: [
    act('r', 'read', 40),
    act('i', 'idempotent', 40),
    act('w', 'write', 60, [], { on_error: 'continue' }),
    each('reads', 'read', 8, ['r']),
    each('writes', 'write', 4, ['r']),
    pause('nap', 400, ['i']),
    ask('ask', ['i']),
    {
      id: 'sub',
      kind: 'workflow',
      workflow_id: middleId,
      depends_on: ['r'],
      static_input: { token: '$input.token' },
    },
    {
      id: 'subs',
      kind: 'workflow',
      workflow_id: smallId,
      depends_on: ['nap'],
      foreach: { items: Array.from({ length: CHILDREN }, (_, index) => index), concurrency: 2 },
      static_input: { token: '${{ input.token + "-" + string(index) }}' },
    },
    act('last', 'read', 20, ['w', 'reads', 'writes', 'ask', 'sub', 'subs'], { run_if: 'always' }),
  ],
});
