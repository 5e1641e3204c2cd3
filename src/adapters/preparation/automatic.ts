import type { AutomaticKind } from '../../domain/message/prepared.ts';
import { foldPlain } from '../../lib/text/tokenize.ts';
import { patternOf, readSections, type Sections } from '../shared/reading/model-files.ts';

/**
 * The kind of a message that a machine wrote, or nobody anything; false for any other. `text` is the newest text. A
 * text has cues, wordings that machines use, each with a weight; wordings of customers count against them. The lists
 * are in `models/automatic` and are read for the first message. The time is linear in the length of the text.
 */
export function automaticKind({
  subject,
  text,
  language,
}: {
  readonly subject: string;
  readonly text: string;
  readonly language: string;
}): false | AutomaticKind {
  if (!said.test(text) && (!said.test(subject) || answered.test(subject))) return 'empty';
  const start = text.slice(0, MAX_CHARACTERS);
  const bySubject = subject === '' ? undefined : isBounceSubject(subject, start);
  if (bySubject === true) return 'bounce';
  const folded = foldPlain(subject === '' ? start : `${subject}\n${start}`);
  const isEnglish = language === 'en';
  // In other languages there is no cheap test.
  const may = isEnglish ? topicsIn(folded) : { reply: true, failure: true };
  if (bySubject === undefined && may.failure) {
    const { bounces, mentions } = bounceCues();
    const customers = isEnglish ? mentions : [...mentions, ...foreignCues().ownParcel];
    if (isSaidByMachine(folded, bounces, customers)) return 'bounce';
  }
  if (!may.reply) return false;
  return replyCues(language).some(({ cues, customer }) => isSaidByMachine(folded, cues, customer))
    ? 'auto_reply'
    : false;
}

/** Machines say what they are at the beginning. */
const MAX_CHARACTERS = 1200;

/** A subject that belongs to an older mail says nothing new. */
const answered = /^\s{0,9}(?:re|aw|sv|vs|antw|fwd?|wg|tr|rv|r|odp|ynt|res)\s?:/i;

const said = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/**
 * True where the subject of a message says that a mail could not be delivered; undefined where it says nothing of the
 * kind. A beginning such as `Undeliverable:` says so unless the text reads more like a customer's than like a mail
 * server's.
 */
function isBounceSubject(subject: string, text: string): boolean | undefined {
  const { subjects, subjectStarts, bounces, mentions, parcels } = bounceCues();
  const start = foldPlain(subject).replace(/^\W+/, '').trimEnd();
  if (subjects.some((pattern) => pattern.test(start))) return true;
  if (!subjectStarts.some((pattern) => pattern.test(start))) return undefined;
  const folded = foldPlain(text);
  const against = weigh(folded, [...mentions, ...foreignCues().customer, ...parcels]);
  return against === 0 || weigh(folded, bounces) > against;
}

// Cues

/** A wording with its weight, matched on folded texts; gaps in patterns are bounded, so that time is linear. */
interface Cue {
  readonly weight: number;
  readonly pattern: RegExp;
}

/** The weight at which a message counts as automatic. */
const ENOUGH = 3;

/** However many cues a text has, more are not counted, so that what only customers say outweighs them. */
const MOST = 5;

/** True when a text has enough cues, beside those that only a customer gives. */
function isSaidByMachine(text: string, cues: readonly Cue[], customer: readonly Cue[]): boolean {
  const found = weigh(text, cues);
  return found >= ENOUGH && found >= ENOUGH + weigh(text, customer);
}

function weigh(text: string, cues: readonly Cue[]): number {
  let sum = 0;
  for (const { weight, pattern } of cues) {
    if (pattern.test(text)) sum += weight;
    if (sum >= MOST) return MOST;
  }
  return sum;
}

/** The cues of a section, of which each line has a weight and a pattern. */
function cuesOf(sections: Sections, name: string): readonly Cue[] {
  return (sections.get(name) ?? []).map((line) => {
    const blank = line.indexOf(' ');
    return {
      weight: Number(line.slice(0, blank)),
      pattern: new RegExp(patternOf(line.slice(blank + 1), sections)),
    };
  });
}

// The lists of `models/automatic`, each read once.

