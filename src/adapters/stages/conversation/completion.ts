import type { Playbook } from '../../../domain/playbook/playbook.ts';
import type { Assessment } from '../assessment.ts';
import type { Entities } from '../entities/entities.ts';
import { isOnlyNaming } from './follow-ups.ts';
import { isUnsuccessful, openTurns, type Turn } from './turns.ts';

/** The earlier wish that a message completes. */
export interface Completion {
  readonly intent: string;
  /** The names of what the message names for it. */
  readonly named: readonly string[];
  /** What the message and the turns before it name, the message first. */
  readonly entities: Entities;
}

/** What is read to complete a wish. */
export interface CompletionParts {
  readonly playbook: Playbook;
  /** What a text names; `isAsked` after a question for it, when a bare number is enough. */
  entitiesIn(text: string, isAsked: boolean): Entities;
  /** What an earlier text is by itself. */
  assessText(text: string): Assessment;
  /** True for a text with a phrase that raises a concern or unmistakably asks for a person. */
  hasPhrase(text: string): boolean;
  /** The confidence from which on an intent is answered where the playbook states none. */
  leastConfidence(intent: string): number;
}

/** The confidence in the intent of an earlier turn that the rules alone read differently, such as one of a model. */
const SETTLED = 0.9;

/** The confidence from which on a message has a wish of its own. */
const OWN_WISH = 0.6;

/**
 * Completes the wish of the turns before a message, where the service asked for something or did not find it, and the
 * message names it and nothing else. Undefined where the message stands for itself: a concern, the wish for a person,
 * or a clear wish of its own. Concerns and what a person has to see are those of the message alone.
 */
export function completeWish(
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
  const earlier = wishesOf(last.intent, open, parts);
  const wishes = earlier.wishes.filter((wish) => namedFor(wish, last, entities, parts).length > 0);
  const [intent] = wishes;
  if (intent === undefined) return undefined;
  if (!isBare && wantsElse(own, earlier.wishes, parts)) return undefined;
  const named = wishes.flatMap((wish) => namedFor(wish, last, entities, parts));
  return {
    ...own,
    ...earlier,
    intent,
    wishes,
    kind: 'wish',
    alternatives: own.alternatives.filter((one) => one.intent !== intent),
    ...(isBare ? { concerns: [], sureConcerns: [] } : {}),
    // There was no answer yet that could not help.
    reasons: isBare ? [] : own.reasons.filter((reason) => reason === 'upset_customer'),
    completion: { intent, named: [...new Set(named)], entities: { ...before, ...entities } },
  };
}

/** What a message names, and what stands for it in the text. */
interface Named {
  readonly entities: Entities;
  readonly texts: readonly string[];
}

/**
 * What the answer to a question names. What was asked for is read first, and what stands for it is nothing else:
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

/** The wishes of the first of the open turns, as far as the rules read it as it was classified. */
function wishesOf(intent: string, [first]: readonly Turn[], { assessText }: CompletionParts) {
  const read = first && assessText(first.text);
  if (read === undefined || read.intent !== intent) return { wishes: [intent], confidence: SETTLED };
  return { wishes: read.wishes, confidence: read.confidence };
}

/** The names of what an intent needs, or of what was not found for it, that a message names. */
function namedFor(
  wish: string,
  { outcome, text }: Turn,
  entities: Entities,
  { playbook, entitiesIn }: CompletionParts,
): readonly string[] {
  const required = playbook.intents.get(wish)?.required.map(({ entity }) => entity) ?? [];
  const isReport = outcome === 'not_found' && required.length === 0;
  const wanted = isReport ? Object.keys(entitiesIn(text, true)).filter(isNumber) : required;
  return wanted.filter((name) => entities[name] !== undefined);
}

/** The reason of a refund is no number that was not found. */
function isNumber(name: string): boolean {
  return name !== 'refund_reason';
}

/** True for a message with a clear wish of its own, or for a person. */
function wantsElse(
  own: Assessment,
  earlier: readonly string[],
  { playbook, leastConfidence }: CompletionParts,
): boolean {
  if (own.kind === 'spam' || own.reasons.includes('human_requested')) return true;
  if (own.kind !== 'wish' || earlier.includes(own.intent)) return false;
  const least = playbook.intents.get(own.intent)?.threshold ?? leastConfidence(own.intent);
  return own.confidence >= Math.max(OWN_WISH, least);
}
