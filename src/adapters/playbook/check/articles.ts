import type { Article } from '../articles.ts';
import type { IntentDefinition, PlaybookDefinition } from '../definition.ts';
import { show, suggest } from '../nearest.ts';
import { standingIntents } from './intents.ts';
import type { Report } from './report.ts';

/** Something wrong with an article. */
export interface ArticleIssue {
  readonly article: Article;
  readonly message: string;
}

/** Checks that an intent which is answered from articles has some, in each language. */
export function checkArticleIntents(
  { intents, articles: folder }: PlaybookDefinition,
  articles: readonly Article[],
  languages: readonly string[],
  report: Report,
): void {
  for (const [index, { name, articles: fromArticles }] of intents.entries()) {
    if (fromArticles !== true) continue;
    const path = ['intents', index, 'articles'];
    const fitting = articles.filter((article) => article.intents.includes(name));
    if (folder === undefined) {
      report.fault(
        path,
        'there are no articles; expected a folder in the member `articles` of the playbook',
        {
          restsOn: [['articles']],
        },
      );
    } else if (fitting.length === 0) {
      report.fault(path, `no article names the intent ${show(name)}; expected at least one`, {
        restsOn: [['articles']],
      });
    } else {
      for (const language of languages.filter(
        (one) => !fitting.some((article) => article.languages.includes(one)),
      )) {
        report.warn(path, `has no article in "${language}": messages in that language go to a person`);
      }
    }
  }
}

/** Checks that each article names intents and languages of the playbook. */
export function checkArticles(
  articles: readonly Article[],
  intents: readonly IntentDefinition[],
  languages: readonly string[],
): { readonly faults: readonly ArticleIssue[]; readonly warnings: readonly ArticleIssue[] } {
  const names = new Set([...intents.map(({ name }) => name), ...standingIntents]);
  const faults = articles.flatMap((article) =>
    article.intents
      .filter((name) => !names.has(name))
      .map((name) => ({
        article,
        message: `there is no intent ${show(name)}${suggest(name, names) || '; expected one'}`,
      })),
  );
  const warnings = articles.flatMap((article) =>
    article.languages
      .filter((language) => !languages.includes(language))
      .map((language) => ({
        article,
        message: `its language ${show(language)} is not in company.languages`,
      })),
  );
  return { faults, warnings };
}
