import { formsOf } from './forms.ts';
import { entriesOf } from './tables.ts';

/** A word of a message: as it was meant (typos corrected), and the dictionary word behind it. */
export interface Term {
  readonly word: string;
  readonly lemma: string;
}

/** A phrase found in a message, and the concepts that it stands for. */
export interface Found {
  readonly length: number;
  readonly concepts: readonly string[];
}

/** Finds the words and phrases of a lexicon. */
export interface PhraseBook {
  /** Every form of every word that occurs in the lexicon. */
  readonly words: ReadonlySet<string>;
  /** The forms of those that mean something by themselves: what a misspelt word may have been meant as. */
  readonly telling: ReadonlySet<string>;
  /** The dictionary word behind a form; a word that the lexicon does not hold is its own. */
  lemma(word: string): string;
  /** The concepts that a word stands for alone. */
  single(term: Term): readonly string[];
  /** The longest phrase that begins at a term. Its price is bound by the longest phrase of the lexicon. */
  longestAt(terms: readonly (Term | undefined)[], at: number): Found | undefined;
}

interface Node {
  readonly byLemma: Map<string, Node>;
  readonly byWord: Map<string, Node>;
  readonly concepts: string[];
}

/**
 * A phrase book over a table from concept to its words and phrases, parted by commas (`=` in front: only as written).
 * Words of `silent` concepts are too common to be told from a misspelling.
 */
export function createPhraseBook(
  lexicon: Readonly<Record<string, string>>,
  silent: ReadonlySet<string>,
): PhraseBook {
  const entries = Object.entries(lexicon).flatMap(([concept, list]) =>
    entriesOf(list).map((entry) => ({ concept, exact: entry.startsWith('='), words: wordsOf(entry) })),
  );
  const lemmas = collectLemmas(entries.map((entry) => entry.words));
  const root = newNode();
  const telling = new Set<string>();
  for (const entry of entries) {
    const [word, ...others] = entry.words;
    addPhrase(root, lemmas, entry);
    if (word === undefined || others.length > 0 || silent.has(entry.concept)) continue;
    telling.add(word);
    if (!entry.exact) for (const form of formsOf(word)) telling.add(form);
  }
  return {
    words: new Set(lemmas.keys()),
    telling,
    lemma: (word) => lemmas.get(word) ?? word,
    single: (term) => root.byLemma.get(term.lemma)?.concepts ?? [],
    longestAt: (terms, at) => longest(root, terms, at, 0),
  };
}

function wordsOf(entry: string): readonly string[] {
  return entry.replace('=', '').split(' ');
}

/** From form to dictionary word: entries of one word first, then the words of phrases, the shorter before the longer. */
function collectLemmas(entries: readonly (readonly string[])[]): Map<string, string> {
  const lemmas = new Map<string, string>();
  const single = entries.filter((words) => words.length === 1).flat();
  for (const word of single) lemmas.set(word, word);
  const inPhrases = entries.flat().sort((one, other) => one.length - other.length);
  for (const word of [...single, ...inPhrases]) {
    if (!lemmas.has(word)) lemmas.set(word, word);
    if (lemmas.get(word) !== word) continue;
    for (const form of formsOf(word)) if (!lemmas.has(form)) lemmas.set(form, word);
  }
  return lemmas;
}

interface Entry {
  readonly concept: string;
  readonly exact: boolean;
  readonly words: readonly string[];
}

function addPhrase(root: Node, lemmas: ReadonlyMap<string, string>, entry: Entry): void {
  let node = root;
  for (const word of entry.words) {
    const branches = entry.exact ? node.byWord : node.byLemma;
    const key = entry.exact ? word : (lemmas.get(word) ?? word);
    let next = branches.get(key);
    if (next === undefined) {
      next = newNode();
      branches.set(key, next);
    }
    node = next;
  }
  if (!node.concepts.includes(entry.concept)) node.concepts.push(entry.concept);
}

/** Recursion is as deep as the longest phrase of the lexicon, never as the message. */
function longest(
  node: Node,
  terms: readonly (Term | undefined)[],
  at: number,
  length: number,
): Found | undefined {
  const term = terms[at];
  const here = node.concepts.length > 0 ? { length, concepts: node.concepts } : undefined;
  if (term === undefined) return here;
  const byLemma = node.byLemma.get(term.lemma);
  const byWord = node.byWord.get(term.word);
  const one = byLemma === undefined ? undefined : longest(byLemma, terms, at + 1, length + 1);
  const other = byWord === undefined ? undefined : longest(byWord, terms, at + 1, length + 1);
  return merge(merge(one, other), here);
}

function merge(one: Found | undefined, other: Found | undefined): Found | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.length !== other.length) return one.length > other.length ? one : other;
  return { length: one.length, concepts: [...one.concepts, ...other.concepts] };
}

function newNode(): Node {
  return { byLemma: new Map(), byWord: new Map(), concepts: [] };
}
