import type { JsonObject } from '../../../../../src/lib/json/json.ts';
import { UNIT } from '../scenario.ts';
import {
  approval,
  approved,
  type Case,
  COMPLETED,
  child,
  FAILED,
  failedBefore,
  fails,
  on,
  rejected,
  scenario,
  step,
  tool,
  wait,
} from './builders.ts';

const decided: JsonObject = { decided_by: 'ann', decided_at: '⟨any⟩' };
const inTime: JsonObject = { decided_by: 'service', decided_at: '⟨any⟩', note: 'nobody has decided in time' };

/** Steps that wait: for a time, for a person, for another run. */
export const waitingCases: readonly Case[] = [
  {
    rule: 'a wait ends when its time has come; a time in the past ends at once',
    scenario: scenario([
      wait('a', 2 * UNIT),
      step('b', { kind: 'wait', until: '2020-01-01T00:00:00Z' }, {}),
      step('c', { kind: 'wait', until: { op: 'input', path: ['later'] } }, {}),
      tool('d', on('a', 'b', 'c')),
    ]),
    run: COMPLETED,
    steps: { a: COMPLETED, b: COMPLETED, c: COMPLETED, d: COMPLETED },
  },
  {
    rule: 'a wait until what is no time fails',
    scenario: scenario([step('a', { kind: 'wait', until: { op: 'input', path: ['n'] } }, {})]),
    run: FAILED,
    steps: { a: FAILED },
  },
  {
    rule: 'a wait has a time-out too',
    scenario: scenario([wait('a', 2 * UNIT, { timeoutMs: UNIT, onError: 'continue' })]),
    run: COMPLETED,
    steps: { a: [FAILED, `timed out after ${UNIT} ms`] },
  },
  {
    rule: 'an approval returns what the person has said',
    scenario: scenario([approval('a', approved(UNIT)), tool('b', on('a'))]),
    run: COMPLETED,
    steps: { a: [COMPLETED, { ...decided, approved: true, data: { n: 2 }, note: null }], b: COMPLETED },
  },
  {
    rule: 'a rejection fails the step',
    scenario: scenario([approval('a', rejected(UNIT)), tool('b', on('a'))]),
    run: FAILED,
    error: 'step "a" failed: rejected by "bob": too much',
    steps: { a: FAILED, b: failedBefore },
  },
  {
    rule: 'a rejection may complete the step',
    scenario: scenario([approval('a', rejected(0), {}, { onReject: 'continue' })]),
    run: COMPLETED,
    steps: {
      a: [COMPLETED, { ...decided, decided_by: 'bob', approved: false, data: null, note: 'too much' }],
    },
  },
  {
    rule: 'an approval that nobody gives in time is a rejection, unless it says otherwise',
    scenario: scenario([
      approval('a', null, { onError: 'continue' }, { expiresInMs: UNIT }),
      approval('b', null, {}, { expiresInMs: UNIT, onExpire: 'approve' }),
      approval('c', approved(2 * UNIT), {}, { expiresInMs: UNIT, onReject: 'continue' }),
    ]),
    run: COMPLETED,
    steps: {
      a: [FAILED, 'rejected by "service": nobody has decided in time'],
      b: [COMPLETED, { ...inTime, approved: true, data: null }],
      c: [COMPLETED, { ...inTime, approved: false, data: null }],
    },
  },
  {
    rule: 'an approval has a time-out too, which is no rejection',
    scenario: scenario([approval('a', approved(2 * UNIT), { timeoutMs: UNIT }, { onReject: 'continue' })]),
    run: FAILED,
    error: `step "a" failed: timed out after ${UNIT} ms`,
    steps: { a: FAILED },
  },
  {
    rule: 'a child run is a step',
    scenario: scenario([child('a'), tool('b', on('a'))], {}, [tool('x'), wait('y', UNIT, on('x'))]),
    run: COMPLETED,
    steps: { a: [COMPLETED, { execution_id: '⟨any⟩', status: 'COMPLETED', output: '⟨any⟩' }], b: COMPLETED },
  },
  {
    rule: 'a child run that fails fails its step, which follows its policy',
    scenario: scenario([child('a', { onError: 'continue' }), child('b')], {}, [tool('x', {}, [fails])]),
    run: FAILED,
    error: 'step "b" failed: execution "⟨any⟩" ended FAILED: step "x" failed: 1/x is not possible',
    steps: { a: FAILED, b: FAILED },
  },
  {
    rule: 'a child run of an unknown workflow fails its step',
    scenario: scenario([child('a', {}, null)]),
    run: FAILED,
    steps: { a: FAILED },
  },
  {
    rule: 'a child run that takes longer than its step may is cancelled',
    scenario: scenario([child('a', { timeoutMs: UNIT })], {}, [wait('x', 2 * UNIT)]),
    run: FAILED,
    error: `step "a" failed: timed out after ${UNIT} ms`,
    steps: { a: FAILED },
  },
  {
    rule: 'a child run has a time-out of its own',
    scenario: {
      ...scenario([child('a')]),
      definitions: [{ steps: [child('a')] }, { steps: [wait('x', 2 * UNIT)], timeoutMs: UNIT }],
    },
    run: FAILED,
    error: `step "a" failed: execution "⟨any⟩" ended FAILED: the workflow timed out after ${UNIT} ms`,
    steps: { a: FAILED },
  },
  {
    rule: 'child runs, waits and approvals have items',
    scenario: scenario(
      [
        child('a', { foreach: { items: [1, 2], onItemError: 'continue' } }),
        wait('b', UNIT, { foreach: { items: [1, 2, 3], concurrency: 1 } }),
        approval('c', rejected(0), { foreach: { items: [1] }, onError: 'continue' }),
      ],
      {},
      [tool('x', {}, [fails])],
    ),
    run: COMPLETED,
    steps: {
      a: [
        COMPLETED,
        {
          results: [null, null],
          errors: {
            0: 'execution "⟨any⟩" ended FAILED: step "x" failed: 1/x is not possible',
            1: 'execution "⟨any⟩" ended FAILED: step "x" failed: 1/x is not possible',
          },
          count: 2,
          failed: 2,
        },
      ],
      b: COMPLETED,
      c: [FAILED, 'item 0 failed: rejected by "bob": too much'],
    },
  },
  {
    rule: 'child runs are nested at most 8 deep',
    scenario: {
      ...scenario([child('a')]),
      definitions: [
        ...Array.from({ length: 8 }, (_, level) => ({ steps: [child('a', {}, level + 1)] })),
        { steps: [tool('a')] },
      ],
    },
    run: FAILED,
    steps: { a: FAILED },
  },
  {
    rule: 'child runs nested 8 deep are enough',
    scenario: {
      ...scenario([child('a')]),
      definitions: [
        ...Array.from({ length: 7 }, (_, level) => ({ steps: [child('a', {}, level + 1)] })),
        { steps: [tool('a')] },
      ],
    },
    run: COMPLETED,
    steps: { a: COMPLETED },
  },
];
