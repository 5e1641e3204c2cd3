import { expect, test } from 'vitest';
import { replay } from '../../../../src/domain/run/evolve.ts';
import { recover } from '../../../../src/domain/run/recover.ts';
import { callTool } from '../../../support/workflow/engine.ts';
import { definitionOf } from '../../../support/workflow/simulated-run.ts';

test.each(['fail', 'ask'] as const)(
  'a write step for items of which none was recorded yet runs again after a crash, with the policy %s',
  (unknownOutcome) => {
    const definition = definitionOf([{ ...callTool('each', 'write'), foreach: { items: [1, 2] } }]);
    const created = { workflowName: 'n', version: 1, background: true, origin: 'api', input: {} } as const;
    const state = replay({
      runId: 'r',
      workflowId: 'w',
      definition,
      events: [
        { seq: 1, type: 'execution.created', at: 0, ...created, rerunOf: null },
        { seq: 2, type: 'execution.started', at: 0, attempt: 1 },
        { seq: 3, type: 'layer.started', at: 0, layer: 0, steps: ['each'] },
        { seq: 4, type: 'step.started', at: 0, stepId: 'each', kind: 'tool', layer: 0, attempt: 1 },
      ],
    });
    const { events } = recover(state, {
      policy: { maxRecoveries: 3, unknownOutcome },
      crashed: true,
      signal: undefined,
      mayRepeat: () => false,
      newItemId: () => 'item',
      now: 1,
    });
    expect(events).toMatchObject([{ type: 'execution.recovered', steps: ['each'] }]);
    expect(state.results).toMatchObject([{ status: 'PENDING' }]);
  },
);
