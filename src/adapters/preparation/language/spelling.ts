import { functionWords, greetings, type WordLanguage } from './function-words.ts';
import { ordinaryWords } from './ordinary-words.ts';

/** How the words of a language are spelled. */
interface Spelling {
  /** The logarithm of the share of each letter sequence, by its bucket. */
  readonly shares: Float32Array;
  /** The words of the language that are known, with what they add. */
  readonly known: ReadonlyMap<string, number>;
}

/** A power of two: few enough for a small table, and enough that few sequences share a bucket. */
const BUCKETS = 1 << 13;

/** The lengths of letter sequences; the start and the end of a word count as letters. */
const MIN_LETTERS = 2;
const MAX_LETTERS = 4;

/** Of longer words only the start is read. */
const MAX_WORD = 24;

/** What a known word adds, and a frequent one. */
const KNOWN = 3;
const FREQUENT = 4.5;

/** Added to the count of each sequence, so that none is impossible. */
const UNSEEN = 0.6;

const spellings = new Map<WordLanguage, Spelling>();

/**
 * How much words look like each of some languages: the logarithm of a probability, to compare with one another. The
 * words are in lower case. The time is linear in their length.
 */
export function likenessTo(languages: readonly WordLanguage[], words: readonly string[]): readonly number[] {
  const compared = languages.map(spellingOf);
  const likeness = languages.map(() => 0);
  for (const word of words) {
    const buckets = bucketsOf(word);
    for (const [index, { shares, known }] of compared.entries()) {
      let sum = 0;
      for (const bucket of buckets) sum += shares[bucket] ?? 0;
      // A letter is in a sequence of each length, so that it would count several times.
      const spelled = sum / (MAX_LETTERS - MIN_LETTERS + 1);
      likeness[index] = (likeness[index] ?? 0) + spelled + (known.get(word) ?? 0);
    }
  }
  return likeness;
}

/** True for a word that is in the lists of a language. */
export function isKnownIn(language: WordLanguage, word: string): boolean {
  return spellingOf(language).known.has(word);
}

/** The spelling of a language, made from its words when it is first asked for. */
function spellingOf(language: WordLanguage): Spelling {
  let spelling = spellings.get(language);
  if (spelling === undefined) {
    spelling = makeSpelling(language);
    spellings.set(language, spelling);
  }
  return spelling;
}

function makeSpelling(language: WordLanguage): Spelling {
  const known = new Map<string, number>();
  for (const word of ordinaryWords[language]?.split(' ') ?? []) known.set(word, KNOWN);
  for (const list of [functionWords[language], greetings[language] ?? '']) {
    for (const word of list.split(' ')) known.set(word, FREQUENT);
  }
  const shares = new Float32Array(BUCKETS).fill(UNSEEN);
  let total = UNSEEN * BUCKETS;
  for (const word of known.keys()) {
    for (const bucket of bucketsOf(word)) {
      shares[bucket] = (shares[bucket] ?? 0) + 1;
      total++;
    }
  }
  return { shares: shares.map((count) => Math.log(count / total)), known };
}

/** The buckets of the letter sequences of a word. */
function bucketsOf(word: string): readonly number[] {
  const buckets: number[] = [];
  const padded = `^${word.slice(0, MAX_WORD)}$`;
  for (let length = MIN_LETTERS; length <= MAX_LETTERS; length++) {
    for (let at = 0; at + length <= padded.length; at++) buckets.push(bucketOf(padded, at, at + length));
  }
  return buckets;
}

function bucketOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash, 0x01000193) ^ text.charCodeAt(at);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & (BUCKETS - 1);
}
