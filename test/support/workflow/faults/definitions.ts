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
export const small = { name: 'small', steps: [act('s', 'read', 30), pause('s-nap', 100, ['s'])] };

/** The workflow of the child of `sub`. */
export const middle = {
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
export const large = (smallId: string, middleId: string) => ({
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
