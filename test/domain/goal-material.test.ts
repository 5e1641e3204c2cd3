import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBuiltInAgents } from '../../src/application/agents/built-in.ts';
import { decomposeGoal } from '../../src/domain/routing/decomposition.ts';
import { materialOf } from '../../src/domain/routing/material.ts';
import { runsOf } from '../support/extent.ts';
import { noErasure } from '../support/fakes.ts';

const agents = createBuiltInAgents({
  processMessage: () => Promise.reject(new Error('not asked')),
  ...noErasure,
});

interface Decomposed {
  readonly subtasks: readonly (readonly [agent: string, text: unknown])[];
  readonly unassigned: readonly string[];
}

function decomposed(goal: string, maxSubtasks = 100): Decomposed {
  const { subtasks, unassigned } = decomposeGoal(goal, agents, maxSubtasks);
  return { subtasks: subtasks.map(({ agentName, payload }) => [agentName, payload['text']]), unassigned };
}

function chosen(goal: string): readonly string[] {
  return decomposed(goal).subtasks.map(([name]) => name);
}

const [orders, echoes] = ['My order is late. Please refund it!', 'Then echo it; repeat it.'];

describe('the material of a goal', () => {
  test.each([
    `Summarise: ${orders} ${echoes}`,
    `Summarise:\n${orders}\n\n${echoes}`,
    `Please summarize this for me: ${orders}\n- echo`,
    `Could you summarise the following text:\n\n${orders}`,
    `Summarize the following text\n${orders}\n${echoes}`,
    `Summarise the text below.\n\n${orders}`,
    `Summarise this email\n\nDear team,\n${orders}`,
    `Summarise “${orders} ${echoes}”`,
    `Summarise "${orders} ${echoes}" please.`,
    `Summarise „${orders}“, «${echoes}» and '${orders}'`,
    `Summarise \`\`\`\n${orders}\n${echoes}\n\`\`\``,
    `Summarise this.\n> ${orders}\n> ${echoes}`,
    `Summarise this. "${orders}"`,
    `"${orders}" Summarise that.`,
    `Summarise: "${orders}" he wrote. ${echoes}`,
    `总结 summarise：${orders}`,
  ])('chooses no agent, and belongs to its instruction: %j', (goal) => {
    expect(decomposed(goal)).toEqual({ subtasks: [['summary', goal]], unassigned: [] });
  });

  test('in quotation marks ends with them', () => {
    const goal = `Summarise: "${orders}" Then echo the result.`;
    expect(decomposed(goal).subtasks).toEqual([
      ['summary', `Summarise: "${orders}"`],
      ['echo', 'echo the result.'],
    ]);
  });

  test('goes with an instruction that no agent takes', () => {
    const goal = `Translate this: ${orders} ${echoes}`;
    expect(decomposed(goal)).toEqual({ subtasks: [], unassigned: [goal] });
  });

  test.each<[string, ...string[]]>([
    ['Do the following: echo this; summarise that', 'echo', 'summary'],
    ['Help with these tasks: echo this. Summarise that.', 'echo', 'summary'],
    ['Order number: A-1234. Please summarise it.', 'support_pipeline', 'summary'],
    ['At 10:30 echo this. Then summarise https://example.com/a', 'echo', 'summary'],
    ["Summarise the customer's note, and then echo Ann's", 'summary', 'support_pipeline', 'echo'],
    ['Summarise the 5" and 7" boxes; then echo it', 'summary', 'echo'],
    ['Note: echo this', 'echo'],
    ['Dear team: echo this', 'echo'],
  ])('is not what only looks like it: %j', (goal, ...names) => {
    expect(chosen(goal)).toEqual(names);
  });

  test('never chooses an agent, whatever it says', () => {
    const word = fc.constantFrom(
      'echo',
      'refund',
      'order',
      'repeat',
      'then',
      'please',
      'not',
      '.',
      ';',
      ':',
      '\n',
      '>',
      '?',
    );
    const text = fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(' '));
    const goal = fc.oneof(
      text.map((material) => `Summarise: x ${material}`),
      text.map((material) => `Summarise the following text\n${material} x`),
      fc
        .tuple(fc.constantFrom(['"', '"'], ['“', '”'], ['„', '“'], ['« ', ' »'], ['```', '```']), text)
        .map(([[open, close], material]) => `Summarise ${open}x ${material} x${close} now`),
    );
    fc.assert(
      fc.property(goal, (one) => {
        const { subtasks } = decomposeGoal(one, agents, 100);
        expect(subtasks.map(({ agentName, matched }) => [agentName, matched])).toEqual([
          ['summary', ['Summarise']],
        ]);
        expect(subtasks[0]?.payload['text']).toBe(one.trim());
      }),
      { numRuns: runsOf(150, 500) },
    );
  });
});

