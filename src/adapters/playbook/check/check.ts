import type { JsonObject } from '../../../lib/json/json.ts';
import type { Article } from '../articles.ts';
import {
  ANY_LANGUAGE,
  type PlaybookDefinition,
  SEARCH_ARTICLES,
  type ToolDefinition,
} from '../definition.ts';
import { checkArticleIntents } from './articles.ts';
import { checkCompany } from './company.ts';
import { checkEntities } from './entities.ts';
import { checkIntents, type KnownTool } from './intents.ts';
import { checkModels, type ModelChecks } from './models.ts';
import { checkNames } from './names.ts';
import { createReport, type Report } from './report.ts';
import { checkTools, type ToolChecks } from './tools.ts';

/** What the rest of the service brings to a playbook. */
export interface CheckContext<T extends ToolDefinition> extends ToolChecks<T>, ModelChecks {
  /**
   * The example tools by name, which are there unless the playbook leaves them out, with the schemas of their inputs.
   * An extension may replace them.
   */
  readonly exampleTools: ReadonlyMap<string, JsonObject | undefined>;
  /** Entities that code finds, such as `order_id`. */
  readonly builtInEntities: readonly string[];
}

/** The languages of a playbook; the first is the default. */
export function languagesOf({ company }: PlaybookDefinition): readonly [string, ...string[]] {
  const [first = 'en', ...others] = (company?.languages ?? []).filter((one) => one !== ANY_LANGUAGE);
  return [first, ...others];
}

/** The tools that are there for certain. */
function knownTools<T extends ToolDefinition>(
  { tools = [], example_tools, articles }: PlaybookDefinition<T>,
  { exampleTools, schemasOf }: CheckContext<T>,
): ReadonlyMap<string, KnownTool> {
  const examples = example_tools === false ? [] : exampleTools;
  return new Map<string, KnownTool>([
    ...[...examples].map(([name, input]) => [name, { input, output: undefined, isOwn: false }] as const),
    ...(articles === undefined
      ? []
      : [[SEARCH_ARTICLES, { input: undefined, output: undefined, isOwn: false }] as const]),
    ...tools.map((tool) => [tool.name, { ...schemasOf(tool), isOwn: true }] as const),
  ]);
}

/**
 * Checks what the schema cannot: that names, languages, templates, expressions, patterns and articles fit together.
 * `articles` is undefined where they could not be read.
 */
export function checkPlaybook<T extends ToolDefinition>(
  playbook: PlaybookDefinition<T>,
  articles: readonly Article[] | undefined,
  context: CheckContext<T>,
): Report {
  const report = createReport();
  const languages = languagesOf(playbook);
  const own = playbook.entities ?? [];
  const entities = new Set([...own.map(({ name }) => name), ...context.builtInEntities]);
  const tools = knownTools(playbook, context);
  checkNames(playbook, report);
  checkCompany(playbook, languages, entities, report);
  checkEntities(own, report);
  checkIntents(playbook, { languages, entities, tools }, report);
  if (articles !== undefined) checkArticleIntents(playbook, articles, languages, report);
  checkTools(playbook, context, report);
  checkModels(playbook, context, report);
  return report;
}
