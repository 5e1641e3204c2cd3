/**
 * Routed goals of 10, 100 and 1,000 subtasks that do nothing, dispatched at the same time over the real bus, beside a
 * bare `Promise.allSettled` of as many functions. `--quick` makes the rounds short.
 */
import { defaultPorts } from '../src/adapters/defaults.ts';
import { createAgentBus } from '../src/application/agent-bus.ts';
import { createAgentRegistry } from '../src/application/agent-registry.ts';
import { defaultLimits } from '../src/application/limits.ts';
import { createRouting, type Routing } from '../src/application/route-goal.ts';
import type { SubTask } from '../src/domain/routing.ts';
import type { Ports } from '../src/ports/ports.ts';
import { machine } from './machine.ts';
import { interleave, markdownTable } from './support.ts';

const quick = process.argv.includes('--quick');
const interleaving = { rounds: quick ? 5 : 21, roundMs: quick ? 30 : 150 };
const limits = { ...defaultLimits, maxSubtasks: 1_000 };

function makeRouting(overrides: Partial<Ports>): Routing {
  const ports = defaultPorts(overrides);
  const agents = createAgentRegistry();
  agents.register({ name: 'at-once', description: 'Replies at once', handle: () => ({}) });
  agents.register({ name: 'later', description: 'Replies with a promise', handle: async () => ({}) });
  return createRouting(ports, { agents, bus: createAgentBus(ports, agents, limits) }, limits);
}

const stored = makeRouting({});
const unstored = makeRouting({ routes: { ...defaultPorts().routes, put: async () => {} } });

const nothing = async (): Promise<object> => ({});
const tasks = (count: number, agentName: string): SubTask[] =>
  Array.from({ length: count }, () => ({ agentName, payload: {} }));

/** Microseconds of the floor, and of `work` beside it. */
async function beside(count: number, work: () => unknown): Promise<[floor: number, work: number]> {
  const numbers = Array.from({ length: count });
  const [floor = Number.NaN, figure = Number.NaN] = await interleave(
    [
      { name: 'floor', work: () => Promise.allSettled(numbers.map(nothing)) },
      { name: 'routed', work },
    ],
    interleaving,
  );
  return [floor * 1_000, figure * 1_000];
}

const rows: string[][] = [];
for (const count of [10, 100, 1_000]) {
  const atOnce = { goal: 'bench', subtasks: tasks(count, 'at-once') };
  const later = { goal: 'bench', subtasks: tasks(count, 'later') };
  const [floor, quickest] = await beside(count, () => unstored.route(atOnce));
  const cells = [`${quickest.toFixed(1)} (${(quickest / floor).toFixed(1)})`];
  for (const work of [() => unstored.route(later), () => stored.route(atOnce)]) {
    const [nextTo, figure] = await beside(count, work);
    cells.push(`${figure.toFixed(1)} (${(figure / nextTo).toFixed(1)})`);
  }
  rows.push([count.toLocaleString('en'), floor.toFixed(1), ...cells]);
}

console.log(`${machine()}\n`);
console.log('Microseconds a routed goal, and how many times the floor measured beside it:\n');
console.log(
  markdownTable(
    [
      'Subtasks',
      '`Promise.allSettled`',
      'agents reply at once',
      'agents reply with a promise',
      'at once, record stored',
    ],
    rows,
  ),
);
