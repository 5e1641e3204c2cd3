import { UNIT } from '../scenario.ts';
import {
  approval,
  type Case,
  COMPLETED,
  child,
  done,
  fails,
  hangs,
  on,
  rejected,
  scenario,
  tool,
  wait,
} from './builders.ts';

/** Retries of runs that have not completed: everything that runs again succeeds. */
export const retryCases: readonly Case[] = [
  {
    rule: 'a retry keeps what has completed, and runs what has failed, was skipped or cancelled',
    scenario: scenario(
      [tool('a'), tool('b', { onError: 'continue' }, [fails]), tool('c', on('b')), tool('d', {}, [hangs])],
      { isRetried: true, cancelAfter: UNIT },
    ),
    run: COMPLETED,
    steps: { a: COMPLETED, b: COMPLETED, c: COMPLETED, d: COMPLETED },
  },
  {
    rule: 'a retry keeps the output of a step that has failed with an output for this case',
    scenario: scenario([tool('a', { onError: { output: { n: 7 } } }, [fails]), tool('b', on('a'), [fails])], {
      isRetried: true,
    }),
    run: COMPLETED,
    steps: { a: [COMPLETED, { n: 7 }], b: COMPLETED },
  },
  {
    rule: 'a retry runs the items again that have failed or were not started, and no others',
    scenario: scenario(
      [tool('a', { foreach: { items: [1, 2, 3], concurrency: 1 } }, [{ ...done, output: {} }, fails])],
      {
        isRetried: true,
      },
    ),
    run: COMPLETED,
    steps: { a: [COMPLETED, { results: [{}, done.output, {}], errors: {}, count: 3, failed: 0 }] },
  },
  {
    rule: 'a retry of the parent retries the same child',
    scenario: scenario(
      [child('a'), child('b', { foreach: { items: [1, 2], concurrency: 1 } })],
      { isRetried: true },
      [tool('x'), tool('y', {}, [fails])],
    ),
    run: COMPLETED,
    steps: { a: COMPLETED, b: COMPLETED },
  },
  {
    rule: 'a retry asks the person again who has rejected',
    scenario: scenario([approval('a', rejected(UNIT)), tool('b', on('a'))], { isRetried: true }),
    run: COMPLETED,
    steps: { a: COMPLETED, b: COMPLETED },
  },
  {
    rule: 'a retry has the time of the run anew',
    scenario: scenario([wait('a', 2 * UNIT), tool('b', {}, [hangs]), wait('c', 2 * UNIT, on('b'))], {
      timeoutMs: 3 * UNIT,
      isRetried: true,
    }),
    run: COMPLETED,
    steps: { a: COMPLETED, b: COMPLETED, c: COMPLETED },
  },
];
