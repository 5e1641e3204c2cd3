import { concerns } from '../../../domain/message/message.ts';
import type { OutputGroup } from '../../../lib/learning/learner.ts';

/** The signals of a sentence or of a text: the best of them counts. */
export const partSignals = [
  ...concerns,
  /** Any concern at all. */
  'concern',
  /** Asks for a person. */
  'human',
  /** Says that an earlier answer, promise or repair did not help. */
  'unresolved',
] as const;

/** The signals of a text as a whole. */
export const wholeSignals = [
  /** Is unhappy and tells a story, or is sarcastic. */
  'upset',
  /** Is nothing that a customer wants of the company. */
  'off_topic',
  'thanks',
  'greeting',
  /** Praise or a suggestion, and nothing that is wanted. */
  'feedback',
  'spam',
  /** A person has to decide, for whatever reason. */
  'person',
  /** Is written to a company of another trade than a shop. */
  'other_trade',
  /** Was sent by a machine: an absence notice, a receipt, a report about a mail. */
  'automatic',
] as const;

/** One of {@link partSignals} or {@link wholeSignals}. */
export type Signal = (typeof partSignals)[number] | (typeof wholeSignals)[number];

/** All signals in the order of the model's outputs. */
export const signals: readonly Signal[] = [...partSignals, ...wholeSignals];

/** The groups of the model's outputs. */
export const signalGroups: readonly OutputGroup[] = [
  { kind: 'part', size: partSignals.length },
  { kind: 'whole', size: wholeSignals.length },
];

/** The languages that the model was calibrated for by themselves; all others count as one. */
export const calibratedLanguages = ['en', 'de', 'other'] as const;

/** One of {@link calibratedLanguages}. */
export type CalibratedLanguage = (typeof calibratedLanguages)[number];
