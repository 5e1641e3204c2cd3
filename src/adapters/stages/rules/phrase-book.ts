import { type Concept, type Concepts, numberConcepts } from './concept.ts';
import { formsOf } from './forms.ts';
import { entriesOf } from './tables.ts';

/** A word of a message: as it was meant (typos corrected), and the dictionary word behind it. */
export interface Term {
  readonly word: string;
  readonly lemma: string;
  /** The phrases that begin with its lemma, and those that begin with the very word. */
  readonly byLemma: Branch | undefined;
  readonly byWord: Branch | undefined;
}

/** A phrase found in a message, and the concepts that it stands for. */
export interface Found {
  readonly length: number;
  readonly concepts: readonly Concept[];
}

/** The phrases that begin with some words. */
export interface Branch {
  /** What those words are by themselves. */
  readonly found: Found | undefined;
  /** How they go on, by the lemma or by the very word; undefined where they do not, which saves the look-up. */
  readonly byLemma: ReadonlyMap<string, Branch> | undefined;
  readonly byWord: ReadonlyMap<string, Branch> | undefined;
}

/** Finds the words and phrases of a lexicon. */
export interface PhraseBook {
  readonly concepts: Concepts;
  /** Every form of every word that occurs in the lexicon. */
  readonly words: ReadonlySet<string>;
  /** The forms of those that mean something by themselves: what a misspelt word may have been meant as. */
  readonly telling: ReadonlySet<string>;
  /** A word with all that the book knows of it; `lemma` where that is not the dictionary word behind it. */
  term(word: string, lemma?: string): Term;
  /** The longest phrase that begins at a term. Its price is bound by the longest phrase of the lexicon. */
  longestAt(terms: readonly Term[], at: number): Found | undefined;
}

interface Node {
  found: { readonly length: number; readonly concepts: Concept[] } | undefined;
  byLemma: Map<string, Node> | undefined;
  byWord: Map<string, Node> | undefined;
}

/**
 * A phrase book over a table from concept to its words and phrases, parted by commas (`=` in front: only as written).
 * Words of `silent` concepts are too common to be told from a misspelling.
 */
export function createPhraseBook(
  lexicon: Readonly<Record<string, string>>,
  silent: ReadonlySet<string>,
): PhraseBook {
  const concepts = numberConcepts(Object.keys(lexicon));
  const entries = Object.entries(lexicon).flatMap(([concept, list]) =>
    entriesOf(list).map((entry) => ({ concept, exact: entry.startsWith('='), words: wordsOf(entry) })),
  );
  const lemmas = collectLemmas(entries.map((entry) => entry.words));
  const root: Node = { found: undefined, byLemma: undefined, byWord: undefined };
  const telling = new Set<string>();
  for (const entry of entries) {
    const [word, ...others] = entry.words;
    addConcept(nodeOf(root, lemmas, entry), entry.words.length, concepts.get(entry.concept) ?? concepts.size);
    if (word === undefined || others.length > 0 || silent.has(entry.concept)) continue;
    telling.add(word);
    if (!entry.exact) for (const form of formsOf(word)) telling.add(form);
  }
  return {
    concepts,
    words: new Set(lemmas.keys()),
    telling,
    term: (word, lemma = lemmas.get(word) ?? word) => ({
      word,
      lemma,
      byLemma: root.byLemma?.get(lemma),
      byWord: root.byWord?.get(word),
    }),
    longestAt(terms, at) {
      const term = terms[at];
      if (term === undefined) return undefined;
      return merge(longest(term.byLemma, terms, at + 1), longest(term.byWord, terms, at + 1));
    },
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
  readonly exact: boolean;
  readonly words: readonly string[];
}

/** The node of an entry's last word. */
function nodeOf(root: Node, lemmas: ReadonlyMap<string, string>, entry: Entry): Node {
  let node = root;
  for (const word of entry.words) {
    node = entry.exact ? nextNode(node, 'byWord', word) : nextNode(node, 'byLemma', lemmas.get(word) ?? word);
  }
  return node;
}

function nextNode(node: Node, kind: 'byLemma' | 'byWord', key: string): Node {
  const branches = node[kind] ?? new Map<string, Node>();
  const next = branches.get(key) ?? { found: undefined, byLemma: undefined, byWord: undefined };
  node[kind] = branches.set(key, next);
  return next;
}

function addConcept(node: Node, length: number, concept: Concept): void {
  node.found ??= { length, concepts: [] };
  if (!node.found.concepts.includes(concept)) node.found.concepts.push(concept);
}

/** Recursion is as deep as the longest phrase of the lexicon, never as the message. */
function longest(branch: Branch | undefined, terms: readonly Term[], next: number): Found | undefined {
  if (branch === undefined) return undefined;
  const { byLemma, byWord, found } = branch;
  if (byLemma === undefined && byWord === undefined) return found;
  const term = terms[next];
  if (term === undefined) return found;
  const one = longest(byLemma?.get(term.lemma), terms, next + 1);
  const other = longest(byWord?.get(term.word), terms, next + 1);
  return merge(one, other) ?? found;
}

function merge(one: Found | undefined, other: Found | undefined): Found | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.length !== other.length) return one.length > other.length ? one : other;
  return { length: one.length, concepts: [...one.concepts, ...other.concepts] };
}
