import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { articles } from './help-center/articles.ts';
import { createSearch, type Search } from './help-center/search.ts';

/** Maximum length of an excerpt, in characters. */
const MAX_EXCERPT = 400;

let searchArticles: Search | undefined;

/** Searches the articles. The index is built for the first query, so that it does not delay the start. */
function search(query: string): ReturnType<Search> {
  searchArticles ??= createSearch(articles);
  return searchArticles(query);
}

/** Searches the built-in help articles by words. Returns no article where none fits. */
export const searchHelpCenter = defineTool({
  name: 'search_help_center',
  description: 'Searches the help articles of the shop and returns those that fit a question best.',
  effect: 'read',
  input: z.object({
    query: z.string().min(1).max(65_536).describe("What to look for: keywords or the customer's own words."),
    limit: z.int().min(1).max(10).default(3).describe('How many articles to return at most.'),
  }),
  execute: ({ query, limit }) => ({
    articles: search(query)
      .slice(0, limit)
      .map(({ article, score }) => ({
        id: article.id,
        title: article.title,
        excerpt: excerptOf(article.body),
        score: Math.round(score * 1_000) / 1_000,
      })),
  }),
});

/** The complete sentences at the start of a text that fit into an excerpt. */
function excerptOf(body: string): string {
  if (body.length <= MAX_EXCERPT) return body;
  const end = body.lastIndexOf('. ', MAX_EXCERPT);
  return end === -1 ? body.slice(0, MAX_EXCERPT) : body.slice(0, end + 1);
}
