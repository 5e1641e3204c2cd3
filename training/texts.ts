import { z } from 'zod';
import { partSignals, type Signal, wholeSignals } from '../src/adapters/stages/judgement/outputs.ts';
import { concerns, intents } from '../src/domain/message/message.ts';
import type { Example } from '../src/lib/learning/train.ts';

/** What the texts are besides a wish or a concern. */
const kinds = [
  ...[
    'plain',
    'concern',
    'two_wishes',
    'negated',
    'feedback',
    'complaint_story',
    'sarcasm',
    'spam',
    'quoted',
  ],
  ...['follow_up_unresolved', 'human_request', 'out_of_scope', 'injection', 'noise'],
  ...['thanks', 'greeting', 'smalltalk', 'auto_reply', 'bounce'],
] as const;

const textSchema = z.strictObject({
  text: z.string().min(1),
  concerns: z.array(z.enum(concerns)),
  intents: z.array(z.enum(intents)),
  kind: z.enum(kinds),
  /** Whether a person has to see it. */
  person: z.boolean(),
  /** Whether it is written to a company of another branch than a shop; absent where that was not noted. */
  other_branch: z.boolean().default(false),
});

/** A text to train on. */
export type TrainingText = z.output<typeof textSchema>;

/** Parses a line of a file of texts. Throws where it is not valid. */
export function parseText(line: string): TrainingText {
  return textSchema.parse(JSON.parse(line));
}

/** Kinds that say nothing about the intents. */
const withoutIntent: ReadonlySet<string> = new Set([
  'out_of_scope',
  'injection',
  'noise',
  'thanks',
  'greeting',
  'smalltalk',
  'auto_reply',
  'bounce',
]);

/** The outputs that are right for a text, by group. */
export function targetsOf(text: TrainingText): Example['targets'] {
  const hasIntent = text.intents.length > 0 && !withoutIntent.has(text.kind);
  return [
    partSignals.map((signal) => (hasSignal(text, signal) ? 1 : 0)),
    wholeSignals.map((signal) => (hasSignal(text, signal) ? 1 : 0)),
    hasIntent
      ? intents.map((intent) => (text.intents.includes(intent) ? 1 / text.intents.length : 0))
      : undefined,
  ];
}

function hasSignal(text: TrainingText, signal: Signal): boolean {
  const { kind } = text;
  switch (signal) {
    case 'concern':
      return text.concerns.length > 0;
    case 'human':
      return kind === 'human_request' || text.intents.includes('human_agent');
    case 'unresolved':
      return kind === 'follow_up_unresolved';
    case 'upset':
      return kind === 'complaint_story' || kind === 'sarcasm';
    case 'off_topic':
      return kind === 'out_of_scope' || kind === 'injection' || kind === 'noise';
    case 'thanks':
      return kind === 'thanks';
    case 'greeting':
      return kind === 'greeting' || kind === 'smalltalk';
    case 'spam':
      return text.intents.includes('spam');
    case 'person':
      return text.person;
    case 'automatic':
      return kind === 'auto_reply' || kind === 'bounce';
    case 'other_branch':
      return text.other_branch;
    default:
      return text.concerns.includes(signal);
  }
}

/** The kinds of texts to companies of other trades than a shop. `near_miss`: harmless, in alarming words. */
const tradeKinds = [
  'plain',
  'near_miss',
  'concern',
  'human_request',
  'unresolved',
  'complaint',
  'out_of_scope',
  'for_person',
  'thanks',
  'greeting',
  'feedback',
  'automatic',
  'spam',
] as const;

const tradeTextSchema = z
  .strictObject({
    text: z.string().trim().min(1),
    language: z.enum(['en', 'de']),
    trade: z.string().regex(/^[a-z]+(?:_[a-z]+)*$/),
    kind: z.enum(tradeKinds),
    concerns: z.array(z.enum(concerns)),
    /** Whether a person has to see it. */
    person: z.boolean(),
  })
  .refine(({ kind, concerns }) => (kind === 'concern') === concerns.length > 0, {
    error: 'a text of kind concern names its concerns, and no other text does',
  });

/** A text to a company of another trade. */
export type TradeText = z.output<typeof tradeTextSchema>;

/** Parses a line of a file of texts to companies of other trades. Throws where it is not valid. */
export function parseTradeText(line: string): TradeText {
  return tradeTextSchema.parse(JSON.parse(line));
}
