import type { ConversationEntry, MessageHistory } from '../../domain/message/conversation.ts';
import {
  isAnsweredFromArticles,
  type Playbook,
  type PlaybookIntent,
} from '../../domain/playbook/playbook.ts';
import { plainWords } from '../../lib/text/words.ts';
import type { Assessment } from './assessment.ts';
import type { Entities } from './entities.ts';
import { isOnlyNaming } from './follow-ups.ts';

/** The readers that completing an intent needs. */
interface CompletionParts {
  readonly playbook: Playbook;
  /** The entities of a text; `isAsked` after a question for it, when a bare number is enough. */
  entitiesIn(text: string, isAsked: boolean): Entities;
  /** The assessment of an earlier text by itself. */
  assessText(text: string): Assessment;
  /** True for a text with a phrase that raises a concern or unmistakably asks for a person. */
  hasPhrase(text: string): boolean;
  /** The confidence from which on an intent is answered where the playbook states none. */
  leastConfidence(intent: string): number;
}

/** The confidence in the intent of an earlier turn that the rules alone read differently, such as one of a model. */
const SETTLED = 0.9;

/** The confidence from which on a message has an intent of its own. */
const OWN_INTENT = 0.6;

/**
 * Completes the intent of the turns before a message, where the service asked for something or did not find it, and the
 * message names it and nothing else. Undefined where the message stands for itself: a concern, the request for a
 * person, or a clear intent of its own. Concerns and what a person has to see are those of the message alone.
 */
export function completeIntent(
  text: string,
  own: Assessment,
  turns: readonly Turn[],
  parts: CompletionParts,
): Assessment | undefined {
  const last = turns.at(-1);
  if (last === undefined || !isUnsuccessful(last) || own.automatic !== false) return undefined;
  const open = openTurns(turns, last.intent);
  const before: Entities = Object.assign({}, ...open.map((turn, at) => parts.entitiesIn(turn.text, at > 0)));
  const { entities, texts } = readAnswer(text, last, before, parts);
  // A bare number says nothing else, whatever the model makes of it.
  const isBare = isOnlyNaming(text, texts, last.reply) && !parts.hasPhrase(text);
  if (!isBare && own.concerns.length > 0) return undefined;
  const earlier = intentsOf(last.intent, open, parts);
  const intents = earlier.intents.filter((one) => namedFor(one, last, entities, parts).length > 0);
  const [intent] = intents;
  if (intent === undefined) return undefined;
  if (!isBare && wantsElse(own, earlier.intents, parts)) return undefined;
  const named = intents.flatMap((one) => namedFor(one, last, entities, parts));
  return {
    ...own,
    ...earlier,
    intent,
    intents,
    kind: 'wish',
    alternatives: own.alternatives.filter((one) => one.intent !== intent),
    ...(isBare ? { concerns: [], sureConcerns: [] } : {}),
    // There was no answer yet that could not help.
    reasons: isBare ? [] : own.reasons.filter((reason) => reason === 'upset_customer'),
    completion: { intent, named: [...new Set(named)], entities: { ...before, ...entities } },
  };
}

/** The entities of a message, and the parts of its text that stand for them. */
interface Named {
  readonly entities: Entities;
  readonly texts: readonly string[];
}

/**
 * The entities of an answer to a question. What was asked for is read first, and what stands for it is nothing else:
 * `12345678` is the card number that was asked for, and no order number.
 */
function readAnswer(text: string, last: Turn, before: Entities, parts: CompletionParts): Named {
  const { intents, entities: stated } = parts.playbook;
  const required = last.outcome === 'asked' ? (intents.get(last.intent)?.required ?? []) : [];
  const name = required.find(({ entity }) => before[entity] === undefined)?.entity;
  const asked = stated.find((entity) => entity.name === name);
  const found = asked?.find(text);
  const rest = found === undefined ? text : text.replace(found.text, ' ');
  const others = parts.entitiesIn(rest, true);
  const entities =
    asked === undefined || found === undefined ? others : { ...others, [asked.name]: found.value };
  const texts = stated.flatMap((entity) => entity.find(text)?.text ?? []);
  return { entities, texts: [...texts, ...Object.values(others)] };
}

/** The intents of the first of the open turns, as far as the rules read it as it was classified. */
function intentsOf(intent: string, [first]: readonly Turn[], { assessText }: CompletionParts) {
  const read = first && assessText(first.text);
  if (read === undefined || read.intent !== intent) return { intents: [intent], confidence: SETTLED };
  return { intents: read.intents, confidence: read.confidence };
}

/** The names of what an intent needs, or of what was not found for it, that a message names. */
function namedFor(
  intent: string,
  { outcome, text }: Turn,
  entities: Entities,
  { playbook, entitiesIn }: CompletionParts,
): readonly string[] {
  const required = playbook.intents.get(intent)?.required.map(({ entity }) => entity) ?? [];
  const isReport = outcome === 'not_found' && required.length === 0;
  const wanted = isReport ? Object.keys(entitiesIn(text, true)).filter(isNumber) : required;
  return wanted.filter((name) => entities[name] !== undefined);
}

/** The reason of a refund is no number that was not found. */
function isNumber(name: string): boolean {
  return name !== 'refund_reason';
}

