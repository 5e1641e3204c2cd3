/** Maximum number of words in a cache: more than the customers of one shop commonly use. */
export const MAX_CACHED_WORDS = 4_096;

/** Longer words rarely occur twice. */
const MAX_CACHED_LENGTH = 24;

/** Looks up a word. Without `correctSpelling` it must be fast, and may find less. */
export type LookUpWord<T> = (word: string, correctSpelling: boolean) => T;

/**
 * Caches the results of a lookup with spelling correction, which must be the same for the same word. The cache is
 * cleared when it has {@link MAX_CACHED_WORDS} words.
 */
export function createWordCache<T>(lookUp: LookUpWord<T>): LookUpWord<T> {
  const cache = new Map<string, T>();
  return (word, correctSpelling) => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    if (!correctSpelling || !isCacheable(word)) return lookUp(word, correctSpelling);
    const key = copyOf(word);
    const result = lookUp(key, true);
    if (cache.size === MAX_CACHED_WORDS) cache.clear();
    cache.set(key, result);
    return result;
  };
}

/** Long numbers, such as order numbers, rarely occur twice. */
function isCacheable(word: string): boolean {
  return word.length < 4 || (word.length <= MAX_CACHED_LENGTH && word.charCodeAt(0) >= 0x61);
}

/** A copy of a word: V8 keeps a longer slice as a reference to the complete text, which would stay in memory. */
function copyOf(word: string): string {
  return [...word].join('');
}
