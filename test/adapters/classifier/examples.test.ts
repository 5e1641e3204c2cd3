import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { supportOf } from '../../../src/adapters/classifier/examples.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import { makeTickets } from '../../support/classifier/made-up-tickets.ts';
import { runsOf } from '../../support/extent.ts';
import { hostilePieces, repeated } from '../../support/hostile-texts.ts';
import { classifierOf, type ExampleIntent, playbookOf, playbooks } from './playbooks.ts';
import { checkedRank } from './rankings.ts';

type Name = keyof typeof playbooks;

/** An answer needs this confidence where nothing says otherwise. */
const ENOUGH = 0.6;

const classifiers: Readonly<Record<Name, IntentClassifier>> = {
  dentist: classifierOf(playbooks.dentist),
  library: classifierOf(playbooks.library),
  broadband: classifierOf(playbooks.broadband),
};

function firstOf({ rank }: IntentClassifier, text: string) {
  const [first] = rank(text);
  return first ?? { intent: 'none', confidence: 0 };
}

const names = ['dentist', 'library', 'broadband'] as const;
const all = names.flatMap((playbook) =>
  playbooks[playbook].flatMap(({ name, examples }) =>
    examples.map((text) => [playbook, text, name] as const),
  ),
);

describe('an example', () => {
  test.each(all)('of the %s, %j, is surely %s, whatever its case and marks', (playbook, text, name) => {
    for (const own of [text, `  ${text.toUpperCase().replace(/[?.,]/g, ' ')}!!`]) {
      const { intent, confidence } = firstOf(classifiers[playbook], own);
      expect(intent).toBe(name);
      expect(confidence).toBeGreaterThan(0.8);
    }
  });

  test('of two intents is sure of neither', () => {
    const { confidence } = firstOf(
      classifierOf([
        { name: 'one', description: '', examples: ['open the gate', 'the gate is stuck'] },
        { name: 'two', description: '', examples: ['Open the gate!', 'how high is the gate'] },
      ]),
      'open the gate',
    );
    expect(confidence).toBeLessThan(0.7);
  });

  test('is told with the words that say most for it', () => {
    const [first, second] = classifiers.library.rank('I lost my library card on Monday');
    expect(first?.evidence).toContain('card');
    expect(second?.evidence).toBeUndefined();
  });
});

describe('a close paraphrase', () => {
  test.each([
    ['dentist', 'Ich möchte gern einen Termin', 'termin'],
    ['dentist', 'Ich muss den Termin am Montag leider absagen', 'absage'],
    ['dentist', 'Meine Füllung ist rausgefallen', 'schmerzen'],
    ['dentist', 'Koennen Sie mir die Rechnungen bitte nochmal zuschicken?', 'rechnung'],
    ['library', 'could you extend the loan of my books', 'renew_loan'],
    ['library', 'How high is the fine if a book is overdue?', 'late_fee'],
    ['library', 'i have lost the card of the library', 'lost_card'],
    ['library', 'Please reserve this title for me', 'reserve_book'],
    ['broadband', 'our internet connection has been down since noon', 'outage'],
    ['broadband', 'a red light on my router', 'outage'],
    ['broadband', 'my connection is really slow', 'slow_line'],
    ['broadband', 'when will the engineer visit me', 'engineer_visit'],
  ] satisfies [Name, string, string][])('for the %s: %j is %s', (playbook, text, name) => {
    const { intent, confidence } = firstOf(classifiers[playbook], text);
    expect(intent).toBe(name);
    expect(confidence).toBeGreaterThan(ENOUGH);
  });

  test('is found among greetings and other sentences', () => {
    const text =
      'Good morning, I have been a reader for twenty years. Could you extend the loan of my books? Best regards, Ada';
    const { intent, confidence } = firstOf(classifiers.library, text);
    expect(intent).toBe('renew_loan');
    expect(confidence).toBeGreaterThan(ENOUGH);
  });
});

