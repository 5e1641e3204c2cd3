import { concerns } from '../../domain/message/message.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { itemAt } from '../../lib/array.ts';
import { analyzeText, type MessageAnalysis } from './analysis.ts';

/** How readily a message is taken for one that a person has to see. Scores: 0 is as likely as not. */
export interface Sensitivity {
  /** The score from which on a text raises a concern. */
  readonly concern: number;
  /** The score from which on a concern is sure enough for a reply of its own. */
  readonly sure: number;
  /** The score from which on a person has to see a text for another reason. */
  readonly person: number;
}

/** For messages to a shop. The scores were chosen on texts that the model was not trained on (docs/judgement.md). */
export const shopSensitivity: Sensitivity = { concern: -1.4, sure: -0.8, person: 0.2 };

/** The least readiness: from here on a concern, or the need for a person, is more likely than not. */
const LEAST: Sensitivity = { concern: 0, sure: 0.6, person: 1.5 };

/** This share of the examples must not be taken for messages that a person has to see. */
const ORDINARY_SHARE = 0.9;

/** Maximum number of examples that are read, the first of each intent before the second of any. */
const MAX_EXAMPLES = 120;

/** Words that are frequent in English and no words of the other languages of replies. */
const englishWord =
  /\b(?:the|my|is|are|how|what|where|when|why|can|you|your|please|with|not|it|this|have)\b/i;

/** How much the likelihood that a person is needed adds to that of a concern. */
const PERSON_SHARE = 0.5;

/** The score of any concern in a text. */
export function concernScore({ signals }: MessageAnalysis): number {
  const strongest = Math.max(...concerns.map((concern) => signals[concern]));
  return Math.max(signals.concern + PERSON_SHARE * signals.person, strongest);
}

/**
 * The sensitivity for a company's own playbook. The built-in model was trained on messages to a shop, and the ordinary
 * words of another trade unsettle it: so the limits rise, within bounds, until most examples of the playbook stay below.
 */
export function sensitivityFor({ intents, company }: Playbook): Sensitivity {
  const ordinary = [...intents.values()].filter(({ handover }) => !handover);
  const longest = Math.max(0, ...ordinary.map(({ examples }) => examples.length));
  const texts: string[] = [];
  // The model reads English; the examples of a playbook with other languages may be in any of them.
  const isRead = (text: string): boolean => company.languages.length === 1 || englishWord.test(text);
  for (let at = 0; at < longest && texts.length < MAX_EXAMPLES; at++) {
    texts.push(...ordinary.flatMap(({ examples }) => examples.slice(at, at + 1)).filter(isRead));
  }
  const analyses = texts.slice(0, MAX_EXAMPLES).map(analyzeText);
  if (analyses.length === 0) return shopSensitivity;
  const concern = between(shopSensitivity.concern, quantile(analyses.map(concernScore)), LEAST.concern);
  const person = quantile(analyses.map(({ signals }) => signals.person));
  return {
    concern,
    sure: between(shopSensitivity.sure, concern + shopSensitivity.sure - shopSensitivity.concern, LEAST.sure),
    person: between(shopSensitivity.person, person, LEAST.person),
  };
}

function quantile(scores: readonly number[]): number {
  const sorted = scores.toSorted((a, b) => a - b);
  return itemAt(sorted, Math.ceil(ORDINARY_SHARE * sorted.length) - 1);
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
