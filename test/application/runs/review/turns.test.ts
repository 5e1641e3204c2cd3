import { expect, test } from 'vitest';
import type { Step } from '../../../../src/domain/workflow/definition.ts';
import type { ExpressionLanguage } from '../../../../src/domain/workflow/expression.ts';
import { burnCpu, createTurnCounter } from '../../../support/event-loop.ts';
import { settle } from '../../../support/fake-clock.ts';
import { testPorts } from '../../../support/ports.ts';
import { callTool, createTestEngine } from '../../../support/workflow/engine.ts';

/** An engine whose expressions take 4 ms each, with the number of evaluations in each turn of the event loop. */
function slowEngine() {
  const { expressions } = testPorts().ports;
  const turns = createTurnCounter();
  const slow = <T>(evaluate: () => T): T => {
    turns.count();
    burnCpu(4);
    return evaluate();
  };
  const language: ExpressionLanguage = {
    parse(...given) {
      const parsed = expressions.parse(...given);
      return { ...parsed, evaluate: (values) => slow(() => parsed.evaluate(values)) };
    },
    parseWhole(...given) {
      const parsed = expressions.parseWhole(...given);
      return { ...parsed, evaluate: (values) => slow(() => parsed.evaluate(values)) };
    },
    parseTexts(...given) {
      const parsed = expressions.parseTexts(...given);
      return { ...parsed, evaluate: (values) => slow(() => parsed.evaluate(values)) };
    },
  };
  const engine = createTestEngine({ ports: { expressions: language } });
  engine.tool('a', async () => ({}));
  return { ...engine, turns };
}

const count = 60;
const indexes = Array.from({ length: count }, (_, index) => index);
/** A turn lasts 10 ms, and what is under way then is ended. */
const few = 8;

const conditions = indexes.map((index) => ({ ...callTool(`step-${index}`, 'a'), when: 'input.go' }));
const waits = indexes.map((index): Step => {
  return { id: `step-${index}`, kind: 'wait', until: 'input.until', dependsOn: [], staticInput: {} };
});
const approvals = indexes.map((index): Step => {
  const payload = { go: '${{ input.go }}' };
  const step = {
    id: `step-${index}`,
    kind: 'approval',
    title: 'May I?',
    dependsOn: [],
    staticInput: {},
  } as const;
  return { ...step, payload, expiresInMs: 5 };
});
const items: Step[] = [
  {
    id: 'each',
    kind: 'wait',
    until: 'string(item)',
    dependsOn: [],
    staticInput: {},
    foreach: { items: indexes.map(() => '2026-01-01T00:00:00Z'), concurrency: count },
  },
];

test.each([
  ['conditions', conditions, 'COMPLETED'],
  ['times', waits, 'COMPLETED'],
  ['payloads', approvals, 'FAILED'],
  ['times of items', items, 'COMPLETED'],
  ['times of items beside a step', [...items, callTool('b', 'a')], 'COMPLETED'],
] as const)('a layer with many %s does not block the event loop', async (_name, steps, status) => {
  const { workflows, clock, control, turns } = slowEngine();
  const { id } = await workflows.create({ name: 'n', description: '', steps });
  const input = { go: true, until: '2026-01-01T00:00:00Z' };
  const { runId } = await workflows.run(id, { background: true, input });
  for (let turn = 0; turn < 200; turn++) await settle();
  await clock.advance(10_000);
  for (let turn = 0; turn < 200; turn++) await settle();
  expect((await control.get(runId)).status).toBe(status);
  expect(turns.max).toBeLessThanOrEqual(few);
});