describe('a text that is none of the intents', () => {
  test.each([
    ['dentist', 'Wo ist mein Paket?'],
    ['dentist', 'Wie wird das Wetter am Wochenende?'],
    ['dentist', 'Where is the nearest station?'],
    ['library', 'Where can I park my car?'],
    ['library', 'The heating makes strange noises'],
    ['library', 'Thank you very much!'],
    ['broadband', 'Which trousers do you have in blue?'],
    ['broadband', 'Mein Hund hat Hunger'],
    ['broadband', 'hello'],
  ] satisfies [Name, string][])('is not sure enough for an answer of the %s: %j', (playbook, text) => {
    expect(firstOf(classifiers[playbook], text).confidence).toBeLessThan(ENOUGH);
  });

  test.each([
    ['dentist', 'Ich habe'],
    ['dentist', 'Können Sie mir'],
    ['library', 'can I'],
    ['library', 'why do I have to'],
    ['broadband', 'is there'],
    ['broadband', 'the'],
  ] satisfies [Name, string][])(
    'is not sure enough where it shares function words only, for the %s: %j',
    (playbook, text) => {
      expect(firstOf(classifiers[playbook], text).confidence).toBeLessThan(ENOUGH);
    },
  );
});

describe('a negation that the examples do not have', () => {
  test.each([
    ['dentist', 'Ich habe keine Zahnschmerzen'],
    ['library', 'I did not lose my library card'],
    ['library', "please don't extend my loan by two weeks"],
    ['library', 'never reserve a title'],
  ] satisfies [Name, string][])('leaves the classifier unsure for the %s: %j', (playbook, text) => {
    expect(firstOf(classifiers[playbook], text).confidence).toBeLessThan(ENOUGH);
  });

  test('changes nothing where the example has one too', () => {
    expect(firstOf(classifiers.broadband, 'the technician still did not show up').confidence).toBeGreaterThan(
      ENOUGH,
    );
  });
});

describe('languages', () => {
  const intents = [
    {
      name: 'repair',
      description: '',
      examples: ['自行车修好了吗', 'هل دراجتي جاهزة', 'велосипед уже готов'],
    },
    {
      name: 'hours',
      description: '',
      examples: ['你们几点开门', 'متى تفتحون', 'во сколько вы открываетесь'],
    },
  ];

  test.each([
    ['我的自行车修好了没有', 'repair'],
    ['请问你们几点开门呢', 'hours'],
    ['دراجتي جاهزة', 'repair'],
    ['متى تفتحون اليوم', 'hours'],
    ['мой велосипед готов', 'repair'],
    ['во сколько открываетесь', 'hours'],
  ])('of every script are told apart: %j is %s', (text, name) => {
    const { intent, confidence } = firstOf(classifierOf(intents), text);
    expect(intent).toBe(name);
    expect(confidence).toBeGreaterThan(0.5);
  });
});

test('of numbers only the length counts', () => {
  const intents = [
    { name: 'job', description: '', examples: ['how far is job WJ-20113', 'job WJ-10002'] },
    { name: 'hours', description: '', examples: ['when do you open', 'are you open on Monday'] },
  ];
  const { rank } = classifierOf(intents);
  expect(rank('How far is job WJ-99871?')).toEqual(rank('How far is job WJ-20113?'));
});

describe('what a playbook says of its intents beside examples', () => {
  const intents = [
    { name: 'late_fee', description: 'A fee for a late return.', examples: ['why do I have to pay'] },
    { name: 'rooms', description: 'Rooms for groups.', examples: ['can we book one'] },
  ];

  test('is their names and descriptions, and its articles', () => {
    const articles = new Map([['rooms', ['Our seminar area has twelve seats.']]]);
    expect(supportOf(playbookOf(intents, articles))).toEqual([
      { text: 'late fee. A fee for a late return.', intent: 'late_fee' },
      { text: 'rooms. Rooms for groups.', intent: 'rooms' },
      { text: 'Our seminar area has twelve seats.', intent: 'rooms' },
    ]);
  });

  test('is learned from', () => {
    const articles = new Map([['late_fee', ['An overdue novel costs ten cents.', 'Overdue notices']]]);
    const confidenceOf = ({ rank }: IntentClassifier): number =>
      rank('an overdue novel').find(({ intent }) => intent === 'late_fee')?.confidence ?? 0;
    expect(confidenceOf(classifierOf(intents, articles))).toBeGreaterThan(
      confidenceOf(classifierOf(intents)),
    );
    expect(firstOf(classifierOf(intents, articles), 'an overdue novel').intent).toBe('late_fee');
    expect(firstOf(classifierOf(intents), 'a group with a room').intent).toBe('rooms');
  });
});