describe('a negated instruction', () => {
  test.each([
    'Do not echo',
    "Don't echo this.",
    'Don’t summarise it',
    'Please do not repeat that!',
    'Never echo anything.',
    'You must not summarise it',
    'No summary, please.',
    'No need to summarise.',
    'Do not answer the customer',
    'Do not echo, repeat or summarise it',
    "Don't echo and summarise it",
    "I don't want a summary.",
  ])('is given to no agent: %j', (goal) => {
    expect(decomposed(goal)).toEqual({ subtasks: [], unassigned: [goal] });
  });

  test.each<[string, ...string[]]>([
    ['Summarise it, but do not echo it', 'summary'],
    ['Do not echo it, summarise it', 'summary'],
    ['Do not echo it and summarise the rest', 'summary'],
    ['Summarise this without echoing', 'summary'],
    ['Summarise the message without answering the customer', 'summary'],
    ['Echo it instead of summarising it', 'echo'],
    ['Echo this. Do not summarise it.', 'echo'],
    ['Do not echo. Summarise it.', 'summary'],
  ])('leaves the others: %j goes to %s', (goal, ...names) => {
    expect(chosen(goal)).toEqual(names);
  });

  test.each<[string, ...string[]]>([
    ['I have not received my order', 'support_pipeline'],
    ['I never got my refund', 'support_pipeline'],
    ['Never received my order', 'support_pipeline'],
    ['I cannot log in', 'support_pipeline'],
    ["Why don't you echo this?", 'echo'],
    ['Do not only echo it', 'echo'],
    ["Don't forget to summarise it", 'summary'],
  ])('is not a negation that reports or asks: %j goes to %s', (goal, ...names) => {
    expect(chosen(goal)).toEqual(names);
  });
});

describe('a clause that no agent takes', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['Echo this. Paint the fence.', ['Echo this.'], ['Paint the fence.']],
    ['Echo this. Do not summarise it. Echo that.', ['Echo this.', 'Echo that.'], ['Do not summarise it.']],
    ['Paint the fence. Echo this.', ['Echo this.'], ['Paint the fence.']],
    ['Echo this and then book a flight to Rome', ['Echo this'], ['book a flight to Rome']],
    [
      'Echo this; please translate it into French; echo that',
      ['Echo this', 'echo that'],
      ['please translate it into French'],
    ],
    ['Echo this. What is the weather like?', ['Echo this.'], ['What is the weather like?']],
    ['Echo this. Could you call Bob?', ['Echo this.'], ['Could you call Bob?']],
    ['Echo this. I need a taxi.', ['Echo this.'], ['I need a taxi.']],
    ['Paint the fence. It is white.', [], ['Paint the fence.', 'It is white.']],
    ['Make me a sandwich', [], ['Make me a sandwich']],
    ['qwertz', [], ['qwertz']],
  ])('is unassigned: of %j', (goal, texts, unassigned) => {
    const found = decomposed(goal);
    expect(found.subtasks.map(([, text]) => text)).toEqual(texts);
    expect(found.unassigned).toEqual(unassigned);
  });

  test.each([
    'Where is my order A-1234? It was placed on Monday. I need it by Friday.',
    'Where is my order A-1234? Is it on its way? Thanks!',
    'Summarise the report; keep it short. Be polite.',
    'I am Ann. Hello there. Echo this.',
    'Echo this. Book prices are high.',
    'Echo this. Merci beaucoup.',
  ])('is not one that only says more about another: %j', (goal) => {
    expect(decomposed(goal)).toMatchObject({ subtasks: [[expect.any(String), goal]], unassigned: [] });
  });

  test('is one whose agent is beyond the maximum, too', () => {
    expect(decomposed('Echo 1; refund 2; echo 3; summarise 4', 2)).toEqual({
      subtasks: [
        ['echo', 'Echo 1\necho 3'],
        ['support_pipeline', 'refund 2'],
      ],
      unassigned: ['summarise 4'],
    });
  });

  test('is either in a subtask or unassigned, with every word', () => {
    const kinds = fc.constantFrom(
      ...[
        'echo',
        'summarise',
        'refund',
        'do not echo',
        'paint the',
        'it is',
        'nothing',
        'say "echo',
        'echo:',
        'keep it',
      ],
      ...['what is', 'summarise the following', 'translate:', 'without echoing'],
    );
    const joint = fc.constantFrom('; ', '. ', '\n', ' then ', ' and then ', ', then ', '? ', '" ');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(kinds, joint), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        (parts, most) => {
          const goal = parts.map(([kind, after], index) => `${kind} n${index}${after}`).join('');
          const { subtasks, unassigned } = decomposed(goal, most);
          const all = [...subtasks.map(([, text]) => String(text)), ...unassigned].join('\n');
          parts.forEach((_, index) => {
            expect(all).toMatch(new RegExp(`\\bn${index}\\b`));
          });
          for (const text of unassigned) {
            expect(goal).toContain(text);
            expect(subtasks.map(([, taken]) => taken)).not.toContain(text);
          }
        },
      ),
      { numRuns: runsOf(150, 500) },
    );
  });
});

