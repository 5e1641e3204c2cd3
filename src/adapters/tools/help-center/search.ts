import type { PlaybookArticle } from '../../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { stem } from '../../../lib/text/stemmer.ts';
import { isOneEditApart, isPunctuation, tokenize } from '../../../lib/text/tokenize.ts';
import type { Article } from './article.ts';

/** An article and its BM25 score for a query: higher is better, without an upper bound. */
export interface Hit {
  readonly article: Article;
  readonly score: number;
}

/**
 * Finds the articles for a query with at least the least score, the best first; ties have the order of the articles.
 */
export type Search = (query: string) => readonly Hit[];

/** An article with a lower score has only everyday words in common with the query. */
export const MIN_SCORE = 2;

/** Maximum number of different terms of a query that are searched for; the rest is ignored. */
export const MAX_TERMS = 256;

/** The weight of a word by its field. `keywords` is written for the search. */
const fieldWeights = { title: 3, keywords: 2, body: 1 } as const;

/** The constants of BM25: how soon repeated words stop counting (k1), and how much the length counts (b). */
const K1 = 1.2;
const B = 0.4;

/** The shortest term that is corrected when no article has it. */
const MIN_CORRECTED_LENGTH = 5;

/** Words that do not indicate the topic of an article. */
const stopWords: ReadonlySet<string> = new Set(
  `a about any after all also am an and any are as at be because been before but by can cannot could did do does dont
  for from get give go got had has have he hello help her here hi his how i if im in into is it its just know let
  like me more most my myself need no not now of off on one only or our out over please pls possible question questions
  assistance assist really she should so some still tell than thank thanks that the their them then there these they
  this those to too up u ur us very want was way we were what when where which who why will with would ya yes yet you
  your`.split(/\s+/),
);

/** An article that has a term, and what the term adds to its score. */
interface Posting {
  readonly position: number;
  readonly weight: number;
}

type Index = ReadonlyMap<string, readonly Posting[]>;

/**
 * Builds the index of some articles. `minScore` is the least score of a hit. The time of a search is proportional to
 * the length of the query. It replaces a library because most messages need it (benchmark `pipeline`).
 */
export function createSearch(articles: readonly Article[], minScore = MIN_SCORE): Search {
  const index = buildIndex(articles);
  const correct = createCorrection(index);
  return (query) => {
    const scores = new Map<number, number>();
    for (const term of queryTerms(query)) {
      for (const { position, weight } of index.get(correct(term)) ?? []) {
        scores.set(position, (scores.get(position) ?? 0) + weight);
      }
    }
    const hits: { readonly article: Article; readonly score: number; readonly position: number }[] = [];
    for (const [position, score] of scores) {
      const article = articles[position];
      if (article !== undefined && score >= minScore) hits.push({ article, score, position });
    }
    return hits
      .sort((a, b) => b.score - a.score || a.position - b.position)
      .map(({ article, score }) => ({ article, score }));
  };
}

/** Creates the search for the articles of a playbook by their title and text, the best first. */
export function createArticleFinder(
  articles: readonly PlaybookArticle[],
): (text: string) => readonly PlaybookArticle[] {
  let search: Search | undefined;
  const byId = new Map(articles.map((article) => [article.id, article]));
  return (text) => {
    search ??= createSearch(articles.map((article) => ({ ...article, intents: [], keywords: '' })));
    return search(text).flatMap(({ article }) => byId.get(article.id) ?? []);
  };
}

function buildIndex(articles: readonly Article[]): Index {
  const counted = articles.map(countTerms);
  const averageLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const occurrences = counted.flatMap(({ counts, length }, position) => {
    const norm = K1 * (1 - B + (B * length) / averageLength);
    return [...counts].map(([term, count]) => ({
      term,
      position,
      frequency: (count * (K1 + 1)) / (count + norm),
    }));
  });
  const index = new Map<string, readonly Posting[]>();
  for (const [term, found] of Map.groupBy(occurrences, (occurrence) => occurrence.term)) {
    const rarity = Math.log(1 + (articles.length - found.length + 0.5) / (found.length + 0.5));
    index.set(
      term,
      found.map(({ position, frequency }) => ({ position, weight: rarity * frequency })),
    );
  }
  return index;
}

/** The frequency of each term of an article, and the number of its terms, both weighted by field. */
function countTerms(article: Article): {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
} {
  const counts = new Map<string, number>();
  let length = 0;
  for (const field of ['title', 'keywords', 'body'] as const) {
    const weight = fieldWeights[field];
    for (const term of termsOf(article[field])) {
      counts.set(term, (counts.get(term) ?? 0) + weight);
      length += weight;
    }
  }
  return { counts, length };
}

function queryTerms(query: string): readonly string[] {
  return [...new Set(termsOf(query))].slice(0, MAX_TERMS);
}

function termsOf(text: string): readonly string[] {
  return tokenize(text)
    .filter((word) => word.length > 1 && !isPunctuation(word) && !stopWords.has(word))
    .map(stem);
}

/** Maps a term that no article has to one that is an edit away and has the same first letter, if there is any. */
function createCorrection(index: Index): (term: string) => string {
  const candidates = Map.groupBy(
    [...index.keys()].filter((term) => term.length >= MIN_CORRECTED_LENGTH),
    (term) => term.charAt(0),
  );
  return (term) => {
    if (term.length < MIN_CORRECTED_LENGTH || index.has(term)) return term;
    return candidates.get(term.charAt(0))?.find((other) => isOneEditApart(term, other)) ?? term;
  };
}

/** Maximum length of an excerpt, in characters. */
const MAX_EXCERPT = 400;

/** An article as a search returns it. */
export function toFound({ article, score }: Hit): JsonObject {
  return {
    id: article.id,
    title: article.title,
    excerpt: excerptOf(article.body),
    score: Math.round(score * 1_000) / 1_000,
  };
}

/** The complete sentences at the start of a text that fit into an excerpt. */
function excerptOf(body: string): string {
  if (body.length <= MAX_EXCERPT) return body;
  const end = body.lastIndexOf('. ', MAX_EXCERPT);
  return end === -1 ? body.slice(0, MAX_EXCERPT) : body.slice(0, end + 1);
}
