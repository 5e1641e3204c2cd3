import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Clause, markGoal, numberAgents } from '../../console/pages/routing/mark-goal.ts';

const clause = (agent_name: string, text: unknown, ...matched: string[]): Clause => ({
  agent_name,
  matched,
  payload: { text },
});

/** The pieces as text: agents after a colon, words that matched in brackets, what nobody takes with a question mark. */
const drawn = (...of: Parameters<typeof markGoal>): string[] =>
  markGoal(...of).map(
    ({ text, agents, isUnassigned, isWord }) =>
      `${isWord ? `[${text}]` : text}:${agents.join('+')}${isUnassigned ? '?' : ''}`,
  );

describe('a goal cut by who got its parts', () => {
  test('shows the agent of each clause and the words by which it was chosen', () => {
    expect(
      drawn(
        'Refund order 7, then write a poem.',
        [clause('billing', 'Refund order 7', 'refund'), clause('writer', 'write a poem', 'poem')],
        [],
      ),
    ).toEqual(['[Refund]:billing', ' order 7:billing', ', then :', 'write a :writer', '[poem]:writer', '.:']);
  });

  test('shows what nobody takes', () => {
    expect(drawn('sing and dance', [clause('a', 'sing')], ['dance'])).toEqual([
      'sing:a',
      ' and :',
      'dance:?',
    ]);
  });

  test('shows all agents of a clause, each once', () => {
    const clauses = [clause('a', 'do it'), clause('b', 'do it'), clause('a', 'do it')];
    expect(drawn('do it', clauses, [])).toEqual(['do it:a+b']);
  });

  test('is one piece where nothing is found in it, and none where it is empty', () => {
    const clauses = [
      clause('a', 'elsewhere', 'goal'),
      clause('a', ''),
      clause('a', 7),
      clause('a', undefined),
    ];
    expect(drawn('the goal', clauses, ['nowhere', ''])).toEqual(['the goal:']);
    expect(drawn('', clauses, [])).toEqual([]);
  });

  test('marks words at their places behind letters that are longer in small letters', () => {
    const clauses = [clause('a', 'İİİ refund me', 'REFUND')];
    expect(drawn('İİİ refund me', clauses, [])).toEqual(['İİİ :a', '[refund]:a', ' me:a']);
    expect(drawn('to İ', [clause('a', 'to İ', 'İ')], [])).toEqual(['to :a', '[İ]:a']);
  });

  test('takes words as they are, not as patterns', () => {
    expect(drawn('what (now)?', [clause('a', 'what (now)?', '(now)?', '.*')], [])).toEqual([
      'what :a',
      '[(now)?]:a',
    ]);
  });

  test('is the goal again when its pieces are joined, and each clause is covered by its agent', () => {
    const unit = fc.constantFrom(...'abcAB ,.İßσΣ🙂');
    const goals = fc.string({ unit, maxLength: 30 });
    const part = fc.record({ from: fc.nat({ max: 30 }), length: fc.nat({ max: 30 }), word: goals });
    fc.assert(
      fc.property(
        goals,
        fc.array(part, { maxLength: 5 }),
        fc.array(goals, { maxLength: 3 }),
        (goal, parts, left) => {
          const texts = parts.map(({ from, length }) => goal.slice(from, from + length));
          const clauses = parts.map(({ word }, at) =>
            clause(`agent ${at}`, texts[at], word, word.slice(0, 1)),
          );
          const pieces = markGoal(goal, clauses, left);
          expect(pieces.map(({ text }) => text).join('')).toBe(goal);
          expect(pieces.every(({ text }) => text !== '')).toBe(true);
          for (const [at, text] of texts.entries()) {
            const taken = pieces.filter(({ agents }) => agents.includes(`agent ${at}`));
            expect(taken.map((piece) => piece.text).join('')).toBe(text);
          }
          const free = pieces.filter(({ agents }) => agents.length === 0);
          expect(free.some(({ isWord }) => isWord)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the agents of a goal', () => {
  test('have numbers in the order of the subtasks, and tones that begin again', () => {
    const names = ['b', 'a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const agents = numberAgents(names.map((name) => clause(name, '')));
    expect([...agents].map(([name, { number }]) => `${name}${number}`)).toEqual([
      'b1',
      'a2',
      'c3',
      'd4',
      'e5',
      'f6',
      'g7',
    ]);
    expect(new Set([...agents.values()].slice(0, 6).map(({ tone }) => tone)).size).toBe(6);
    expect(agents.get('g')?.tone).toBe(agents.get('b')?.tone);
    expect(numberAgents([]).size).toBe(0);
  });
});