describe('the words by which an agent was chosen', () => {
  test.each<[string, readonly (readonly string[])[]]>([
    ['ECHO this', [['ECHO']]],
    ['Give me the Key  Points', [['Key  Points']]],
    ['Refund the customer; refunded orders; Refund', [['Refund', 'customer', 'refunded', 'orders']]],
    ['Echo the order', [['Echo'], ['order']]],
    ['Echo: order', [['Echo']]],
    ['Do not echo the order but refund it; echo that', [['refund'], ['echo']]],
  ])('of %j are %j', (goal, expected) => {
    expect(decomposeGoal(goal, agents, 100).subtasks.map(({ matched }) => matched)).toEqual(expected);
  });
});

describe('what the summary agent works on', () => {
  const keywords = agents.find(({ name }) => name === 'summary')?.keywords ?? [];

  test.each([
    ['Summarise: It rained. We won.', 'It rained. We won.'],
    ['Please summarise the following text:\n\nIt rained.\nWe won.', 'It rained.\nWe won.'],
    ['Summarise "It rained." and “We won.”', 'It rained.\nWe won.'],
    ['Summarise this. "It rained."', '"It rained."'],
    ['Summarise the match. It rained. We won.', 'It rained. We won.'],
    ['It rained. We won. Summarise that.', 'It rained. We won.'],
    ['Hello there. Summarise this: It rained.', 'It rained.'],
    ['Summarise the match; keep it short.', ''],
    ['Give me a summary of the match', ''],
  ])('in the subtask %j is %j', (text, expected) => {
    expect(materialOf(text, keywords, true)).toBe(expected);
  });

  test.each([
    ['Summarise: It rained. We won.', 'It rained. We won.'],
    ['In summary, it rained: we lost.', 'In summary, it rained: we lost.'],
    [
      'Please summarise the policy by Friday. It rained.',
      'Please summarise the policy by Friday. It rained.',
    ],
  ])('in the text %j of another sender is %j', (text, expected) => {
    expect(materialOf(text, keywords, false)).toBe(expected);
  });
});

test.each([
  ...[
    'summarise: ',
    'please: ',
    'a: "b" ',
    '"a "b" ',
    "don't ",
    'do not echo, or ',
    'echo following\n',
    'paint: "x" y ',
  ],
  ...['> a\n', '``` ', '“„', ':', 'x: ', 'without echo ', 'summarise this email\n\n'],
])('a goal of 100 kB of %j is decomposed', (unit) => {
  const goal = `x ${unit.repeat(Math.ceil(100_000 / unit.length))}`;
  expect(decomposeGoal(goal, agents, 100).subtasks.length).toBeLessThanOrEqual(100);
});
