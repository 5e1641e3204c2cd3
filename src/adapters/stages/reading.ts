import { type CustomerMessage, intents } from '../../domain/message/message.ts';
import { tokenize } from '../../lib/text/tokenize.ts';
import { hearCues, type Spoken } from './rules/classify.ts';
import { type Concern, concernCues, concernLexicon, concerns } from './rules/concern-cues.ts';
import { type Cue, createCueIndex } from './rules/cue-index.ts';
import { cues } from './rules/cues.ts';
import { actions } from './rules/lexicon/actions.ts';
import { inquiries } from './rules/lexicon/inquiries.ts';
import { manners } from './rules/lexicon/manners.ts';
import { things } from './rules/lexicon/things.ts';
import { turns } from './rules/lexicon/turns.ts';
import { ordinaryWords } from './rules/ordinary-words.ts';
import { createReader, MAX_CORRECTIONS, type Sense } from './rules/reader.ts';
import { createVocabulary } from './rules/vocabulary.ts';

/** What a customer can turn down; other things stay what the message is about (`I don't want this newsletter`). */
const refusable = new Set([
  'refund',
  'giveBack',
  'swap',
  'cancel',
  'person',
  'helpdesk',
  'complaint',
  'feedback',
  'buy',
  'change',
]);

/** A word as both readers take it, so that a text is split and looked up once. */
interface Word {
  readonly wish: Sense;
  readonly concern: Sense;
}

const nothing: ReadonlySet<string> = new Set();

/** Compiles the rules. That takes 20 ms and more in a fresh process, so it waits for the first text, not a start for it. */
function compileRules() {
  const wishReader = createReader({
    lexicon: { ...things, ...inquiries, ...actions, ...manners, ...turns },
    silent: new Set(Object.keys(turns)),
    ordinaryWords,
    things: new Set(Object.keys(things)),
    commands: new Set(Object.keys(actions)),
    refusable,
  });
  const concernReader = createReader({
    lexicon: concernLexicon,
    silent: new Set(['harm', 'body', 'money', 'notMine', 'dataDeed', 'myData']),
    ordinaryWords,
    things: nothing,
    commands: nothing,
    refusable: nothing,
  });
  return {
    wishReader,
    concernReader,
    findWishCues: createCueIndex(wishReader.concepts, intents, cues),
    findConcernCues: createCueIndex(concernReader.concepts, concerns, concernCues),
    lookUp: createVocabulary<Word>((word, thorough) => ({
      wish: wishReader.senseOf(word, thorough),
      concern: concernReader.senseOf(word, thorough),
    })),
  };
}

type Rules = ReturnType<typeof compileRules>;

let rules: Rules | undefined;

/** The words of a text; misspelt ones are looked into as long as either reader would put them right. */
function wordsOf(text: string, lookUp: Rules['lookUp']): readonly Word[] {
  let wishes = MAX_CORRECTIONS;
  let concerns = MAX_CORRECTIONS;
  return tokenize(text).map((item) => {
    const word = lookUp(item, wishes > 0 || concerns > 0);
    if (word.wish.misspelt) wishes--;
    if (word.concern.misspelt) concerns--;
    return word;
  });
}

/** What the rules hear in a message. */
export interface Reading {
  /** The clauses that speak for an intent. */
  readonly wishes: readonly Spoken[];
  /** The cues for concerns, clause by clause. */
  readonly concerns: readonly Cue<Concern>[];
}

/** Reads a text. Time grows with its length. */
export function readText(text: string): Reading {
  rules ??= compileRules();
  const { wishReader, concernReader, findWishCues, findConcernCues, lookUp } = rules;
  const words = wordsOf(text, lookUp);
  const wishes = hearCues(wishReader.read(words.map((word) => word.wish)), findWishCues);
  const concerns: Cue<Concern>[] = [];
  for (const clause of concernReader.read(words.map((word) => word.concern))) {
    for (const cue of findConcernCues(clause.concepts)) concerns.push(cue);
  }
  return { wishes, concerns };
}

/** The message read last: all stages ask for the same one, mostly without another message between them. */
let last: { readonly message: CustomerMessage; readonly reading: Reading } | undefined;

/** Reads a message; once, where nothing else is read between its stages. */
export function readMessage(message: CustomerMessage): Reading {
  if (last?.message !== message) last = { message, reading: readText(message.message) };
  return last.reading;
}
