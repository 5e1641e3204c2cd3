import type { TextVector, TextVectors } from '../../../domain/playbook/intent-classifier.ts';
import { cosine } from '../../../lib/learning/dense-vector.ts';
import type { Article } from './article.ts';
import type { Hit } from './search.ts';

/** The characters of a passage, and the most passages of an article: one vector cannot tell a long text. */
const PASSAGE = 1_000;
const MAX_PASSAGES = 16;

/** The least similarity of an article that is found, where the articles are less similar to each other. */
const MIN_SIMILARITY = 0.3;

/** The constant of reciprocal rank fusion: how little the first places count more than the next. */
const K = 60;

/** The passages of an article whose vectors are searched, each with the title. */
export function passagesOf({ title, keywords, body }: Article): readonly string[] {
  const passages: string[] = [];
  let passage = '';
  for (const sentence of [keywords, ...body.split(/\n+|(?<=[.!?])\s+/)]) {
    if (passage !== '' && passage.length + sentence.length > PASSAGE) {
      passages.push(passage);
      passage = '';
    }
    passage = passage === '' ? sentence : `${passage}\n${sentence}`;
  }
  return [...passages, passage].slice(0, MAX_PASSAGES).map((one) => `${title}\n${one}`);
}

/**
 * Creates the search for articles by meaning: those whose best passage is similar enough to a query, the most similar
 * first. Models differ in how similar texts are that have nothing in common, so a query must be nearer to an article
 * than the articles are to each other on average.
 */
export function createMeaningSearch(
  articles: readonly Article[],
  vectors: TextVectors,
): (query: TextVector) => readonly Hit[] {
  const indexed = articles.map((article) => ({
    article,
    passages: passagesOf(article).flatMap((passage) => vectors.of(passage)?.values ?? []),
  }));
  const floor = Math.max(
    MIN_SIMILARITY,
    meanSimilarity(indexed.flatMap(({ passages }) => passages.slice(0, 1))),
  );
  return ({ values }) =>
    indexed
      .map(({ article, passages }) => ({
        article,
        score: passages.reduce((best, passage) => Math.max(best, cosine(passage, values)), -1),
      }))
      .filter(({ score }) => score >= floor)
      .sort((a, b) => b.score - a.score);
}

/** The mean similarity of different vectors of length 1; 0 for fewer than two. */
function meanSimilarity(vectors: readonly Float32Array[]): number {
  if (vectors.length < 2) return 0;
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let at = 0; at < sum.length; at++) sum[at] = Number(sum[at]) + Number(vector[at]);
  }
  // The square of the sum has each pair twice, and each vector with itself once.
  return (cosine(sum, sum) - vectors.length) / (vectors.length * (vectors.length - 1));
}

/**
 * Fuses two rankings by reciprocal ranks. The score of an article is 1 where it is the first of both, and near 0.5
 * where it is among the first of one.
 */
export function fuseHits(one: readonly Hit[], other: readonly Hit[]): readonly Hit[] {
  const scores = new Map<Article, number>();
  for (const hits of [one, other]) {
    hits.forEach(({ article }, at) => {
      scores.set(article, (scores.get(article) ?? 0) + (K + 1) / (K + 1 + at) / 2);
    });
  }
  return [...scores].map(([article, score]) => ({ article, score })).sort((a, b) => b.score - a.score);
}
