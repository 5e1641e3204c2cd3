import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asksForHuman, classifyMessage, classifyText } from '../../../src/adapters/stages/classifier.ts';
import { type Intent, intents } from '../../../src/domain/message/message.ts';
import { assorted } from './assorted.ts';
import { chatter } from './chatter.ts';
import { sentences } from './sentences.ts';

/** The default confidence below which the verifier escalates. */
const THRESHOLD = 0.45;

function misclassified(rows: Iterable<readonly [Intent, string]>): string[] {
  return [...rows].flatMap(([expected, text]) => {
    const { intent } = classifyText(text);
    return intent === expected ? [] : [`${expected} classified as ${intent}: ${text}`];
  });
}

describe('the classifier', () => {
  test.each(intents)('recognizes %s in many wordings', (intent) => {
    expect(sentences[intent].length).toBeGreaterThan(10);
    expect(misclassified(sentences[intent].map((text) => [intent, text] as const))).toEqual([]);
  });

  test('finds the request among greetings, stories, anger and other topics', () => {
    expect(misclassified(chatter)).toEqual([]);
  });

  test('classifies at least 95 % of assorted messages correctly', () => {
    const wrong = misclassified(assorted);
    expect(wrong.length / assorted.length, wrong.join('\n')).toBeLessThan(0.05);
  });

  test('has calibrated confidences', () => {
    const rows = [...chatter, ...assorted];
    const bins = Array.from({ length: 10 }, () => ({ confidence: 0, right: 0 }));
    for (const [expected, text] of rows) {
      const { intent, confidence } = classifyText(text);
      const bin = bins[Math.min(9, Math.floor(confidence * 10))];
      if (bin === undefined) continue;
      bin.confidence += confidence;
      bin.right += intent === expected ? 1 : 0;
    }
    const gaps = bins.map((bin) => Math.abs(bin.confidence - bin.right));
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / rows.length).toBeLessThan(0.12);
  });

  test.each<readonly [string, Intent]>([
    ['Where is my order 12345?', 'order_status'],
    ['I want a refund for my broken blender', 'refund'],
    ['The app crashes when I log in', 'technical_issue'],
    ['I’d like to speak to a human', 'human_agent'],
    ['You won a prize, click here http://...', 'spam'],
    ['What are your opening hours?', 'general_question'],
    ['refund', 'refund'],
    ['CANCEL MY ORDER', 'cancellation'],
  ])('is confident enough to answer %j', (text, intent) => {
    const read = classifyText(text);
    expect(read.intent).toBe(intent);
    expect(read.confidence).toBeGreaterThan(THRESHOLD);
  });

  test.each([
    'asdf qwer',
    'hello',
    '???',
    '12',
    '你好',
    '😀',
    'lorem ipsum dolor sit amet',
    'mmmmmmmm',
    'help',
  ])('is not confident about %j', (text) => {
    expect(classifyText(text).confidence).toBeLessThan(THRESHOLD);
  });

  test.each<readonly [string, string]>([
    ['Where can I find my invoice?', 'whre can i fnd my invioce'],
    ['Please cancel my order', 'plase cancle my ordr'],
    ['I forgot my password', 'i forgott my pasword'],
    ['Do you offer express delivery?', 'doyou offer expres delivry'],
    ['I want my money refunded', 'I want my money refuuunded'],
    ['the website crashes', 'thewebsite crahses'],
    ['help me cancel my order', 'helpme cancelmy order'],
  ])('corrects the spelling: %j and %j', (right, wrong) => {
    expect(classifyText(wrong).intent).toBe(classifyText(right).intent);
    expect(classifyText(wrong).confidence).toBeGreaterThan(THRESHOLD);
  });

  test.each<readonly [string, string]>([
    ['Please cancel my order', 'Please cancel my damn order, you idiots'],
    [
      'When is the catalogue sale?',
      'Excuse me, dear team, would you be so kind as to tell me when the catalogue sale is?',
    ],
    [
      'I want to change the colour of the chair in my order',
      'I want to change the color of the chair in my order',
    ],
    ['I wish to enrol for an account', 'I wish to enroll for an account'],
    ['Cancelled by accident, I want my money back', 'Canceled by accident, I want my money back'],
  ])('gives %j and %j the same intent', (one, other) => {
    expect(classifyText(other).intent).toBe(classifyText(one).intent);
  });

  test.each<readonly [string, Intent]>([
    ["I don't want a refund, I just want to know where my order is", 'order_status'],
    ["I don't want to cancel my order, only to change the size", 'order_change'],
    ['I do not need a replacement, give me a refund', 'refund'],
    ['No need for a human, just tell me your opening hours', 'general_question'],
    ['Instead of a refund I would like to swap the chair for another one', 'order_change'],
    ['I am not happy at all with your staff', 'complaint'],
  ])('ignores what is refused: %j', (text, intent) => {
    expect(classifyText(text).intent).toBe(intent);
  });

  test.each<readonly [string, Intent]>([
    ['I bought a lamp and paid by card. It looks nice. Could you cancel the order please?', 'cancellation'],
    ['Because the delivery takes so long I want to cancel my order', 'cancellation'],
    ['Your app is great but I was charged twice', 'billing'],
    ['My parcel arrived, thanks. Where do I find the invoice?', 'billing'],
    ['I made an order yesterday, can I still change it?', 'order_change'],
  ])('weighs requests more than statements: %j', (text, intent) => {
    expect(classifyText(text).intent).toBe(intent);
  });

  test('returns a known intent, a confidence from 0 to 1 and two alternatives for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const { intent, confidence, alternatives } = classifyText(text);
        expect(intents).toContain(intent);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
        expect(alternatives).toHaveLength(2);
        for (const other of alternatives) {
          expect(other.intent).not.toBe(intent);
          expect(other.confidence).toBeLessThanOrEqual(confidence);
        }
      }),
    );
  });

  test('names its cues without the words of the customer', () => {
    const message = { source: 'chat', customerId: 'c-1', message: 'Where is my canaryword order 12345?' };
    const { value, source, summary, data } = classifyMessage(message);
    expect(value).toEqual({ intent: 'order_status', confidence: data['confidence'] });
    expect(source).toBe('deterministic');
    expect(summary).toContain('order_status');
    expect(data).toMatchObject({ intent: 'order_status', cues: ['where order'], alternatives: [{}, {}] });
    expect(JSON.stringify([summary, data])).not.toMatch(/canaryword|12345/);
  });
});

describe('a request for a person', () => {
  test.each([
    'Where is my order? I want to speak to a manager',
    'refund me now or put me through to an agent',
    'Stop this chatbot and let me talk to somebody',
  ])('is found beside other requests: %j', (message) => {
    expect(asksForHuman({ source: 'chat', customerId: 'c-1', message })).toBe(true);
  });

  test.each(['Where is my order?', 'I do not need to speak to a human, thanks', 'The agent was nice', ''])(
    'is not found in %j',
    (message) => {
      expect(asksForHuman({ source: 'chat', customerId: 'c-1', message })).toBe(false);
    },
  );
});
