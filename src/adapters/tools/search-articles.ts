import { z } from 'zod';
import type { TextVectors } from '../../domain/playbook/intent-classifier.ts';
import type { EmbedMessage } from '../../ports/embedder.ts';
import type { Tool } from '../../ports/tool.ts';
import { defineTool } from './define-tool.ts';
import type { Article } from './help-center/article.ts';
import { createMeaningSearch, fuseHits, passagesOf } from './help-center/meaning.ts';
import { createSearch, type Hit, MIN_SCORE, type Search, toFound } from './help-center/search.ts';

/** An article of a company, in one or more languages. */
export interface CompanyArticle extends Article {
  readonly languages: readonly string[];
}

/** The least score of an article that names the intent of the message: at least one of its words is in the query. */
const MIN_SCORE_FOR_INTENT = 0.5;

/** The parts of a search by meaning. */
export interface ArticleMeanings {
  /** The vectors of {@link passagesToEmbed}. */
  readonly vectors: TextVectors;
  /** Requests the vector of a query. */
  readonly embed: EmbedMessage;
}

/** The texts whose vectors a search by meaning needs. */
export function passagesToEmbed(articles: readonly CompanyArticle[]): readonly string[] {
  return articles.flatMap(passagesOf);
}

/**
 * Creates the tool that searches the articles of a company's playbook: by words, and with `meanings` by meaning too,
 * both fused by reciprocal ranks. They are indexed for the first query. An article that alone answers an intent, in
 * its language, is found whatever the words: the company says that it is the answer.
 */
export function createArticleSearch(
  name: string,
  articles: readonly CompanyArticle[],
  meanings?: ArticleMeanings,
): Tool {
  let search: Search | undefined;
  let searchByMeaning: ReturnType<typeof createMeaningSearch> | undefined;

  /** The articles that mean what a query means; undefined where words alone decide. */
  async function findByMeaning(
    query: string,
    { embed, vectors }: ArticleMeanings,
  ): Promise<readonly Hit[] | undefined> {
    const vector = await embed(query, 'article_search', vectors);
    if (vector === undefined) return undefined;
    searchByMeaning ??= createMeaningSearch(articles, vectors);
    return searchByMeaning(vector);
  }

  return defineTool({
    name,
    description: 'Searches the help articles of the company and returns those that fit a question best.',
    effect: 'read',
    input: z.object({
      query: z
        .string()
        .min(1)
        .max(65_536)
        .describe("What to look for: keywords or the customer's own words."),
      intent: z.string().max(64).optional().describe('Only articles that answer this intent.'),
      language: z.string().max(16).optional().describe('Only articles in this language.'),
      limit: z.int().min(1).max(10).default(3).describe('How many articles to return at most.'),
    }),
    execute({ query, intent, language, limit }) {
      search ??= createSearch(articles, MIN_SCORE_FOR_INTENT);
      const fitting = articles.filter(
        (article) =>
          (language === undefined || article.languages.includes(language)) &&
          (intent === undefined || article.intents.includes(intent)),
      );
      const ids = new Set(fitting.map(({ id }) => id));
      const byWords = search(query).filter(
        ({ article, score }) => ids.has(article.id) && (intent !== undefined || score >= MIN_SCORE),
      );
      const [only, ...others] = fitting;
      const isOnly = intent !== undefined && only !== undefined && others.length === 0;
      const answer = (hits: readonly Hit[]) => {
        const found = hits.length === 0 && isOnly ? [{ article: only, score: 0 }] : hits;
        return { articles: found.slice(0, limit).map(toFound) };
      };
      if (meanings === undefined) return answer(byWords);
      return findByMeaning(query, meanings).then((byMeaning) => {
        if (byMeaning === undefined) return answer(byWords);
        return answer(
          fuseHits(
            byWords,
            byMeaning.filter(({ article }) => ids.has(article.id)),
          ),
        );
      });
    },
  });
}
