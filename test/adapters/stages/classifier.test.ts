import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyMessage } from '../../../src/adapters/stages/rule-based.ts';
import { type Classification, type Intent, intents } from '../../../src/domain/message/message.ts';
import { parseDecision } from '../../../src/domain/message/stage-contract.ts';
import { stem } from '../../../src/lib/text/stemmer.ts';
import { tokenize } from '../../../src/lib/text/tokenize.ts';
import { assessor, messageOf, parseIntent } from './stage-inputs.ts';
import { assorted, chatter, concernWordings, sentences } from './texts.ts';

/** The default confidence below which the verifier escalates. */
const THRESHOLD = 0.45;

type Row = readonly [Intent, string];

function classify(text: string): Classification {
  return classifyMessage(messageOf(text), assessor).value;
}

function misclassified(rows: readonly Row[]): string[] {
  return rows.flatMap(([expected, text]) => {
    const { intent } = classify(text);
    return intent === expected ? [] : [`${expected} classified as ${intent}: ${text}`];
  });
}

function expectShare(rows: readonly Row[], share: number): void {
  const wrong = misclassified(rows);
  expect(1 - wrong.length / rows.length, wrong.join('\n')).toBeGreaterThanOrEqual(share);
}

const plain = intents.flatMap((intent) => sentences[intent].map((text): Row => [intent, text]));

describe('the classifier', () => {
  test.each(intents)('recognizes %s in most wordings', (intent) => {
    expect(sentences[intent].length).toBeGreaterThan(10);
    expectShare(
      sentences[intent].map((text): Row => [intent, text]),
      0.65,
    );
  });

  test.each<readonly [number, string, readonly Row[]]>([
    [95, 'plain messages', plain],
    [93, 'messages with greetings, stories, anger and other topics', chatter],
    [95, 'assorted messages', assorted],
  ])('classifies at least %d %% of %s correctly', (percent, _name, rows) => {
    expectShare(rows, percent / 100);
  });

  test('has calibrated confidences', () => {
    const rows = [...chatter, ...assorted];
    const bins = Array.from({ length: 10 }, () => ({ confidence: 0, right: 0 }));
    for (const [expected, text] of rows) {
      const { intent, confidence } = classify(text);
      const bin = bins[Math.min(9, Math.floor(confidence * 10))];
      if (bin === undefined) continue;
      bin.confidence += confidence;
      bin.right += intent === expected ? 1 : 0;
    }
    const gaps = bins.map((bin) => Math.abs(bin.confidence - bin.right));
    // These texts are easier than those of strangers, so that the confidences may be too low for them.
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / rows.length).toBeLessThan(0.2);
  });

  test.each<Row>([
    ['order_status', 'Where is my order 12345?'],
    ['refund', 'I want a refund for my broken blender'],
    ['technical_issue', 'The app crashes when I log in'],
    ['human_agent', 'I’d like to speak to a human'],
    ['spam', 'You won a prize, click here http://win.example'],
    ['general_question', 'What are your opening hours?'],
    ['refund', 'refund'],
    ['cancellation', 'CANCEL MY ORDER'],
    ['account', 'I forgot my password'],
    ['subscription', 'Unsubscribe me from your newsletter'],
  ])('is confident enough to answer %s in %j', (intent, text) => {
    const read = classify(text);
    expect(read.intent).toBe(intent);
    expect(read.confidence).toBeGreaterThan(THRESHOLD);
  });

  test.each<readonly [string, string]>([
    ['Please cancel my order', 'plase cancle my ordr'],
    ['I forgot my password', 'i forgott my pasword'],
    ['Do you offer express delivery?', 'doyou offer expres delivry'],
    ['I want my money refunded', 'I want my money refuuunded'],
    ['the website crashes', 'thewebsite crahses'],
    ['Please cancel my order', 'Please cancel my damn order, you idiots'],
    [
      'I want to change the colour of the chair in my order',
      'I want to change the color of the chair in my order',
    ],
    ['I wish to enrol for an account', 'I wish to enroll for an account'],
  ])('gives %j and %j the same intent', (one, other) => {
    expect(classify(other).intent).toBe(classify(one).intent);
  });

  test.each<Row>([
    ['order_status', "I don't want a refund, I just want to know where my order is"],
    ['order_change', "I don't want to cancel my order, only to change the size"],
    ['refund', 'I do not need a replacement, give me a refund'],
    ['general_question', 'No need for a human, just tell me your opening hours'],
  ])('finds %s where something else is refused: %j', (intent, text) => {
    expect(classify(text).intent).toBe(intent);
  });

  test.each<Row>([
    ['cancellation', 'I ordered a lamp on Monday, it looks nice. Please cancel my order.'],
    ['cancellation', 'Because the delivery takes so long I want to cancel my order'],
    ['billing', 'Your app is great but I was charged twice'],
    ['billing', 'My parcel arrived, thanks. Where do I find the invoice?'],
  ])('finds %s behind a statement: %j', (intent, text) => {
    expect(classify(text).intent).toBe(intent);
  });

  test('keeps its contract for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const decision = classifyMessage(messageOf(text), assessor);
        const { intent, confidence } = parseDecision(decision, parseIntent).value;
        expect(intents).toContain(intent);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
        expect(classifyMessage(messageOf(text), assessor)).toEqual(decision);
      }),
    );
  });

  test('names the words that decided, its wishes and the next likely intents', () => {
    const { value, source, summary, data } = classifyMessage(
      messageOf('Where is my canaryword ORDER 12345?'),
      assessor,
    );
    expect(value).toMatchObject({ intent: 'order_status', confidence: data['confidence'] });
    expect(source).toBe('deterministic');
    expect(summary).toBe(
      `The message is classified as order_status with confidence ${value.confidence.toFixed(2)}.`,
    );
    const { evidence, ...others } = data;
    expect(others).toMatchObject({
      intent: 'order_status',
      concerns: [],
      wishes: expect.arrayContaining(['order_status']),
      alternatives: [{}, {}],
    });
    expect(evidence).toEqual({ intent: expect.arrayContaining(['ORDER']) });
    expect(JSON.stringify([summary, others])).not.toMatch(/canaryword|12345/);
  });

  test.each([
    ['legal', 'You will HEAR from my lawyer', 'hear from my lawyer'],
    ['self_harm', 'Cancel it, I want to Kill Myself', 'kill myself'],
  ])('names the words that raise %s, or the phrase: %j', (concern, text, word) => {
    const { data } = classifyMessage(messageOf(text), assessor);
    const evidence = Object(data['evidence'])[concern];
    expect(evidence).toContain(word);
    expect(evidence.length).toBeLessThanOrEqual(4);
  });

  test('names words as the customer wrote them', () => {
    const text = 'MY BANK SAYS A STRANGER USED MY CARD NUMBER FOR THIS PAYMENT';
    const { data } = classifyMessage(messageOf(text), assessor);
    const words: readonly string[] = Object(data['evidence'])['fraud'];
    expect(words.length).toBeGreaterThan(0);
    for (const word of words) expect(text.split(' ')).toContain(word);
  });

  test('names no word that the customer did not write, for any concern', () => {
    for (const text of Object.values(concernWordings).flat()) {
      const { data } = classifyMessage(messageOf(text), assessor);
      for (const [name, found] of Object.entries(Object(data['evidence']))) {
        if (name !== 'intent') expect(data['concerns']).toContain(name);
        // A phrase is told as it is listed, which may be another inflection.
        const stems = new Set(tokenize(text).map(stem));
        for (const word of (found as readonly string[]).flatMap(tokenize)) {
          // Of a number only its length is known.
          if (!/^0+$/.test(word)) expect(stems).toContain(stem(word));
        }
      }
    }
  });

  test('names concerns in the classification too', () => {
    const { value, data } = classifyMessage(messageOf('You will hear from my lawyer'), assessor);
    expect(value.concerns).toContain('legal');
    expect(data['concerns']).toEqual(value.concerns);
  });
});

