import { intents as builtInIntents } from '../../domain/message/message.ts';
import type { RankedIntent } from '../../domain/playbook/intent-classifier.ts';

/** Ranks the built-in intents by the built-in rules, the likeliest first; empty where the rules find nothing. */
export type RankByRules = (text: string) => readonly RankedIntent[];

/** From this confidence on, the intent that the rules rank first is one that they are sure of. */
const SURE = 0.6;

/** From this confidence on, a further intent is one that the rules also see. */
const ALSO = 0.1;

/** What the rules found in a text, as names of features. */
export function ruleFeatures([first, ...others]: readonly RankedIntent[]): readonly string[] {
  if (first === undefined) return [];
  return [
    `first:${first.intent}`,
    ...(first.confidence > SURE ? [`sure:${first.intent}`] : []),
    ...others.filter(({ confidence }) => confidence > ALSO).map(({ intent }) => `also:${intent}`),
  ];
}

/** True where the built-in rules know all intents, so that what they find says something. */
export function areBuiltIn(intents: readonly string[]): boolean {
  const known = new Set<string>(builtInIntents);
  return intents.every((intent) => known.has(intent));
}
