import type { JsonObject } from '../../../lib/json/json.ts';
import type { Hit } from './search.ts';

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