describe('the thresholds of examples', () => {
  test('are there for each intent, and let no wrong answer through where examples are few', () => {
    for (const name of names) {
      const { thresholds, rank } = classifiers[name];
      expect([...thresholds.keys()]).toEqual(playbooks[name].map((intent) => intent.name));
      for (const [, text, right] of all.filter(([playbook]) => playbook !== name)) {
        const [first] = rank(text);
        if (first === undefined || first.intent === right) continue;
        expect(first.confidence, text).toBeLessThan(thresholds.get(first.intent) ?? 0);
      }
    }
  });

  test('let most messages through where examples are many and alike', () => {
    const tickets = makeTickets(25);
    const own = Map.groupBy(tickets, ({ intent }) => intent);
    const intents = [...own].map(([name, some]): ExampleIntent => {
      return { name, description: '', examples: some.map(({ message }) => message) };
    });
    const { rank, thresholds } = classifierOf(intents);
    const known = new Set(tickets.map(({ message }) => message));
    const others = makeTickets(40, 7).filter(({ message }) => !known.has(message));
    const answered = others.filter(({ message, intent }) => {
      const [first] = rank(message);
      return first?.intent === intent && first.confidence >= (thresholds.get(intent) ?? 1);
    });
    expect(answered.length / others.length).toBeGreaterThan(0.5);
  });
});

test('an intent without examples is not ranked, and one intent alone is told apart from nothing', () => {
  const silent = { name: 'hours', description: 'When the library opens.', examples: [] };
  const ranked = classifierOf([...playbooks.library, silent]).rank('open hours');
  expect(ranked.map(({ intent }) => intent)).not.toContain('hours');
  const [one] = playbooks.library;
  const alone = classifierOf(one === undefined ? [] : [one]);
  expect(alone.rank('my cat sleeps on the sofa')).toEqual([{ intent: 'renew_loan', confidence: 0 }]);
  expect(firstOf(alone, 'how may one renew books').confidence).toBeGreaterThan(ENOUGH);
  expect(alone.rank('can i renew my books')).toMatchObject([{ intent: 'renew_loan', confidence: 1 }]);
  expect(classifierOf([]).rank('hello there')).toEqual([]);
});

describe('the ranking by examples', () => {
  const words = [...all.flatMap(([, text]) => text.split(' ')), 'nicht', '.', '? ', '\n', '🦷', 'שלום', '本'];
  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((some) => some.join(' ')),
  );

  test.each(names)('holds each intent of the %s once, sorted, with a sum of at most 1', (name) => {
    const intents = playbooks[name];
    const again = classifierOf(intents);
    fc.assert(
      fc.property(anyText, (text) => {
        const ranked = checkedRank(
          classifiers[name],
          intents.map((intent) => intent.name),
          text,
        );
        expect(again.rank(text)).toEqual(ranked);
      }),
      { numRuns: runsOf(100, 300) },
    );
  });

  test('is made from any examples', () => {
    const anyIntents = fc.uniqueArray(
      fc.record({
        name: fc.string({ minLength: 1, maxLength: 10 }),
        description: anyText,
        examples: fc.array(anyText, { minLength: 1, maxLength: 3 }),
      }),
      { selector: ({ name }) => name, minLength: 2, maxLength: 4 },
    );
    fc.assert(
      fc.property(anyIntents, anyText, (intents, text) => {
        const classifier = classifierOf(intents);
        checkedRank(
          classifier,
          intents.map(({ name }) => name),
          text,
        );
      }),
      { numRuns: runsOf(8, 60) },
    );
  });

  test.each([
    ...hostilePieces.map((piece) => repeated(piece, 65_536)),
    ...['', ' \n\t ', 'אבד לי הכרטיס של הספרייה', 'card \ud83d', 'constructor __proto__ toString'],
    Array.from({ length: 9_000 }, (_, at) => `w${at}q`).join(' '),
    '图书馆'.repeat(21_845),
    `a${'\u0301'.repeat(65_535)}`,
  ])('holds for any text: %.40j', (text) => {
    const intents = playbooks.library.map(({ name }) => name);
    checkedRank(classifiers.library, intents, text);
  });

  test('does not depend on what was ranked before', () => {
    const fresh = classifierOf(playbooks.library);
    for (let at = 0; at < 30_000; at++) classifiers.library.rank(`word${at} renews`);
    for (const text of ['renew a book', 'lost the card']) {
      expect(classifiers.library.rank(text)).toEqual(fresh.rank(text));
    }
  });
});
