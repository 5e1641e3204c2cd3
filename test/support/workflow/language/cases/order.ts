import {
  byCondition,
  type Case,
  COMPLETED,
  done,
  FAILED,
  failedBefore,
  fails,
  no,
  nothing,
  on,
  scenario,
  step,
  tool,
  yes,
} from './builders.ts';

/** The rules of the order of steps. */
export const orderCases: readonly Case[] = [
  {
    rule: 'a step whose condition is false is skipped, which is no failure',
    scenario: scenario([tool('a', { when: no }), tool('b')]),
    run: COMPLETED,
    steps: { a: byCondition, b: COMPLETED },
  },
  {
    rule: 'a condition without a value fails the step',
    scenario: scenario([tool('a', { when: nothing }), tool('b', on('a'))]),
    run: FAILED,
    steps: { a: FAILED, b: failedBefore },
  },
  {
    rule: 'a condition that is not boolean fails the step',
    scenario: scenario([tool('a', { when: { op: 'input', path: ['n'] } })]),
    run: FAILED,
    steps: { a: FAILED },
  },
  {
    rule: 'one side of && or || decides alone where the other one has no value',
    scenario: scenario([
      tool('a', { when: { op: '||', left: { op: '<', left: nothing, right: nothing }, right: yes } }),
      tool('b', { when: { op: '&&', left: { op: '<', left: nothing, right: nothing }, right: no } }),
    ]),
    run: COMPLETED,
    steps: { a: COMPLETED, b: byCondition },
  },
  {
    rule: 'a step whose dependencies were all skipped by their conditions is skipped as they are',
    scenario: scenario([tool('a', { when: no }), tool('b', on('a')), tool('c', on('b'))]),
    run: COMPLETED,
    steps: { a: byCondition, b: byCondition, c: byCondition },
  },
  {
    rule: 'none_failed needs one completed dependency, all_completed needs all of them',
    scenario: scenario([
      tool('a', { when: no }),
      tool('b'),
      tool('c', on('a', 'b')),
      tool('d', { ...on('a', 'b'), runIf: 'all_completed' }),
    ]),
    run: COMPLETED,
    steps: { a: byCondition, b: COMPLETED, c: COMPLETED, d: byCondition },
  },
  {
    rule: 'the rest of a layer runs where one of its steps fails, later layers do not',
    scenario: scenario([tool('a', {}, [fails]), tool('b'), tool('c', on('b'))]),
    run: FAILED,
    error: 'step "a" failed: 0/a is not possible',
    steps: { a: FAILED, b: COMPLETED, c: failedBefore },
  },
  {
    rule: 'the error of the run counts the failed steps of the layer whose policy is to fail',
    scenario: scenario([
      tool('a', {}, [fails]),
      tool('b', {}, [fails]),
      tool('c', { onError: 'continue' }, [fails]),
    ]),
    run: FAILED,
    error: 'step "a" failed: 0/a is not possible (and 1 more of its layer)',
    steps: { a: FAILED, b: FAILED, c: FAILED },
  },
  {
    rule: 'always runs after the run has failed, and turns no failure into a success',
    scenario: scenario([
      tool('a', {}, [fails]),
      tool('b', { ...on('a'), runIf: 'always' }),
      tool('c', on('b')),
      tool('d', { ...on('b'), runIf: 'always' }, [fails]),
    ]),
    run: FAILED,
    error: 'step "a" failed: 0/a is not possible',
    steps: { a: FAILED, b: COMPLETED, c: failedBefore, d: FAILED },
  },
  {
    rule: 'always can have a condition',
    scenario: scenario([
      tool('a', {}, [fails]),
      tool('b', { ...on('a'), runIf: 'always', when: { op: 'hasStep', id: 'a' } }),
      tool('c', { ...on('a'), runIf: 'always', when: { op: '!', of: { op: 'hasStep', id: 'a' } } }),
    ]),
    run: FAILED,
    steps: { a: FAILED, b: byCondition, c: COMPLETED },
  },
  {
    rule: 'a step that may fail fails alone: what depends on it is skipped, and the run completes',
    scenario: scenario([
      tool('a', { onError: 'continue' }, [fails]),
      tool('b', on('a')),
      tool('c'),
      tool('d', on('b', 'c')),
    ]),
    run: COMPLETED,
    steps: { a: [FAILED, '0/a is not possible'], b: failedBefore, c: COMPLETED, d: COMPLETED },
  },
  {
    rule: 'a step that fails with an output for this case counts as completed',
    scenario: scenario([tool('a', { onError: { output: { n: 7 } } }, [fails]), tool('b', on('a'))]),
    run: COMPLETED,
    steps: { a: [COMPLETED, { n: 7 }], b: COMPLETED },
  },
  {
    rule: 'the output for this case is taken literally',
    scenario: scenario([tool('a', { onError: { output: { n: '${{ 1 + 1 }}', m: '$input.n' } } }, [fails])]),
    run: COMPLETED,
    steps: { a: [COMPLETED, { n: '${{ 1 + 1 }}', m: '$input.n' }] },
  },
  {
    rule: 'an input without a value fails the step, which follows its policy',
    scenario: scenario([
      step(
        'a',
        { kind: 'tool', name: 'look', input: { v: { as: 'expression', expr: nothing } }, does: [done] },
        {
          onError: { output: {} },
        },
      ),
    ]),
    run: COMPLETED,
    steps: { a: [COMPLETED, {}] },
  },
  {
    rule: 'the output of the run is made of what its steps have returned',
    scenario: scenario([tool('a')], {
      output: {
        sum: {
          as: 'expression',
          expr: { op: '+', left: { op: 'step', id: 'a', path: ['n'] }, right: { op: 'input', path: ['n'] } },
        },
        text: { as: 'text', before: 'n: ', expr: { op: 'step', id: 'a', path: ['list'] }, after: '!' },
      },
    }),
    run: COMPLETED,
    output: { sum: 4, text: 'n: [1,2,3]!' },
    steps: { a: COMPLETED },
  },
  {
    rule: 'a run whose output has no value fails',
    scenario: scenario([tool('a', { when: no })], {
      output: { n: { as: 'expression', expr: { op: 'step', id: 'a', path: ['n'] } } },
    }),
    run: FAILED,
    steps: { a: byCondition },
  },
];
