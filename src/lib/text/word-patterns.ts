import { stem } from './stemmer.ts';
import { tokenize } from './tokenize.ts';

/** One place of a pattern. */
type Element =
  | { readonly kind: 'word'; readonly words: ReadonlySet<string>; readonly isOptional: boolean }
  | { readonly kind: 'gap'; readonly most: number }
  | { readonly kind: 'start' | 'end' };

/** A sequence of words with alternatives: see {@link parseWordPattern}. */
export interface WordPattern {
  /** The words that a match can begin with. */
  readonly first: ReadonlySet<string>;
  readonly elements: readonly Element[];
}

/** Words as patterns read them: without marks. */
export interface PatternText {
  readonly length: number;
  /** The word at a place, as the tokenizer has it; undefined outside of the text. */
  wordAt(at: number): string | undefined;
  /** True where a clause begins with the word at a place. */
  startsClause(at: number): boolean;
  /** True where a clause ends before the word at a place. */
  endsClause(at: number): boolean;
  /** True where a match that began before may not have the word at a place. */
  isOutside(at: number): boolean;
  /** True for a word that `..` does not stand for. */
  isBarrier(at: number): boolean;
}

/**
 * Parses a pattern: words with a blank between them. `a/b` is one of several words, `(a/b)` may be left out, `@set` is
 * one of the words of a named set, `..3` stands for up to three words, `^` and `$` for the start and the end of a
 * clause. Throws for a pattern that does not begin with a word, and for a set that there is not.
 */
export function parseWordPattern(
  text: string,
  sets: ReadonlyMap<string, readonly string[]> = new Map(),
): WordPattern {
  const elements = text
    .split(' ')
    .filter((part) => part !== '')
    .flatMap((part) => parseElement(part, sets));
  const first = new Set<string>();
  for (const element of elements[0]?.kind === 'start' ? elements.slice(1) : elements) {
    if (element.kind !== 'word') break;
    for (const word of element.words) first.add(word);
    if (!element.isOptional) return { first, elements };
  }
  throw new Error(`a pattern of words does not begin with a word: ${text}`);
}

function parseElement(part: string, sets: ReadonlyMap<string, readonly string[]>): readonly Element[] {
  if (part === '^') return [{ kind: 'start' }];
  if (part === '$') return [{ kind: 'end' }];
  if (part.startsWith('..')) return [{ kind: 'gap', most: Number(part.slice(2)) }];
  const isOptional = part.startsWith('(') && part.endsWith(')');
  const alternatives = (isOptional ? part.slice(1, -1) : part).split('/').flatMap((word) => {
    if (!word.startsWith('@')) return [word];
    const set = sets.get(word);
    if (set === undefined) throw new Error(`a pattern of words names no known set: ${word}`);
    return set;
  });
  // Most words are their own token.
  const tokens = alternatives.map((word) => (/^[a-z]+$/.test(word) ? [word] : tokenize(word)));
  const [only] = tokens;
  if (only !== undefined && tokens.length === 1) {
    return only.map((word) => ({ kind: 'word', words: new Set([word]), isOptional }));
  }
  const broken = alternatives.find((_, at) => tokens[at]?.length !== 1);
  if (broken !== undefined)
    throw new Error(`a pattern of words has an alternative that is no word: ${broken}`);
  return [{ kind: 'word', words: new Set(tokens.flat()), isOptional }];
}

/**
 * Creates the function that tells the place behind a match of a pattern that begins at a place of a text, or -1; with
 * `end`, the match has to end there. The time of a call is bounded by the pattern.
 */
export function createWordMatcher(
  text: PatternText,
): (pattern: WordPattern, at: number, end?: number) => number {
  let elements: readonly Element[] = [];
  let start = 0;
  let wanted: number | undefined;

  function matchFrom(element: number, place: number): number {
    const current = elements[element];
    if (current === undefined) return wanted === undefined || place === wanted ? place : -1;
    switch (current.kind) {
      case 'start':
        return text.startsClause(place) ? matchFrom(element + 1, place) : -1;
      case 'end':
        return text.endsClause(place) ? matchFrom(element + 1, place) : -1;
      case 'word': {
        const word = place > start && text.isOutside(place) ? undefined : text.wordAt(place);
        const found = word !== undefined && current.words.has(word) ? matchFrom(element + 1, place + 1) : -1;
        return found >= 0 || !current.isOptional ? found : matchFrom(element + 1, place);
      }
      case 'gap':
        for (let next = place; next <= place + current.most && next < text.length; next++) {
          const found = matchFrom(element + 1, next);
          if (found >= 0) return found;
          if (text.isBarrier(next) || text.isOutside(next)) return -1;
        }
        return -1;
    }
  }

  return (pattern, at, end) => {
    elements = pattern.elements;
    start = at;
    wanted = end;
    return matchFrom(0, at);
  };
}

/** The patterns by the words that they can begin with. */
export function indexByFirstWord<Pattern extends WordPattern>(
  patterns: readonly Pattern[],
): ReadonlyMap<string, readonly Pattern[]> {
  const index = new Map<string, Pattern[]>();
  for (const pattern of patterns) {
    for (const word of pattern.first) {
      const list = index.get(word);
      if (list === undefined) index.set(word, [pattern]);
      else list.push(pattern);
    }
  }
  return index;
}

// Phrases

/** Creates the function that finds the first phrase in a text, word by word and by stems, and tells its name. */
export function createPhraseIndex(
  phrases: ReadonlyMap<string, readonly string[]>,
): (text: string) => string | undefined {
  const byFirst = new Map<string, { readonly words: readonly string[]; readonly name: string }[]>();
  for (const [name, texts] of phrases) {
    for (const phrase of texts) {
      const words = tokenize(phrase).map(stem);
      const [first] = words;
      if (first === undefined) continue;
      byFirst.set(first, [...(byFirst.get(first) ?? []), { words, name }]);
    }
  }
  return (text) => {
    const words = tokenize(text).map(stem);
    for (const [at, word] of words.entries()) {
      const found = byFirst
        .get(word)
        ?.find((phrase) => phrase.words.every((one, offset) => words[at + offset] === one));
      if (found !== undefined) return found.name;
    }
    return undefined;
  };
}
