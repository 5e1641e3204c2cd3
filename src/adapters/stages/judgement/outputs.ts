import { concerns, intents } from '../../../domain/message/message.ts';
import type { OutputGroup } from '../../../lib/learning/train.ts';

/** What the model recognizes in a sentence or a text beside the intent. */
export const partSignals = [
  ...concerns,
  /** Any concern at all. */
  'concern',
  /** Asks for a person. */
  'human',
  /** Says that an earlier answer, promise or repair did not help. */
  'unresolved',
] as const;

/** What the model recognizes in a text as a whole. */
export const wholeSignals = [
  /** Is unhappy and tells a story, or is sarcastic. */
  'upset',
  /** Is nothing that a customer wants of the company. */
  'off_topic',
  'thanks',
  'greeting',
  'spam',
  /** A person has to see the message, for whatever reason. */
  'person',
  /** Is written to a bank, an insurer, an airline, a public office or the like rather than to a shop. */
  'other_branch',
  /** Was sent by a machine: an absence notice, a receipt, a report about a mail. */
  'automatic',
] as const;

/** One of {@link partSignals} or {@link wholeSignals}. */
export type Signal = (typeof partSignals)[number] | (typeof wholeSignals)[number];

/** All signals in the order of the model's outputs; the intents follow. */
export const signals: readonly Signal[] = [...partSignals, ...wholeSignals];

/** The groups of the model's outputs. */
export const outputGroups: readonly OutputGroup[] = [
  { kind: 'part', size: partSignals.length },
  { kind: 'whole', size: wholeSignals.length },
  { kind: 'choice', size: intents.length },
];

/** The number of outputs. */
export const OUTPUTS = signals.length + intents.length;