function once<T>(read: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

const bounceCues = once(() => {
  const sections = readSections('automatic/bounce.txt');
  const patternsOf = (name: string) =>
    (sections.get(name) ?? []).map((line) => new RegExp(patternOf(line, sections)));
  return {
    bounces: cuesOf(sections, 'bounce'),
    mentions: cuesOf(sections, 'mention'),
    parcels: cuesOf(sections, 'parcel'),
    subjects: patternsOf('subject'),
    subjectStarts: patternsOf('subject_start'),
  };
});

const foreignCues = once(() => {
  const sections = readSections('automatic/other.txt');
  return { customer: cuesOf(sections, 'customer'), ownParcel: cuesOf(sections, 'own_parcel') };
});

const englishSections = once(() => readSections('automatic/en.txt'));

/** The cues of replies in a group of languages, with what customers say in them. */
interface ReplyCues {
  readonly cues: readonly Cue[];
  readonly customer: readonly Cue[];
}

const english = once((): ReplyCues => {
  return { cues: cuesOf(englishSections(), 'reply'), customer: cuesOf(englishSections(), 'customer') };
});

/** The groups of languages with lists of replies beside English. */
const foreignGroups = ['fr', 'es', 'it', 'pt', 'de', 'nl', 'pl', 'nordic', 'tr'];
const foreign = new Map<string, ReplyCues>();

function foreignReplies(group: string): ReplyCues {
  let found = foreign.get(group);
  if (found === undefined) {
    const cues = cuesOf(readSections(`automatic/${group}.txt`), 'reply');
    found = { cues, customer: foreignCues().customer };
    foreign.set(group, found);
  }
  return found;
}

/** A text in another or an unclear language can be one in any. */
function replyCues(language: string): readonly ReplyCues[] {
  if (language === 'en') return [english()];
  const group = ['sv', 'da', 'no', 'fi'].includes(language) ? 'nordic' : language;
  return foreignGroups.includes(group)
    ? [foreignReplies(group), english()]
    : [english(), ...foreignGroups.map(foreignReplies)];
}

// A cheap test before the cues, for English texts

/** The topics of words, as bits: those of failures behind those of replies. */
interface Topics {
  readonly exact: ReadonlyMap<string, number>;
  readonly starts: ReadonlyMap<string, readonly (readonly [start: string, topic: number])[]>;
  /** The place of the first topic of failures. */
  readonly failure: number;
}

const START_LENGTH = 3;

const topics = once((): Topics => {
  const replies = englishSections().get('reply_topics') ?? [];
  const failures = englishSections().get('failure_topics') ?? [];
  const exact = new Map<string, number>();
  const starts: (readonly [start: string, topic: number])[] = [];
  for (const [index, list] of [...replies, ...failures].entries()) {
    for (const word of list.split(' ')) {
      if (word.endsWith('*')) starts.push([word.slice(0, -1), 1 << index]);
      else exact.set(word, (exact.get(word) ?? 0) | (1 << index));
    }
  }
  return {
    exact,
    starts: Map.groupBy(starts, ([start]) => start.slice(0, START_LENGTH)),
    failure: replies.length,
  };
});

/** The kinds that a folded English text may be: an automatic message has words of at least two topics. */
function topicsIn(folded: string): { readonly reply: boolean; readonly failure: boolean } {
  const known = topics();
  let found = /\b[45]\d\d[ -]|\d\.\d\.\d/.test(folded) ? 1 << known.failure : 0;
  for (const word of folded.match(/[a-z]+/g) ?? []) found |= topicsOf(word, known);
  return { reply: isEnough(found & ((1 << known.failure) - 1)), failure: isEnough(found >> known.failure) };
}

/** One topic of the strongest group, or two of the others. */
function isEnough(found: number): boolean {
  return (found & 1) !== 0 || (found & (found - 1)) !== 0;
}

function topicsOf(word: string, { exact, starts }: Topics): number {
  const candidates = word.length < START_LENGTH ? undefined : starts.get(word.slice(0, START_LENGTH));
  let found = exact.get(word) ?? 0;
  for (const [start, topic] of candidates ?? []) if (word.startsWith(start)) found |= topic;
  return found;
}
