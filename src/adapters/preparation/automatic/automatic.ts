import type { AutomaticKind } from '../../../domain/message/prepared.ts';
import { isBounceSubject } from './bounce-subjects.ts';
import { bounceMentions, bounces } from './bounces.ts';
import { type Cue, ENOUGH, weigh } from './cue.ts';
import { englishCustomer, englishReceipts, englishReplies } from './english.ts';
import { fold } from './folded.ts';
import { foreignCustomer, ownParcel } from './foreign-customer.ts';
import { openGates } from './gate.ts';
import { generalReceipts, generalReplies } from './general.ts';
import { generalBounces } from './general-bounces.ts';
import { otherReplies } from './other-languages.ts';
import { romanceReplies } from './romance.ts';

/** What is looked at to see that a machine wrote a message. */
export interface Incoming {
  readonly subject: string;
  /** The newest text. */
  readonly text: string;
  readonly language: string;
}

/** However many cues a text has, what only customers say outweighs them. */
const MOST = 5;

/** Machines say what they are at the beginning. */
const MAX_CHARACTERS = 1200;

/** A subject that belongs to an older mail says nothing new. */
const answered = /^\s{0,9}(?:re|aw|sv|vs|antw|fwd?|wg|tr|rv|r|odp|ynt|res)\s?:/i;

const said = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Whether a machine wrote a message, or nobody anything. */
export function automaticKind({ subject, text, language }: Incoming): false | AutomaticKind {
  if (!said.test(text) && (!said.test(subject) || answered.test(subject))) return 'empty';
  const start = text.slice(0, MAX_CHARACTERS);
  const bySubject = subject === '' ? undefined : isBounceSubject(subject, start);
  if (bySubject === true) return 'bounce';
  const folded = fold(subject === '' ? start : `${subject}\n${start}`);
  const gates = language === 'en' ? openGates(folded) : open;
  if (bySubject === undefined && gates.failure && isSaidByMachine(folded, failures, mentionsOf(language)))
    return 'bounce';
  if (!gates.reply) return false;
  return replyCues(language).some(({ cues, customer }) => isSaidByMachine(folded, cues, customer))
    ? 'auto_reply'
    : false;
}

/** In other languages there is no cheap test. */
const open = { reply: true, failure: true };

/** True when a text has enough cues, beside those that only a customer gives. */
function isSaidByMachine(text: string, cues: readonly Cue[], customer: readonly Cue[]): boolean {
  const found = weigh(text, cues, MOST);
  return found >= ENOUGH && found >= ENOUGH + weigh(text, customer, MOST);
}

/** In other languages, customers who write about their own parcel are told by that. */
const foreignMentions = [...bounceMentions, ...ownParcel];

function mentionsOf(language: string): readonly Cue[] {
  return language === 'en' ? bounceMentions : foreignMentions;
}

const failures = [...bounces, ...generalBounces];

/** The cues of one group of languages, with what customers say in them. */
interface ReplyCues {
  readonly cues: readonly Cue[];
  readonly customer: readonly Cue[];
}

const english: ReplyCues = {
  cues: [...englishReplies, ...englishReceipts, ...generalReplies, ...generalReceipts],
  customer: englishCustomer,
};
const foreign = new Map<string, ReplyCues>(
  Object.entries<readonly Cue[]>({ ...romanceReplies, ...otherReplies }).map(([language, cues]) => [
    language,
    { cues, customer: foreignCustomer },
  ]),
);
const englishOnly = [english];
const all = [english, ...foreign.values()];

/** A text in another or an unclear language can be one in any. */
function replyCues(language: string): readonly ReplyCues[] {
  if (language === 'en') return englishOnly;
  const nordic = ['sv', 'da', 'no', 'fi'].includes(language) ? foreign.get('nordic') : undefined;
  const own = nordic ?? foreign.get(language);
  return own === undefined ? all : [own, english];
}
