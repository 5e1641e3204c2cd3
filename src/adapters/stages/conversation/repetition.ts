import { isAnsweredFromArticles, type PlaybookIntent } from '../../../domain/playbook/playbook.ts';
import { plainWords } from '../../../lib/text/words.ts';
import type { Entities } from '../entities/entities.ts';
import { openTurns, type Turn } from './turns.ts';

/** A wish that is compared with those that were answered before. */
export interface ComparedWish {
  readonly text: string;
  readonly intent: PlaybookIntent;
  readonly entities: Entities;
  /** The texts that would answer it; empty where there are none. */
  readonly answers: readonly string[];
}

/** The words of longer texts are compared at their beginning only, in characters. */
const MAX_COMPARED = 2_000;

/** The share of words in common from which on two texts ask the same. */
const SAME_TEXT = 0.6;

/** Words that say that the customer means another thing than before. */
const another =
  /\b(?:other|another|second|different|andere[nrs]?|zweiten?|weitere[nrs]?|autres?|otr[oa]s?|altr[oae]|tweede|ander|inn[aey]|innego|drugie|outr[oa]s?)\b/iu;

/** The intents that may come up again without anything being wrong. */
const neverRepeated: ReadonlySet<string> = new Set(['feedback', 'human_agent', 'spam']);

/**
 * True for a wish that came up before in the conversation, about the same things, whether it was answered, or the
 * service asked for something and got nothing new: another order number is another wish. Articles answer many questions
 * of one intent, so that there the same text or the same answer counts.
 */
export function isRepeated(
  wish: ComparedWish,
  turns: readonly Turn[],
  entitiesIn: (text: string, isAsked: boolean) => Entities,
): boolean {
  const { intent, text } = wish;
  if (neverRepeated.has(intent.name) || another.test(text)) return false;
  return turns.some((turn, at) => {
    if (turn.outcome === 'other' || turn.intent !== intent.name) return false;
    const open = openTurns(turns.slice(0, at), turn.intent);
    const before = [...open, turn].map((one, index) => entitiesIn(one.text, index > 0));
    if (!areWithin(wish.entities, Object.assign({}, ...before))) return false;
    return !isAnsweredFromArticles(intent) || isSameQuestion(wish, turn);
  });
}

function areWithin(entities: Entities, known: Entities): boolean {
  return Object.entries(entities).every(
    ([name, value]) => known[name]?.toLowerCase() === value.toLowerCase(),
  );
}

function isSameQuestion({ text, answers }: ComparedWish, { text: before, reply }: Turn): boolean {
  if (answers.length > 0 && answers.every((answer) => reply.includes(answer))) return true;
  const wordsOf = (said: string) => new Set(plainWords(said.slice(0, MAX_COMPARED)));
  const [one, other] = [wordsOf(text), wordsOf(before)];
  const common = [...one].filter((word) => other.has(word)).length;
  return common / (one.size + other.size - common) >= SAME_TEXT;
}
