import type { IntentClassifier, RankedIntent } from '../../domain/playbook/intent-classifier.ts';
import type { MessageAnalysis } from './analysis/analysis.ts';
import { limits } from './analysis/limits.ts';

/** What a customer wants, by the intents of a playbook. */
export interface Wishes {
  readonly intent: string;
  /** The probability that the intent is the right one. */
  readonly confidence: number;
  /** All wishes of the message, at least one; the intent is the first. */
  readonly wishes: readonly string[];
  /** All intents, the likeliest first. */
  readonly ranked: readonly RankedIntent[];
}

/** The least confidence in a part of a message for it to have a wish of its own. */
const SECOND_WISH = 0.7;

/** Shorter parts say too little about a wish of their own. */
const LEAST_WORDS = 3;

/** Maximum length of the start of a text that is divided, in characters, and maximum number of parts. */
const MAX_LENGTH = 2_000;
const MAX_PARTS = 8;

/**
 * Finds the wishes of a text that was analyzed. `known` are the intents of the playbook: the share of others is that of
 * none of them.
 */
export function findWishes(
  text: string,
  { intents, signals }: Pick<MessageAnalysis, 'intents' | 'signals'>,
  rank: IntentClassifier['rank'],
  known: ReadonlySet<string>,
): Wishes {
  const ranked = withStanding(intents, signals, known);
  const [first] = ranked.filter(({ intent }) => intent !== 'spam');
  if (first === undefined) throw new Error('there are no intents');
  const wishes = wishesOfParts(text, first, rank, known);
  const [main = first] = wishes;
  return {
    intent: main.intent,
    // An answer to several wishes is right only if all are.
    confidence: Math.min(...wishes.map((wish) => wish.confidence)),
    wishes: wishes.map(({ intent }) => intent),
    ranked,
  };
}

/** Adds the intents that every playbook has and that the signals find, where the classifier does not know them. */
function withStanding(
  intents: readonly RankedIntent[],
  signals: MessageAnalysis['signals'],
  known: ReadonlySet<string>,
): readonly RankedIntent[] {
  const own = intents.filter(({ intent }) => known.has(intent));
  const has = (name: string): boolean => own.some(({ intent }) => intent === name);
  const standing: RankedIntent[] = [];
  if (!has('human_agent') && signals.human > limits.human) {
    standing.push({ intent: 'human_agent', confidence: signals.human });
  }
  if (!has('feedback') && signals.feedback > limits.feedback) {
    standing.push({ intent: 'feedback', confidence: signals.feedback });
  }
  if (standing.length === 0 && own.length > 0) return own;
  const rest = [...standing, ...own, { intent: 'feedback', confidence: 0 }];
  return rest.toSorted((one, other) => other.confidence - one.confidence);
}

/** The wishes of the parts where at least two of them are sure and differ, else the one of the text as a whole. */
function wishesOfParts(
  text: string,
  whole: RankedIntent,
  rank: IntentClassifier['rank'],
  known: ReadonlySet<string>,
): readonly RankedIntent[] {
  const parts = partsOf(text);
  if (parts.length < 2) return [whole];
  const sure = new Map<string, RankedIntent>();
  for (const part of parts) {
    const [first] = rank(part, 1);
    if (first === undefined || first.confidence < SECOND_WISH) continue;
    if (first.intent === 'spam' || !known.has(first.intent)) continue;
    const before = sure.get(first.intent);
    if (before === undefined || before.confidence < first.confidence) sure.set(first.intent, first);
  }
  if (sure.size < 2) return [whole];
  // What the text as a whole asks for is the main wish; the others may be a story.
  const main = [...sure.values()].filter(({ intent }) => intent === whole.intent);
  return [...main, ...[...sure.values()].filter(({ intent }) => intent !== whole.intent)];
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
