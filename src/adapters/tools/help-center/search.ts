import { isOneEditApart, isPunctuation, tokenize } from '../../../lib/text/tokenize.ts';
import type { Article } from './article.ts';
import { stem, stopWords } from './stem.ts';

/** An article with how well it fits a query; more is better, and the number has no upper end. */
export interface Hit {
  readonly article: Article;
  readonly score: number;
}

/** Finds the articles that fit a query, the best first, none below {@link FLOOR}; equal ones in their own order. */
export type Search = (query: string) => readonly Hit[];

/** Below this an article shares only everyday words with the query. */
export const FLOOR = 2;

/** Different words of a query that are looked at; further ones are passed over. */
export const MAX_TERMS = 256;

/** A title says more than a body, and `topics` are written for being found. */
const fieldWeights = { title: 3, topics: 2, body: 1 } as const;

/** The usual constants of BM25: how soon repetition saturates, and how much length counts. */
const SATURATION = 1.2;
const LENGTH = 0.4;

/** The least length of a word that is looked for with a typing error. */
const TYPO_LENGTH = 5;

interface Posting {
  readonly at: number;
  /** The term's share in the article's score, saturation and length of the article already in it. */
  readonly share: number;
}

/** A search by BM25 over some articles. Time grows with the length of the query. */
export function createSearch(articles: readonly Article[]): Search {
  const index = buildIndex(articles);
  const byStart = new Map<string, string[]>();
  for (const term of index.keys())
    byStart.set(term.charAt(0), [...(byStart.get(term.charAt(0)) ?? []), term]);

  function known(term: string): string | undefined {
    if (index.has(term)) return term;
    if (term.length < TYPO_LENGTH) return undefined;
    return byStart
      .get(term.charAt(0))
      ?.find((other) => other.length >= TYPO_LENGTH && isOneEditApart(term, other));
  }

  return (query) => {
    const scores = new Float64Array(articles.length);
    for (const word of queryTerms(query)) {
      const term = known(word);
      for (const { at, share } of term === undefined ? [] : (index.get(term) ?? [])) {
        scores[at] = (scores[at] ?? 0) + share;
      }
    }
    return articles
      .map((article, at) => ({ article, score: scores[at] ?? 0 }))
      .filter((hit) => hit.score >= FLOOR)
      .sort((one, other) => other.score - one.score);
  };
}

function queryTerms(query: string): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const word of tokenize(query)) {
    if (terms.size === MAX_TERMS) break;
    if (isTerm(word)) terms.add(stem(word));
  }
  return terms;
}

function isTerm(word: string): boolean {
  return word.length > 1 && !isPunctuation(word) && !stopWords.has(word);
}

function buildIndex(articles: readonly Article[]): ReadonlyMap<string, readonly Posting[]> {
  const counts = articles.map(countTerms);
  const lengths = counts.map((terms) => [...terms.values()].reduce((sum, count) => sum + count, 0));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const holders = new Map<string, number[]>();
  for (const [at, terms] of counts.entries()) {
    for (const term of terms.keys()) holders.set(term, [...(holders.get(term) ?? []), at]);
  }
  const index = new Map<string, Posting[]>();
  for (const [term, holding] of holders) {
    const rarity = Math.log(1 + (articles.length - holding.length + 0.5) / (holding.length + 0.5));
    const postings = holding.map((at) => {
      const count = counts[at]?.get(term) ?? 0;
      const norm = SATURATION * (1 - LENGTH + (LENGTH * (lengths[at] ?? 0)) / average);
      return { at, share: (rarity * count * (SATURATION + 1)) / (count + norm) };
    });
    index.set(term, postings);
  }
  return index;
}

function countTerms(article: Article): Map<string, number> {
  const counts = new Map<string, number>();
  for (const field of ['title', 'topics', 'body'] as const) {
    for (const word of tokenize(article[field])) {
      if (!isTerm(word)) continue;
      const term = stem(word);
      counts.set(term, (counts.get(term) ?? 0) + fieldWeights[field]);
    }
  }
  return counts;
}
