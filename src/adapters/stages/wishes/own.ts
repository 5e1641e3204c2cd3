import type { IntentClassifier, RankedIntent } from '../../../domain/playbook/intent-classifier.ts';
import type { FindWishes } from './wishes.ts';

/** The confidence that an answer needs where neither the playbook nor the classifier states one. */
const LEAST_CONFIDENCE = 0.6;

/** The least confidence in a part of a message for it to have a wish of its own. */
const SECOND_WISH = 0.7;

/** The least confidence in an intent that every playbook has. */
const STANDING_CONFIDENCE = 0.5;

/** Shorter parts say too little about a wish of their own. */
const LEAST_WORDS = 3;

/** Maximum length of the start of a text that is divided, in characters. */
const MAX_LENGTH = 2_000;

/** Maximum number of parts that are read on their own. */
const MAX_PARTS = 8;

/** Creates the search for wishes by the classifier of a company's own playbook. */
export function findOwnWishes(classifier: IntentClassifier): FindWishes {
  return (text) => {
    const ranked = classifier.rank(text);
    const wanted = ranked.filter(({ intent }) => intent !== 'spam');
    const first = wanted.find(isLikely) ?? wanted[0];
    if (first === undefined) throw new Error('there are no intents');
    const wishes = wishesOfParts(text, first, classifier);
    const [main = first] = wishes;
    // An answer to several wishes is right only if all are.
    const confidence = Math.min(...wishes.map((wish) => wish.confidence));
    return {
      intent: main.intent,
      confidence,
      wishes: wishes.map(({ intent }) => intent),
      bothConfidence: confidence,
      leastConfidence: (intent, byModel = false) =>
        (byModel ? undefined : classifier.thresholds.get(intent)) ?? LEAST_CONFIDENCE,
      ranked,
    };
  };
}

/** Every playbook has these intents, so that one of them is chosen only for what is said, not for want of another. */
const standing: ReadonlySet<string> = new Set(['human_agent', 'feedback']);

function isLikely({ intent, confidence }: RankedIntent): boolean {
  return confidence >= STANDING_CONFIDENCE || !standing.has(intent);
}

/** The wishes of the parts where at least two of them are sure and differ, else the one of the text as a whole. */
function wishesOfParts(
  text: string,
  whole: RankedIntent,
  classifier: IntentClassifier,
): readonly RankedIntent[] {
  const parts = partsOf(text);
  if (parts.length < 2) return [whole];
  const sure = new Map<string, RankedIntent>();
  for (const part of parts) {
    const [first] = classifier.rank(part);
    if (first === undefined || first.confidence < SECOND_WISH || first.intent === 'spam') continue;
    const known = sure.get(first.intent);
    if (known === undefined || known.confidence < first.confidence) sure.set(first.intent, first);
  }
  return sure.size > 1 ? [...sure.values()] : [whole];
}

/**
 * What divides a text into parts that may each have a wish: the ends of sentences and lines, and the word for `and`.
 */
const borders = /[.!?;\n]+|\s(?:and|und|et|en|oraz)\s/iu;

/** The first parts of a text that are long enough to say something. */
function partsOf(text: string): readonly string[] {
  return text
    .slice(0, MAX_LENGTH)
    .split(borders)
    .filter((part) => part.trim().split(/\s+/).length >= LEAST_WORDS)
    .slice(0, MAX_PARTS);
}
