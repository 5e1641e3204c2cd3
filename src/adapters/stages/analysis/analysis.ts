import type { Concern } from '../../../domain/message/message.ts';
import type { PreparedText } from '../../../domain/message/prepared.ts';
import type { IntentClassifier, RankedIntent } from '../../../domain/playbook/intent-classifier.ts';
import type { TextVector } from '../../../domain/playbook/text-vector.ts';
import { type ReadText, withoutDigits } from '../../../lib/learning/text-reader.ts';
import { fold } from '../../../lib/text/fold.ts';
import { readText } from '../../shared/reading/read-text.ts';
import type { Judge, Judgement } from './judgement.ts';
import type { FoundPhrases } from './phrases.ts';

/** Everything that is read from a text, once. */
export interface MessageAnalysis extends Judgement {
  /** The phrases of the text that stand above every model: those of a concern, and a wish for a person. */
  readonly phrases: FoundPhrases;
  /** The words that unmistakably ask for a person; undefined where there are none. */
  readonly wantsPerson: string | undefined;
  /** The likeliest intents of the playbook, the likeliest first. */
  readonly intents: readonly RankedIntent[];
  /** The words of the customer that say most for a concern: a phrase, or single words. */
  evidenceOf(concern: Concern): readonly string[];
}

/** What reads messages by one playbook. */
export interface AnalyzerParts {
  readonly judge: Judge;
  /** Finds phrases in a text; the languages are those whose unmistakable phrases count. */
  readonly findPhrases: (text: ReadText, languages: readonly string[]) => FoundPhrases;
  readonly rank: IntentClassifier['rank'];
  /** The languages of the playbook. */
  readonly languages: readonly string[];
}

/** The most intents that are looked at: the others are not likely. */
const INTENTS = 10;

/**
 * Analyzes a text: tokens, signals, concerns, intents. The models are read for the first text, so that they do not
 * delay the start. The vector is that of the text, for a classifier that can use it. The time grows with the length
 * of the text.
 */
export function analyze(
  { text, language }: Pick<PreparedText, 'text' | 'language'>,
  { judge, findPhrases, rank, languages }: AnalyzerParts,
  vector?: TextVector,
): MessageAnalysis {
  const read = readText(text);
  const judgement = judge(read, language);
  const phrases = findPhrases(read, language === 'und' ? [...new Set([...languages, 'en'])] : [language]);
  const [best, ...others] = rank(text, INTENTS, vector);
  const intents =
    best === undefined ? [] : [{ ...best, evidence: asWritten(text, best.evidence) }, ...others];
  return {
    signals: judgement.signals,
    evidenceFor: (signal) => asWritten(text, judgement.evidenceFor(signal)),
    evidenceOf(concern) {
      const phrase = phrases.get(concern);
      return phrase === undefined ? asWritten(text, judgement.evidenceFor(concern)) : [phrase];
    },
    phrases,
    wantsPerson: phrases.get('human'),
    intents,
  };
}

/** Words as the customer wrote them, from their folded forms. */
function asWritten(text: string, folded: readonly string[] = []): readonly string[] {
  if (folded.length === 0) return folded;
  const wanted = new Map<string, string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}\p{M}'’]+/gu)) {
    const key = withoutDigits(fold(word).replaceAll("'", ''));
    if (!wanted.has(key)) wanted.set(key, word);
  }
  return folded.map((word) => wanted.get(word) ?? word);
}
