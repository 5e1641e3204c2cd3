import { describe, expect, test } from 'vitest';
import { type PipelineState, pipelineStates, transition } from '../../src/domain/message/pipeline.ts';

/** The transitions of the specification, section 3. */
const legal: ReadonlySet<string> = new Set([
  'RECEIVED CLASSIFIED',
  'CLASSIFIED PLANNING',
  'PLANNING TOOL_EXECUTION',
  'TOOL_EXECUTION VERIFYING',
  'VERIFYING COMPLETED',
  'RECEIVED FAILED',
  'CLASSIFIED FAILED',
  'PLANNING FAILED',
  'TOOL_EXECUTION FAILED',
  'VERIFYING FAILED',
]);

const pairs = pipelineStates.flatMap((from) =>
  pipelineStates.map((to): [PipelineState, PipelineState] => [from, to]),
);

describe('the message pipeline', () => {
  test('has seven states', () => {
    expect(pairs).toHaveLength(49);
  });

  test.each(pairs.filter(([from, to]) => legal.has(`${from} ${to}`)))('goes from %s to %s', (from, to) => {
    expect(transition(from, to)).toBe(to);
  });

  test.each(pairs.filter(([from, to]) => !legal.has(`${from} ${to}`)))(
    'rejects the transition from %s to %s',
    (from, to) => {
      expect(() => transition(from, to)).toThrow(
        expect.objectContaining({
          name: 'OrchestrationError',
          code: 'invalid_transition',
          message: `the pipeline cannot go from ${from} to ${to}`,
        }),
      );
    },
  );
});
