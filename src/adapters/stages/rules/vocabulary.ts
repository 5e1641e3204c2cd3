import { splitWords } from '../../../domain/words.ts';

/** Words remembered at most: more than customers of one shop commonly use, and not more than about 1 MB. */
export const MAX_REMEMBERED = 4_096;

/** Words longer than this are seldom met twice. */
const LONGEST_REMEMBERED = 24;

/**
 * Splits texts into words and says what each one is by `lookUp`, which is asked once for a word and then seldom again:
 * what it said is remembered until {@link MAX_REMEMBERED} words are, and then forgotten as a whole. `lookUp` has to
 * say the same for the same word.
 */
export function createVocabulary<T>(lookUp: (word: string) => T): (text: string) => T[] {
  const remembered = new Map<string, T>();
  const entryOf = (word: string): T => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    if (!isWorthRemembering(word)) return lookUp(word);
    const own = detached(word);
    const entry = lookUp(own);
    if (remembered.size === MAX_REMEMBERED) remembered.clear();
    remembered.set(own, entry);
    return entry;
  };
  return (text) => splitWords(text).map(entryOf);
}

/** Long numbers are order numbers and the like: another one each time. */
function isWorthRemembering(word: string): boolean {
  return word.length < 4 || (word.length <= LONGEST_REMEMBERED && word.charCodeAt(0) >= 0x61);
}

/** The word by itself: the engine keeps longer slices of a text as references that hold the whole text in memory. */
function detached(word: string): string {
  return [...word].join('');
}
