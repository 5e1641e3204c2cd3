import { describe, expect, test } from 'vitest';
import { createExampleClassifier } from '../../../../src/adapters/classifier/examples/classifier.ts';
import type { ExampleIntent } from '../../../../src/adapters/classifier/examples/example-index.ts';
import { playbooks } from './playbooks.ts';

const { broadband, library } = playbooks;

type Name = keyof typeof playbooks;

function firstOf(intents: readonly ExampleIntent[], text: string) {
  const [first] = createExampleClassifier(intents).rank(text);
  return first ?? { intent: 'none', confidence: 0 };
}

const all = Object.values(playbooks).flatMap((intents) =>
  intents.flatMap((intent) => intent.examples.map((text) => [text, intent.name, intents] as const)),
);

describe('an example', () => {
  test.each(all)('%j is %s with at least 0.95', (text, name, intents) => {
    const { intent, confidence } = firstOf(intents, text);
    expect(intent).toBe(name);
    expect(confidence).toBeGreaterThanOrEqual(0.95);
  });

  test.each(all)('%j in other case and punctuation too', (text, name, intents) => {
    const { intent, confidence } = firstOf(intents, `  ${text.toUpperCase().replace(/[?.,]/g, ' ')}!!`);
    expect(intent).toBe(name);
    expect(confidence).toBeGreaterThanOrEqual(0.95);
  });

  test('of two intents gives each half of the confidence', () => {
    const same = [
      { name: 'one', description: '', examples: ['open the gate'] },
      { name: 'two', description: '', examples: ['Open the gate!'] },
    ];
    const confidences = createExampleClassifier(same)
      .rank('open the gate')
      .map(({ confidence }) => confidence);
    expect(confidences).toEqual([0.485, 0.485]);
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
    const { intent, confidence } = firstOf(playbooks[playbook], text);
    expect(intent).toBe(name);
    expect(confidence).toBeGreaterThan(0.6);
  });

  test('is found among greetings and other sentences', () => {
    const text =
      'Good morning, I have been a reader for twenty years. Could you extend the loan of my books? Best regards, Ada';
    const { intent, confidence } = firstOf(library, text);
    expect(intent).toBe('renew_loan');
    expect(confidence).toBeGreaterThan(0.6);
  });

  test('of two intents in one text is sure of neither', () => {
    const { confidence } = firstOf(library, 'I lost my library card. Can I renew my books?');
    expect(confidence).toBeLessThan(0.6);
  });
});

describe('a text that is none of the intents', () => {
  test.each([
    ['dentist', 'Wo ist mein Paket?'],
    ['dentist', 'Haben Sie einen Parkplatz?'],
    ['dentist', 'Wie wird das Wetter am Wochenende?'],
    ['dentist', 'Where is the nearest station?'],
    ['library', 'Where can I park my car?'],
    ['library', 'The heating makes strange noises'],
    ['library', 'Thank you very much!'],
    ['broadband', 'Which trousers do you have in blue?'],
    ['broadband', 'Mein Hund hat Hunger'],
    ['broadband', 'hello'],
  ] satisfies [Name, string][])('has a low confidence for the %s: %j', (playbook, text) => {
    expect(firstOf(playbooks[playbook], text).confidence).toBeLessThan(0.3);
  });

  test.each([
    ['dentist', 'Ich habe'],
    ['dentist', 'Können Sie mir'],
    ['library', 'can I'],
    ['library', 'why do I have to'],
    ['broadband', 'is there'],
    ['broadband', 'the'],
  ] satisfies [Name, string][])(
    'has a low confidence where it shares function words only for the %s: %j',
    (playbook, text) => {
      expect(firstOf(playbooks[playbook], text).confidence).toBeLessThan(0.5);
    },
  );
});

describe('a negation that the examples do not have', () => {
  test.each([
    ['dentist', 'Ich habe keine Zahnschmerzen'],
    ['dentist', 'Bitte stornieren Sie den Termin am Dienstag nicht'],
    ['library', 'I did not lose my library card'],
    ['library', "please don't extend my loan by two weeks"],
    ['library', 'never reserve a title'],
    ['broadband', 'my internet isn’t down'],
  ] satisfies [Name, string][])('leaves the classifier unsure for the %s: %j', (playbook, text) => {
    expect(firstOf(playbooks[playbook], text).confidence).toBeLessThanOrEqual(0.5);
  });

  test('changes nothing where the example has one too', () => {
    expect(firstOf(broadband, 'the technician still did not show up').confidence).toBeGreaterThan(0.6);
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
    const { intent, confidence } = firstOf(intents, text);
    expect(intent).toBe(name);
    expect(confidence).toBeGreaterThan(0.5);
  });
});

test('numbers differ without a difference', () => {
  const intents = [{ name: 'job', description: '', examples: ['how far is job WJ-20113'] }];
  expect(firstOf(intents, 'How far is job WJ-99871?').confidence).toBeGreaterThanOrEqual(0.95);
});

test('an intent without examples is ranked by its name and description', () => {
  const intents = [...library, { name: 'open_hours', description: 'When the library opens.', examples: [] }];
  const ranked = createExampleClassifier(intents).rank('open hours');
  expect(ranked[0]?.intent).toBe('open_hours');
});

test('no intents make an empty ranking', () => {
  expect(createExampleClassifier([]).rank('hello there')).toEqual([]);
});

test('there are no thresholds', () => {
  expect(createExampleClassifier(library).thresholds.size).toBe(0);
});
