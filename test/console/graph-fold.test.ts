import { describe, expect, test } from 'vitest';
import { countStatuses, findFolds, showGraph } from '../../console/graph/layout/fold.ts';
import type { Link } from '../../console/graph/layout/links.ts';
import { toGraph, withStatuses } from '../../console/graph/to-graph.ts';
import type { GraphNode } from '../../console/graph/types.ts';

/** A graph of steps by their dependencies; layers are computed as the service does. */
function graphOf(
  dependencies: Readonly<Record<string, readonly string[]>>,
  kinds: Readonly<Record<string, string>> = {},
) {
  const ids = Object.keys(dependencies);
  const layerOf = new Map<string, number>();
  for (const id of ids) {
    layerOf.set(id, Math.max(-1, ...(dependencies[id] ?? []).map((one) => layerOf.get(one) ?? 0)) + 1);
  }
  const nodes = ids.map(
    (id): GraphNode => ({ id, layer: layerOf.get(id) ?? 0, detail: `${kinds[id] ?? 'tool'} ${id}` }),
  );
  const links = ids.flatMap((id, to) =>
    (dependencies[id] ?? []).map((from): Link => [ids.indexOf(from), to]),
  );
  return { nodes, links };
}

const many = (count: number, name: string, on: (index: number) => string[]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, on(index)]));

describe('folding', () => {
  test('of a link that leads nowhere is an error and no wrong fold', () => {
    const { nodes } = graphOf({ a: [], b: ['a'] });
    expect(() => findFolds(nodes, [[0, 7]])).toThrow(RangeError);
    expect(() => showGraph(nodes, [[7, 1]], [], new Set())).toThrow(RangeError);
  });

  test('makes one node of many alike side by side, and of the steps after each of them', () => {
    const { nodes, links } = graphOf({
      start: [],
      ...many(20, 'check', () => ['start']),
      ...many(20, 'post', (index) => [`check${index}`]),
      end: Array.from({ length: 20 }, (_, index) => `post${index}`),
    });
    const folds = findFolds(nodes, links);
    expect(folds.map(({ id, members }) => [id, members.length])).toEqual([
      ['wide:check0', 20],
      ['wide:post0', 20],
    ]);
    const { shown, links: between } = showGraph(nodes, links, folds, new Set());
    expect(shown.map(({ id }) => id)).toEqual(['start', 'wide:check0', 'wide:post0', 'end']);
    expect(between).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  test('leaves apart what has another kind or other dependencies', () => {
    const { nodes, links } = graphOf(
      { a: [], b: [], ...many(7, 'x', () => ['a']), y: ['a'], ...many(7, 'z', () => ['a', 'b']) },
      { y: 'agent' },
    );
    expect(findFolds(nodes, links)).toEqual([]);
  });

  test('makes one node of each layer where every step follows some of the layer before', () => {
    const next = (name: string) => (index: number) => [`${name}${index}`, `${name}${(index + 1) % 10}`];
    const { nodes, links } = graphOf({
      ...many(10, 'a', () => []),
      ...many(10, 'b', next('a')),
      ...many(10, 'c', next('b')),
    });
    expect(findFolds(nodes, links).map(({ members }) => members.length)).toEqual([10, 10, 10]);
  });

  test('makes one node of a chain, and closes the columns that this leaves empty', () => {
    const { nodes, links } = graphOf({
      a: [],
      b: ['a'],
      ...many(6, 'c', (index) => [index === 0 ? 'b' : `c${index - 1}`]),
      d: ['c5', 'a'],
    });
    const folds = findFolds(nodes, links);
    // `a` has two steps after it, and `d` two before it.
    expect(folds).toMatchObject([{ id: 'chain:b', shape: 'chain', members: [1, 2, 3, 4, 5, 6, 7] }]);
    const { shown, shownOf } = showGraph(nodes, links, folds, new Set());
    expect(shown.map(({ id, layer }) => [id, layer])).toEqual([
      ['a', 0],
      ['chain:b', 1],
      ['d', 2],
    ]);
    expect(shownOf).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 2]);
    expect(showGraph(nodes, links, folds, new Set(['chain:b'])).shown).toHaveLength(9);
  });

  test('tells the status that needs most attention first', () => {
    const steps = ['COMPLETED', 'PENDING', 'COMPLETED', 'FAILED', 'RUNNING'].map(
      (status): GraphNode => ({ id: 'x', layer: 0, detail: 'tool', status }),
    );
    expect(countStatuses(steps)).toEqual([
      ['FAILED', 1],
      ['RUNNING', 1],
      ['PENDING', 1],
      ['COMPLETED', 2],
    ]);
  });
});

test('a definition becomes nodes and edges, with what they call, their items and effects', () => {
  const definition = {
    steps: [
      { id: 'order', kind: 'tool', tool_name: 'check_order', depends_on: [] },
      { id: 'pay', kind: 'tool', tool_name: 'book', depends_on: ['order'], foreach: { items: [1, 2, 3] } },
      {
        id: 'ask',
        kind: 'approval',
        title: 'Refund?',
        depends_on: ['order'],
        foreach: { items: 'input.lines' },
      },
      { id: 'rest', kind: 'wait', duration_ms: 30_000, depends_on: ['pay', 'ask'] },
      { id: 'mail', kind: 'agent', agent_name: 'mailer', depends_on: [] },
    ],
    layers: [['order', 'mail'], ['pay', 'ask'], ['rest']],
  };
  const { nodes, edges } = toGraph(definition, {
    effects: {
      tools: new Map([
        ['book', 'write'],
        ['check_order', 'read'],
      ]),
      agents: new Map([['mailer', 'idempotent']]),
    },
  });
  expect(nodes).toEqual([
    { id: 'order', layer: 0, kind: 'tool', detail: 'tool check_order', badge: undefined },
    { id: 'pay', layer: 1, kind: 'tool', detail: 'tool book', badge: 'each · ⚠ writes' },
    { id: 'ask', layer: 1, kind: 'approval', detail: 'approval Refund?', badge: 'each' },
    { id: 'rest', layer: 2, kind: 'wait', detail: 'wait 30 s', badge: undefined },
    { id: 'mail', layer: 0, kind: 'agent', detail: 'agent mailer', badge: 'writes, repeatable' },
  ]);
  expect(edges).toHaveLength(4);
  const run = { step_results: { order: { status: 'COMPLETED' }, pay: { status: 'RUNNING' } } };
  expect(withStatuses(nodes, run).map(({ status }) => status)).toEqual([
    'COMPLETED',
    'RUNNING',
    undefined,
    undefined,
    undefined,
  ]);
});
