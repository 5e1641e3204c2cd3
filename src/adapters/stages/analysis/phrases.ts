import { type Concern, concerns } from '../../../domain/message/message.ts';
import { hashText } from '../../../lib/learning/hashing.ts';
import { type ReadText, withoutDigits } from '../../../lib/learning/text-reader.ts';
import { stem } from '../../../lib/text/stemmer.ts';
import { tokenize } from '../../../lib/text/tokenize.ts';
import {
  createWordMatcher,
  indexByFirstWord,
  parseWordPattern,
  type WordPattern,
} from '../../../lib/text/word-patterns.ts';
import { hasModelFile, readLexicon } from '../../shared/reading/model-files.ts';

/** A phrase that raises a concern, as the hashes of its words. */
interface Phrase {
  readonly hashes: readonly number[];
  readonly concern: Concern;
  readonly text: string;
}

/** The phrases by the hash of their first word. */
type Index = ReadonlyMap<number, readonly Phrase[]>;

/** Wishes for a person by their first word, and what takes them back right before them. */
interface PersonWishes {
  readonly wishes: ReadonlyMap<string, readonly WordPattern[]>;
  readonly negations: readonly WordPattern[];
}

/** The phrases of one language. */
interface Shipped {
  readonly concerns: Index;
  readonly human: PersonWishes;
}

/** The first phrase of each concern that a text has, and of a wish for a person. */
export type FoundPhrases = ReadonlyMap<Concern | 'human', string>;

/** The most words of what takes a wish for a person back. */
const MAX_NEGATION = 4;

/** The levels of breaks at the ends of clauses and sentences. */
const [CLAUSE, SENTENCE] = [2, 3];

const shipped = new Map<string, Shipped>();

/** The unmistakable phrases of a language: see `models/phrases`. Empty for a language that has none. */
function shippedPhrases(language: string): Shipped {
  let known = shipped.get(language);
  if (known === undefined) {
    const file = `phrases/${language}.txt`;
    const lexicon = hasModelFile(file) ? readLexicon(file) : new Map<string, string[]>();
    const patternsOf = (name: string) => (lexicon.get(name) ?? []).map((text) => parseWordPattern(text));
    known = {
      concerns: indexPhrases(
        concerns.flatMap((concern) => (lexicon.get(concern) ?? []).map((text) => ({ concern, text }))),
      ),
      human: { wishes: indexByFirstWord(patternsOf('human')), negations: patternsOf('not_human') },
    };
    shipped.set(language, known);
  }
  return known;
}

function indexPhrases(phrases: readonly { readonly concern: Concern; readonly text: string }[]): Index {
  const index = new Map<number, Phrase[]>();
  for (const { concern, text } of phrases) {
    const hashes = tokenize(text).map((token) => hashText(stem(withoutDigits(token))));
    const [first] = hashes;
    if (first === undefined) continue;
    const list = index.get(first);
    if (list === undefined) index.set(first, [{ hashes, concern, text }]);
    else list.push({ hashes, concern, text });
  }
  return index;
}

/**
 * Creates the search for phrases that stand above every model, in whatever text they stand: the unmistakable ones of
 * some languages, for concerns and for a person, and those that a playbook states for its concerns. Words of concerns
 * are compared by their stem, those of a wish for a person as they are; a negation right before such a wish in the
 * same clause takes it back. The time is linear in the length of the text.
 */
export function createPhraseFinder(
  stated: readonly { readonly concern: Concern; readonly text: string }[],
): (text: ReadText, languages: readonly string[]) => FoundPhrases {
  const own = indexPhrases(stated);
  return (text, languages) => {
    const found = new Map<Concern | 'human', string>();
    if (own.size > 0) findConcerns(text, own, found);
    for (const language of languages) {
      const phrases = shippedPhrases(language);
      if (phrases.concerns.size > 0) findConcerns(text, phrases.concerns, found);
      if (!found.has('human')) findWishForPerson(text, phrases.human, found);
    }
    return found;
  };
}

function findConcerns({ words }: ReadText, index: Index, found: Map<Concern | 'human', string>): void {
  for (let at = 0; at < words.length; at++) {
    const phrases = index.get(words[at]?.hash ?? 0);
    if (phrases === undefined) continue;
    for (const { hashes, concern, text } of phrases) {
      if (found.has(concern)) continue;
      if (hashes.every((hash, offset) => words[at + offset]?.hash === hash)) found.set(concern, text);
    }
  }
}

function findWishForPerson(
  text: ReadText,
  { wishes, negations }: PersonWishes,
  found: Map<Concern | 'human', string>,
): void {
  const { words, breaks } = text;
  const startsClause = (at: number) => at === 0 || Number(breaks[at]) > 0;
  const match = createWordMatcher({
    length: words.length,
    wordAt: (at) => words[at]?.token,
    startsClause,
    endsClause: (at) => at >= words.length || startsClause(at),
    isOutside: (at) => breaks[at] === SENTENCE,
    isBarrier: () => false,
  });
  for (let at = 0; at < words.length; at++) {
    for (const wish of wishes.get(words[at]?.token ?? '') ?? []) {
      const end = match(wish, at);
      if (end < 0 || isTakenBack(at)) continue;
      found.set(
        'human',
        words
          .slice(at, end)
          .map(({ token }) => token)
          .join(' '),
      );
      return;
    }
  }

  function isTakenBack(at: number): boolean {
    for (let start = at - 1; start >= Math.max(0, at - MAX_NEGATION); start--) {
      if (Number(breaks[start + 1]) >= CLAUSE) return false;
      if (negations.some((negation) => match(negation, start, at) === at)) return true;
    }
    return false;
  }
}
