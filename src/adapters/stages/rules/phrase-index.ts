import { type Concept, type ConceptIds, conceptId, entriesOf, numberConcepts } from './concepts.ts';
import { inflectionsOf } from './inflections.ts';

/** A word of a text with corrected spelling, and its nodes in the index. */
export interface IndexedWord {
  readonly word: string;
  /** The dictionary form of the word. */
  readonly lemma: string;
  /** The phrases that start with its lemma, and those that start with exactly this word. */
  readonly byLemma: TrieNode | undefined;
  readonly byWord: TrieNode | undefined;
}

/** A phrase found in a text, its number of words, and the concepts that it stands for. */
export interface PhraseMatch {
  readonly length: number;
  readonly concepts: readonly Concept[];
}

/** The phrases that start with the same words. */
interface TrieNode {
  /** The phrase of exactly these words. */
  readonly match: PhraseMatch | undefined;
  /** The next words, by lemma or as written; undefined where there are none, which saves the lookup. */
  readonly byLemma: ReadonlyMap<string, TrieNode> | undefined;
  readonly byWord: ReadonlyMap<string, TrieNode> | undefined;
}

/** Finds the words and phrases of a lexicon. */
export interface PhraseIndex {
  readonly concepts: ConceptIds;
  /** Every inflection of every word of the lexicon. */
  readonly words: ReadonlySet<string>;
  /** Those that stand for a concept alone: a misspelling may be corrected to them. */
  readonly correctable: ReadonlySet<string>;
  /** Looks up a word; `lemma` replaces the dictionary form that the lexicon has for it. */
  lookUp(word: string, lemma?: string): IndexedWord;
  /** The longest phrase at a position. The time is bounded by the longest phrase of the lexicon. */
  longestMatch(words: readonly IndexedWord[], at: number): PhraseMatch | undefined;
}

/** A node while the index is built. */
interface MutableNode {
  match: { readonly length: number; readonly concepts: Concept[] } | undefined;
  byLemma: Map<string, MutableNode> | undefined;
  byWord: Map<string, MutableNode> | undefined;
}

/** A word or phrase of a lexicon. */
interface Entry {
  readonly concept: string;
  /** Only as written, without inflections. */
  readonly exact: boolean;
  readonly words: readonly string[];
}

/**
 * Indexes a lexicon: a table from concept to its words and phrases, separated by commas (after `=` only as written).
 * The words of `uncorrectable` concepts are too common to correct a misspelling to.
 */
export function createPhraseIndex(
  lexicon: Readonly<Record<string, string>>,
  uncorrectable: ReadonlySet<string>,
): PhraseIndex {
  const concepts = numberConcepts(Object.keys(lexicon));
  const entries = parseEntries(lexicon);
  const lemmas = collectLemmas(entries.map((entry) => entry.words));
  const root: MutableNode = { match: undefined, byLemma: undefined, byWord: undefined };
  const correctable = new Set<string>();
  for (const entry of entries) {
    addMatch(nodeFor(root, lemmas, entry), entry.words.length, conceptId(concepts, entry.concept));
    const [word, ...others] = entry.words;
    if (word === undefined || others.length > 0 || uncorrectable.has(entry.concept)) continue;
    for (const form of entry.exact ? [word] : [word, ...inflectionsOf(word)]) correctable.add(form);
  }
  return {
    concepts,
    words: new Set(lemmas.keys()),
    correctable,
    lookUp: (word, lemma = lemmas.get(word) ?? word) => ({
      word,
      lemma,
      byLemma: root.byLemma?.get(lemma),
      byWord: root.byWord?.get(word),
    }),
    longestMatch(words, at) {
      const word = words[at];
      if (word === undefined) return undefined;
      return longerOf(longestFrom(word.byLemma, words, at + 1), longestFrom(word.byWord, words, at + 1));
    },
  };
}

function parseEntries(lexicon: Readonly<Record<string, string>>): readonly Entry[] {
  return Object.entries(lexicon).flatMap(([concept, list]) =>
    entriesOf(list).map((entry) => ({
      concept,
      exact: entry.startsWith('='),
      words: entry.replace('=', '').split(' '),
    })),
  );
}

/** From inflection to dictionary form: single words first, then the words of phrases, the shorter before the longer. */
function collectLemmas(entries: readonly (readonly string[])[]): Map<string, string> {
  const lemmas = new Map<string, string>();
  const single = entries.filter((words) => words.length === 1).flat();
  for (const word of single) lemmas.set(word, word);
  const inPhrases = entries.flat().sort((one, other) => one.length - other.length);
  for (const word of [...single, ...inPhrases]) {
    if (!lemmas.has(word)) lemmas.set(word, word);
    if (lemmas.get(word) !== word) continue;
    for (const form of inflectionsOf(word)) if (!lemmas.has(form)) lemmas.set(form, word);
  }
  return lemmas;
}

/** The node of the last word of an entry. */
function nodeFor(root: MutableNode, lemmas: ReadonlyMap<string, string>, entry: Entry): MutableNode {
  let node = root;
  for (const word of entry.words) {
    node = entry.exact ? childOf(node, 'byWord', word) : childOf(node, 'byLemma', lemmas.get(word) ?? word);
  }
  return node;
}

function childOf(node: MutableNode, kind: 'byLemma' | 'byWord', key: string): MutableNode {
  const children = node[kind] ?? new Map<string, MutableNode>();
  const child = children.get(key) ?? { match: undefined, byLemma: undefined, byWord: undefined };
  node[kind] = children.set(key, child);
  return child;
}

function addMatch(node: MutableNode, length: number, concept: Concept): void {
  node.match ??= { length, concepts: [] };
  if (!node.match.concepts.includes(concept)) node.match.concepts.push(concept);
}

/** The recursion is at most as deep as the longest phrase of the lexicon. */
function longestFrom(
  node: TrieNode | undefined,
  words: readonly IndexedWord[],
  next: number,
): PhraseMatch | undefined {
  if (node === undefined) return undefined;
  const { byLemma, byWord, match } = node;
  if (byLemma === undefined && byWord === undefined) return match;
  const word = words[next];
  if (word === undefined) return match;
  const one = longestFrom(byLemma?.get(word.lemma), words, next + 1);
  const other = longestFrom(byWord?.get(word.word), words, next + 1);
  return longerOf(one, other) ?? match;
}

/** The longer of two matches, or both where they are equally long. */
function longerOf(one: PhraseMatch | undefined, other: PhraseMatch | undefined): PhraseMatch | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.length !== other.length) return one.length > other.length ? one : other;
  return { length: one.length, concepts: [...one.concepts, ...other.concepts] };
}