/** True for a message with a clear intent of its own, or for a person. */
function wantsElse(
  own: Assessment,
  earlier: readonly string[],
  { playbook, leastConfidence }: CompletionParts,
): boolean {
  if (own.kind === 'spam' || own.reasons.includes('human_requested')) return true;
  if (own.kind !== 'wish' || earlier.includes(own.intent)) return false;
  const least = playbook.intents.get(own.intent)?.threshold ?? leastConfidence(own.intent);
  return own.confidence >= Math.max(OWN_INTENT, least);
}

// Repetition

/** An intent that is compared with those that were answered before. */
interface ComparedIntent {
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
 * True for an intent that came up before in the conversation, about the same things, whether it was answered, or the
 * service asked for something and got nothing new: another order number is another question. Articles answer many
 * questions of one intent, so that there the same text or the same answer counts.
 */
export function isRepeated(
  compared: ComparedIntent,
  turns: readonly Turn[],
  entitiesIn: (text: string, isAsked: boolean) => Entities,
): boolean {
  const { intent, text } = compared;
  if (neverRepeated.has(intent.name) || another.test(text)) return false;
  return turns.some((turn, at) => {
    if (turn.outcome === 'other' || turn.intent !== intent.name) return false;
    const open = openTurns(turns.slice(0, at), turn.intent);
    const before = [...open, turn].map((one, index) => entitiesIn(one.text, index > 0));
    if (!areWithin(compared.entities, Object.assign({}, ...before))) return false;
    return !isAnsweredFromArticles(intent) || isSameQuestion(compared, turn);
  });
}

function areWithin(entities: Entities, known: Entities): boolean {
  return Object.entries(entities).every(
    ([name, value]) => known[name]?.toLowerCase() === value.toLowerCase(),
  );
}

function isSameQuestion({ text, answers }: ComparedIntent, { text: before, reply }: Turn): boolean {
  if (answers.length > 0 && answers.every((answer) => reply.includes(answer))) return true;
  const wordsOf = (said: string) => new Set(plainWords(said.slice(0, MAX_COMPARED)));
  const [one, other] = [wordsOf(text), wordsOf(before)];
  const common = [...one].filter((word) => other.has(word)).length;
  return common / (one.size + other.size - common) >= SAME_TEXT;
}

// Turns

/** A turn of the customer that had an intent, and its outcome. */
export interface Turn {
  readonly text: string;
  readonly intent: string;
  /**
   * `answered` with content, `asked` for something that the text does not name, `not_found`, or `other`, such as handed
   * over to a person.
   */
  readonly outcome: 'answered' | 'asked' | 'not_found' | 'other';
  /** The reply of the service; empty where nothing was sent. */
  readonly reply: string;
}

/**
 * The turns of a conversation, the oldest first. Automatic messages, spam and small talk are none. What a person wrote
 * ends all turns before it, but for a question or a report of the service that the person sent.
 */
export function turnsOf({ entries }: MessageHistory): readonly Turn[] {
  let turns: Turn[] = [];
  for (const entry of entries) {
    if (entry.from === 'person') turns = isUnsuccessful(turns.at(-1)) ? turns.slice(-1) : [];
    else if (entry.from === 'customer' && isTurn(entry)) turns.push(turnOf(entry, entries));
  }
  return turns;
}

/**
 * True where the customer got an answer in a conversation, from the service or a person. A question or a hand-over is
 * none.
 */
export function wasAnswered(history: MessageHistory | undefined): boolean {
  const { entries = [] } = history ?? {};
  return entries.some(
    (entry) => entry.from === 'person' || (entry.from === 'customer' && outcomeOf(entry) === 'answered'),
  );
}

/** True for a turn that brought the customer no answer. */
function isUnsuccessful(turn: Turn | undefined): boolean {
  return turn?.outcome === 'asked' || turn?.outcome === 'not_found';
}

/** The turns at the end that brought no answer to one intent. */
function openTurns(turns: readonly Turn[], intent: string): readonly Turn[] {
  const before = turns.findLastIndex((turn) => !isUnsuccessful(turn) || turn.intent !== intent);
  return turns.slice(before + 1);
}

/** The number of turns without an answer since the last one that had one. */
export function countUnsuccessful(turns: readonly Turn[]): number {
  const success = turns.findLastIndex(({ outcome }) => outcome === 'answered');
  return turns.slice(success + 1).filter(isUnsuccessful).length;
}

function isTurn({ disposition, reasons }: ConversationEntry): boolean {
  return disposition !== 'no_reply' && !reasons.includes('small_talk');
}

function turnOf(entry: ConversationEntry, entries: readonly ConversationEntry[]): Turn {
  const { text, intent, traceId } = entry;
  const reply = entries.find((one) => one.from === 'service' && one.traceId === traceId && traceId !== null);
  return { text, intent: intent ?? 'unknown', outcome: outcomeOf(entry), reply: reply?.text ?? '' };
}

function outcomeOf({ disposition, reasons }: ConversationEntry): Turn['outcome'] {
  if (disposition !== 'answered' && disposition !== 'draft') return 'other';
  if (reasons.includes('question_asked')) return 'asked';
  if (reasons.includes('not_found')) return 'not_found';
  return disposition === 'answered' ? 'answered' : 'other';
}
