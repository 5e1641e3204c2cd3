import { z } from 'zod';
import { PACKAGE_FOLDER } from '../shared/package-folder.ts';
import { defineTool } from './define-tool.ts';
import { readArticles } from './help-center/article.ts';
import { createSearch, type Search, toFound } from './help-center/search.ts';

/** The articles of the built-in playbook. */
const ARTICLES = new URL('playbook/articles/', PACKAGE_FOLDER);

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
  output: z.object({
    articles: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        excerpt: z.string().describe('The first sentences.'),
        score: z.number().min(0).describe('How well it fits: more is better.'),
      }),
    ),
  }),
  execute: ({ query, intent, limit }) => ({
    articles: search(query)
      .filter(({ article }) => intent === undefined || article.intents.includes(intent))
      .slice(0, limit)
      .map(toFound),
  }),
});
