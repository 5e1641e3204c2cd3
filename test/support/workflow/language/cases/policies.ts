import { UNIT } from '../scenario.ts';
import {
  agent,
  approval,
  busy,
  byCancel,
  CANCELLED,
  type Case,
  COMPLETED,
  child,
  done,
  FAILED,
  failedBefore,
  fails,
  hangs,
  on,
  scenario,
  tool,
  wait,
} from './builders.ts';

/** Attempts, time-outs and items. */
export const policyCases: readonly Case[] = [
  {
    rule: 'a tool has three attempts, a write one, an agent one',
    scenario: scenario([
      tool('a', {}, [busy(2)]),
      tool('b', { onError: 'continue' }, [busy(1)], 'send'),
      agent('c', { onError: 'continue' }, [busy(1)]),
      tool('d', { onError: 'continue' }, [busy(3)]),
    ]),
    run: COMPLETED,
    steps: {
      a: COMPLETED,
      b: [FAILED, '0/b is busy'],
      c: [FAILED, '0/c is busy'],
      d: [FAILED, '0/d is busy'],
    },
  },
  {
    rule: 'a policy replaces the attempts of a tool, but a write is not repeated',
    scenario: scenario([
      tool('a', { retry: { maxAttempts: 4 } }, [busy(3)]),
      tool('b', { retry: { maxAttempts: 2 }, onError: 'continue' }, [busy(2)]),
      tool('c', { retry: { maxAttempts: 4 }, onError: 'continue' }, [busy(1)], 'send'),
    ]),
    run: COMPLETED,
    steps: { a: COMPLETED, b: FAILED, c: FAILED },
  },
  {
    rule: 'a policy gives attempts to an agent that does not declare itself a write',
    scenario: scenario([
      agent('a', { retry: { maxAttempts: 3 } }, [busy(2)]),
      agent('b', { retry: { maxAttempts: 3 }, onError: 'continue' }, [busy(2)], 'writer'),
    ]),
    run: COMPLETED,
    steps: { a: COMPLETED, b: FAILED },
  },
  {
    rule: 'a step that takes too long fails',
    scenario: scenario([
      tool('a', { timeoutMs: 5_000, onError: 'continue' }, [hangs]),
      agent('b', { timeoutMs: UNIT, onError: { output: {} } }, [hangs]),
    ]),
    run: COMPLETED,
    steps: { a: [FAILED, 'timed out after 5000 ms'], b: [COMPLETED, {}] },
  },
  {
    rule: 'a list of items makes a list of results',
    scenario: scenario([
      tool('a', { foreach: { items: [{ n: 1 }, 2] } }, [
        { ...done, output: { x: 1 } },
        { ...done, output: { x: 2 } },
      ]),
    ]),
    run: COMPLETED,
    steps: { a: [COMPLETED, { results: [{ x: 1 }, { x: 2 }], errors: {}, count: 2, failed: 0 }] },
  },
  {
    rule: 'an empty list completes at once',
    scenario: scenario([tool('a', { foreach: { items: [] } }), child('b', { foreach: { items: [] } }, null)]),
    run: COMPLETED,
    steps: {
      a: [COMPLETED, { results: [], errors: {}, count: 0, failed: 0 }],
      b: [COMPLETED, { results: [], errors: {}, count: 0, failed: 0 }],
    },
  },
  {
    rule: 'the items may be computed; what is no list fails the step',
    scenario: scenario([
      tool('a'),
      tool('b', { ...on('a'), foreach: { items: { op: 'step', id: 'a', path: ['list'] } } }, [
        { ...done, output: {} },
      ]),
      tool('c', {
        ...on('a'),
        onError: 'continue',
        foreach: { items: { op: 'step', id: 'a', path: ['n'] } },
      }),
    ]),
    run: COMPLETED,
    steps: {
      a: COMPLETED,
      b: [COMPLETED, { results: [{}, {}, {}], errors: {}, count: 3, failed: 0 }],
      c: FAILED,
    },
  },
  {
    rule: 'after a failed item no further one starts',
    scenario: scenario([tool('a', { foreach: { items: [1, 2, 3], concurrency: 1 } }, [done, fails, done])]),
    run: FAILED,
    error: 'step "a" failed: item 1 failed: 0/a is not possible',
    steps: { a: [FAILED, 'item 1 failed: 0/a is not possible'] },
  },
  {
    rule: 'items may fail alone',
    scenario: scenario([
      tool('a', { foreach: { items: [1, 2], onItemError: 'continue' } }, [{ ...done, output: {} }, fails]),
    ]),
    run: COMPLETED,
    steps: {
      a: [COMPLETED, { results: [{}, null], errors: { 1: '0/a is not possible' }, count: 2, failed: 1 }],
    },
  },
  {
    rule: 'a step that takes too long fails with all its items',
    scenario: scenario([
      tool('a', { foreach: { items: [1, 2], onItemError: 'continue' }, timeoutMs: UNIT }, [done, hangs]),
    ]),
    run: FAILED,
    error: `step "a" failed: timed out after ${UNIT} ms`,
    steps: { a: FAILED },
  },
  {
    rule: 'a run that takes too long fails; what it was to do is skipped, but always runs',
    scenario: scenario(
      [
        tool('a'),
        tool('b', {}, [hangs]),
        tool('c', on('a')),
        tool('d', { ...on('b'), runIf: 'always' }),
        wait('e', 1, { ...on('b'), runIf: 'always' }),
      ],
      { timeoutMs: UNIT },
    ),
    run: FAILED,
    error: `the workflow timed out after ${UNIT} ms`,
    steps: { a: COMPLETED, b: FAILED, c: failedBefore, d: COMPLETED, e: FAILED },
  },
  {
    rule: 'steps begin as far as there is room for them',
    scenario: scenario([tool('a', {}, [hangs]), tool('b'), tool('c', {}, [hangs]), tool('d')], {
      maxConcurrentSteps: 2,
      cancelAfter: UNIT,
    }),
    run: CANCELLED,
    steps: { a: CANCELLED, b: COMPLETED, c: CANCELLED, d: byCancel },
  },
  {
    rule: 'a cancel ends what is under way and what waits, and nothing else starts',
    scenario: scenario(
      [
        tool('a'),
        tool('b', {}, [hangs]),
        wait('c', 9 * UNIT),
        child('d'),
        tool('e', { ...on('b'), runIf: 'always' }),
        approval('f', null),
      ],
      { cancelAfter: UNIT },
      [wait('a', 9 * UNIT), tool('b', on('a'))],
    ),
    run: CANCELLED,
    steps: { a: COMPLETED, b: CANCELLED, c: CANCELLED, d: CANCELLED, e: byCancel, f: CANCELLED },
  },
];
