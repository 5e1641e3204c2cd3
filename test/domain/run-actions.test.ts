import { expect, test } from 'vitest';
import { OrchestrationError } from '../../src/domain/errors.ts';
import { actionConflict, actionsOf } from '../../src/domain/run/actions.ts';
import { runStatuses } from '../../src/domain/run/run.ts';

test('every state has its actions', () => {
  const waitingFor = [] as const;
  expect(
    Object.fromEntries(runStatuses.map((status) => [status, actionsOf({ status, waitingFor })])),
  ).toEqual({
    PENDING: ['cancel'],
    RUNNING: ['cancel'],
    WAITING: ['cancel'],
    COMPLETED: ['rerun', 'delete'],
    FAILED: ['retry', 'rerun', 'delete'],
    CANCELLED: ['retry', 'rerun', 'delete'],
  });
});

test.each(['RUNNING', 'WAITING'] as const)(
  'a step that waits can be resolved while its run is %s',
  (status) => {
    const wait = { kind: 'recovery', stepId: 'a', itemId: 'item-1', until: null } as const;
    expect(actionsOf({ status, waitingFor: [wait] })).toEqual(['cancel', 'resolve']);
  },
);

test('a rejected action names the run and its state', () => {
  const error = actionConflict('r-1', 'RUNNING', 'delete');
  expect(error).toBeInstanceOf(OrchestrationError);
  expect([error.code, error.message]).toEqual([
    'conflict',
    'execution "r-1" is RUNNING: only an execution that has ended can be deleted; cancel it first',
  ]);
});
