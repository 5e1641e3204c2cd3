import { hashText } from '../../../lib/learning/features.ts';
import { codeAt, isUnspacedCode } from '../../../lib/text/characters.ts';
import { stem } from '../../../lib/text/stemmer.ts';
import { eachWord } from '../../../lib/text/words.ts';
import { commonWords } from './common-words.ts';
import { fold } from './fold.ts';
import { negations } from './negations.ts';

/** A word as the classifier compares it. */
export interface ReadWord {
  readonly stem: string;
  /** The hash of its stem. */
  readonly hash: number;
  /** The hashes of its letter sequences, each once; at least one. */
  readonly letters: readonly number[];
  /** How much it says about what the text wants, from 0 to 1. */
  readonly importance: number;
  /** True for `not` and words like it. */
  readonly isNegation: boolean;
}

/** A text as the classifier compares it. */
export interface ReadText<Word extends ReadWord = ReadWord> {
  /** Its stems in order: equal for texts that differ in case, punctuation, accents and digits. Empty without words. */
  readonly key: string;
  /** Its different words. */
  readonly words: readonly Word[];
  /** Each two words side by side. */
  readonly pairs: readonly (readonly [Word, Word])[];
  readonly isNegated: boolean;
}

/** The rest of a longer text is not read: no wish needs more. */
export const MAX_LENGTH = 8_000;
const MAX_WORDS = 600;

/** Longer words are cut: they are no words. */
const MAX_WORD = 24;

/** The lengths of letter sequences. */
const MIN_LETTERS = 3;
const MAX_LETTERS = 4;

const NUMBER_IMPORTANCE = 0.3;

const importances = commonWords();
const negationWords = negations();

/**
 * Reads a text; `lookUp` gives its words and may cache them. The time is linear in its length, at most
 * {@link MAX_LENGTH} UTF-16 units.
 */
export function readText<Word extends ReadWord>(
  text: string,
  lookUp: (word: string) => Word,
): ReadText<Word> {
  const words = foldedWords(fold(text.slice(0, MAX_LENGTH))).map(lookUp);
  const different = new Map(words.map((word) => [word.stem, word]));
  const pairs: [Word, Word][] = [];
  let before: Word | undefined;
  for (const word of words) {
    if (before !== undefined) pairs.push([before, word]);
    before = word;
  }
  return {
    key: words.map((word) => word.stem).join(' '),
    words: [...different.values()],
    pairs,
    isNegated: words.some((word) => word.isNegation),
  };
}

/** The hash of two words side by side. */
export function pairHash([first, second]: readonly [ReadWord, ReadWord]): number {
  return (Math.imul(first.hash, 0x9e3779b1) ^ second.hash) >>> 0;
}

/** Reads a folded word, or two letters of a script without blanks. */
export function readWord(word: string): ReadWord {
  const isNumber = /^[0-9]/.test(word);
  // Numbers differ from message to message: only their length counts.
  const stemmed = isNumber ? '0'.repeat(Math.min(word.length, 6)) : stem(word);
  return {
    stem: stemmed,
    hash: hashText(stemmed),
    letters: [...lettersOf(stemmed)],
    importance: isNumber ? NUMBER_IMPORTANCE : (importances.get(stemmed) ?? 1),
    isNegation: negationWords.has(stemmed),
  };
}

/** The words of a folded text in order. In scripts without blanks each two letters side by side are a word. */
function foldedWords(text: string): readonly string[] {
  const words: string[] = [];
  let before: { readonly letter: string; readonly end: number } | undefined;
  eachWord(text, 0, text.length, (start, end) => {
    if (words.length >= MAX_WORDS) return;
    const word = text.slice(start, Math.min(end, start + MAX_WORD));
    if (!isUnspacedCode(codeAt(text, start))) {
      words.push(word);
      before = undefined;
      return;
    }
    // A letter that stands alone is a word, and gives way to the first pair.
    if (before?.end !== start) words.push(word);
    else if (words.at(-1) === before.letter) words[words.length - 1] = before.letter + word;
    else words.push(before.letter + word);
    before = { letter: word, end };
  });
  return words;
}

function lettersOf(word: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (isUnspacedCode(codeAt(word, 0))) {
    for (const letter of word) found.add(hashText(letter, 0x1234567));
    return found;
  }
  const padded = `^${word}$`;
  for (let length = MIN_LETTERS; length <= MAX_LETTERS; length++) {
    for (let at = 0; at + length <= padded.length; at++) {
      found.add(hashText(padded.slice(at, at + length), 0x1234567 + length));
    }
  }
  return found;
}