describe('an assessment', () => {
  const assess = (text: string) => assessor.assess(messageOf(text));

  test('has two other intents, the likelier one first', () => {
    for (const [, text] of assorted) {
      const { intent, alternatives } = assess(text);
      expect(alternatives).toHaveLength(2);
      expect(alternatives.map((other) => other.intent)).not.toContain(intent);
      const confidences = alternatives.map(({ confidence }) => confidence);
      expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
    }
  });

  test('has at least one wish, each once, and rarely more than two', () => {
    const counts = assorted.map(([, text]) => assess(text).intents.length);
    expect(counts.filter((count) => count > 2).length).toBeLessThanOrEqual(2);
    for (const [, text] of assorted) {
      const { intents, intent } = assess(text);
      expect(intents[0]).toBe(intent);
      expect(new Set(intents).size).toBe(intents.length);
    }
  });

  test.each(['ok thanks', 'Thank you so much!', 'great, thanks for your help', 'thx, that solved it'])(
    'finds thanks in %j',
    (text) => {
      expect(assess(text)).toMatchObject({ kind: 'thanks', concerns: [] });
    },
  );

  test.each(['hi', 'Hello', 'Good morning', 'hey there'])('finds a greeting in %j', (text) => {
    expect(assess(text)).toMatchObject({ kind: 'greeting', concerns: [] });
  });

  test('mostly finds a request for a person beside other wishes', () => {
    const texts = [
      'Where is my order? I want to speak to a manager',
      'refund me now or put me through to an agent',
      'Stop this chatbot and let me talk to somebody',
      'I forgot my password. Please let me talk to a person.',
      'My invoice is wrong, can I speak to a human being?',
      'Please connect me with customer service, my parcel is lost',
    ];
    const missed = texts.filter((text) => !assess(text).reasons.includes('human_requested'));
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2);
  });

  test.each(['Where is my order?', 'What does express delivery cost?', 'I forgot my password'])(
    'finds no reason for a person in %j',
    (text) => {
      expect(assess(text).reasons).toEqual([]);
    },
  );

  test('mostly finds that an answer did not help, or that a person is needed', () => {
    const texts = [
      'That did not help, it still does not work',
      'I already tried what you wrote and the problem is still there',
      "This doesn't answer my question at all",
      'You told me the same thing last week and nothing has changed',
      'I am writing for the third time now, nobody has solved this',
      'Your last answer was useless, please read what I wrote',
    ];
    const missed = texts.filter((text) => assess(text).reasons.length === 0);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2);
  });

  test('is made once for a message', () => {
    const message = messageOf('Where is my order?');
    expect(assessor.assess(message)).toBe(assessor.assess(message));
  });

  test.each(['', ' ', '?', '\n\n', '12', '你好', '😀', 'mmmmmmmm'])('is complete for %j', (text) => {
    const { confidence, intents } = assess(text);
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
    expect(intents).toHaveLength(1);
  });
});
