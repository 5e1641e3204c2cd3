import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { readArticles } from './help-center/article.ts';
import { createSearch, type Search } from './help-center/search.ts';

/** Maximum length of an excerpt, in characters. */
const MAX_EXCERPT = 400;

/** The articles of the built-in playbook. */
const ARTICLES = new URL('../../../playbook/articles/', import.meta.url);

let searchArticles: Search | undefined;

/** Searches the articles. They are read and indexed for the first query, so that it does not delay the start. */
function search(query: string): ReturnType<Search> {
  searchArticles ??= createSearch(readArticles(ARTICLES));
  return searchArticles(query);
}

/** Searches the built-in help articles by words. Returns no article where none fits. */
export const searchHelpCenter = defineTool({
  name: 'search_help_center',
  description: 'Searches the help articles of the shop and returns those that fit a question best.',
  effect: 'read',
  input: z.object({
    query: z.string().min(1).max(65_536).describe("What to look for: keywords or the customer's own words."),
    intent: z.string().max(64).optional().describe('Only articles that answer this intent.'),
    limit: z.int().min(1).max(10).default(3).describe('How many articles to return at most.'),
  }),
  execute: ({ query, intent, limit }) => ({
    articles: search(query)
      .filter(({ article }) => intent === undefined || article.intents.includes(intent))
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
