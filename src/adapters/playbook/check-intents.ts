import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { itemsOf, membersOf } from '../../lib/json/schema-members.ts';
import { quote } from '../../lib/text/quote.ts';
import { ExpressionError } from '../shared/expressions/error.ts';
import { parseJsonTemplate } from '../shared/expressions/templates.ts';
import type { Article } from './articles.ts';
import {
  checkLanguages,
  checkReference,
  checkTemplates,
  expressionScope,
  outputMembers,
  type Report,
  templateScope,
} from './check-texts.ts';
import {
  type IntentDefinition,
  messageRoots,
  type PlaybookDefinition,
  type ToolCallDefinition,
  type ToolDefinition,
  toolsOf,
} from './definition.ts';
import { type Path, suggest } from './faults.ts';

/** A tool that is there for certain. */
export interface KnownTool {
  readonly input: JsonObject | undefined;
  readonly output: JsonObject | undefined;
  /** The playbook declares it: no extension brings another one of its name. */
  readonly isOwn: boolean;
}

/** The rest of a playbook, as the check of its intents needs it. */
interface IntentContext {
  readonly languages: readonly string[];
  /** All entities, also those that code finds. */
  readonly entities: ReadonlySet<string>;
  /** By name. */
  readonly tools: ReadonlyMap<string, KnownTool>;
}

/** Intents that are there without being stated. */
const standingIntents = ['human_agent', 'spam', 'feedback'] as const;

/** Checks each intent: its entities, tool, texts, and that it can be answered. */
export function checkIntents(
  playbook: PlaybookDefinition<ToolDefinition>,
  context: IntentContext,
  report: Report,
): void {
  const { intents, auto_reply = [], message_tools = [] } = playbook;
  for (const [index, intent] of intents.entries()) {
    const path = ['intents', index];
    checkHandling(path, intent, report);
    checkRequired(path, intent, playbook, context, report);
    if (intent.tool !== undefined) checkTool([...path, 'tool'], intent.tool, context, report);
    for (const [at, tool] of (intent.tools ?? []).entries()) {
      checkTool([...path, 'tools', at], tool, context, report);
    }
    checkReplies(path, intent, playbook, context, report);
  }
  for (const [index, name] of message_tools.entries()) {
    checkToolName(['message_tools', index], name, context, report);
  }
  const names = new Set([...intents.map(({ name }) => name), ...standingIntents]);
  for (const [index, name] of auto_reply.entries()) {
    if (names.has(name)) continue;
    report.fault(
      ['auto_reply', index],
      `there is no intent ${quote(name)}${suggest(name, names) || '; expected one'}`,
      { restsOn: [['intents']] },
    );
  }
}

/** An intent is answered somehow, or goes to a person; not both. */
function checkHandling(path: Path, intent: IntentDefinition, report: Report): void {
  const { name, articles = false, required = [], replies, not_found, handover } = intent;
  const hasTools = toolsOf(intent).length > 0;
  if (intent.tool !== undefined && intent.tools !== undefined) {
    report.fault([...path, 'tools'], 'stands beside `tool`; expected one of the two');
  }
  const isAnswered = hasTools || articles || required.length > 0 || replies !== undefined;
  if (name === 'human_agent' && handover === undefined) {
    report.fault(path, 'human_agent always goes to a person; expected `handover: always`');
  }
  if (name === 'spam') {
    if (isAnswered || handover !== undefined)
      report.warn(path, 'spam gets no reply: only its description and examples count');
    return;
  }
  if (handover === undefined && !isAnswered) {
    report.fault(
      path,
      'has nothing to answer with; expected `tool`, `articles`, `replies` or `handover: always`',
      {
        restsOn: ['tool', 'tools', 'articles', 'required', 'replies', 'handover'].map((one) => [
          ...path,
          one,
        ]),
      },
    );
  }
  if (handover !== undefined && (hasTools || articles || required.length > 0)) {
    report.warn(path, 'always goes to a person: its `tool`, `articles` and `required` are not used');
  }
  if (not_found !== undefined && !hasTools) {
    report.warn([...path, 'not_found'], 'is not used without `tool`');
  }
}

function checkRequired(
  path: Path,
  { required = [] }: IntentDefinition,
  { company }: PlaybookDefinition,
  { entities, languages }: IntentContext,
  report: Report,
): void {
  const scope = templateScope(entities, company, { tool: false, articles: false });
  for (const [index, { entity, question }] of required.entries()) {
    const place = [...path, 'required', index];
    if (!entities.has(entity)) {
      const near = suggest(entity, entities) || `; expected ${[...entities].slice(0, 20).join(', ')}`;
      report.fault([...place, 'entity'], `there is no entity ${quote(entity)}${near}`, {
        restsOn: [['entities']],
      });
    }
    checkLanguages([...place, 'question'], question, languages, report);
    checkTemplates([...place, 'question'], question, scope, report);
  }
}

function checkTool(path: Path, tool: ToolCallDefinition, context: IntentContext, report: Report): void {
  checkToolName([...path, 'name'], tool.name, context, report);
  const scope = expressionScope(context.entities);
  const checkValue = (place: Path, value: JsonValue): void => {
    if (isJsonArray(value)) for (const [index, item] of value.entries()) checkValue([...place, index], item);
    else if (isJsonObject(value))
      for (const [key, item] of Object.entries(value)) checkValue([...place, key], item);
    else for (const problem of problemsOf(value)) report.fault(place, problem, { restsOn: [['entities']] });
  };
  const problemsOf = (value: JsonValue): readonly string[] => {
    if (typeof value === 'string' && /(?<!\$)\{\{/.test(value)) {
      report.warn([...path, 'input'], 'has "{{" without "$", which is no expression; expected "$" before it');
    }
    try {
      const { references } = parseJsonTemplate(value, messageRoots);
      return references.flatMap((reference) => checkReference(reference, scope) ?? []);
    } catch (error) {
      if (error instanceof ExpressionError) return [`is not a valid expression: ${error.message}`];
      throw error;
    }
  };
  checkValue([...path, 'input'], tool.input ?? {});
  checkMembers([...path, 'input'], tool, context.tools.get(tool.name), report);
}

/** Checks that a tool has the members that are stated of its input. */
function checkMembers(
  path: Path,
  { name, input = {} }: ToolCallDefinition,
  known: KnownTool | undefined,
  report: Report,
): void {
  for (const unknown of unknownMembers(path, input, known?.input)) {
    const member = unknown.path.slice(path.length).join('.');
    const near = suggest(String(unknown.path.at(-1)), unknown.known);
    const expected =
      unknown.known.length === 0 ? '; it takes none' : `; expected ${unknown.known.join(', ')}`;
    const message = `the tool ${quote(name)} has no input ${quote(member)}${near || expected}`;
    const details = { atKey: true, restsOn: [['tools']] };
    if (known?.isOwn) report.fault(unknown.path, message, details);
    else
      report.warn(unknown.path, `${message}, unless an extension brings another tool of that name`, details);
  }
}

/** The members of a value that its schema does not have, each with those that it has in its place. */
function unknownMembers(
  path: Path,
  value: JsonValue,
  schema: JsonValue | undefined,
): readonly { readonly path: Path; readonly known: readonly string[] }[] {
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => unknownMembers([...path, index], item, itemsOf(schema)));
  }
  const members = membersOf(schema);
  if (members === undefined || !isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    members.has(name)
      ? unknownMembers([...path, name], member, members.get(name))
      : [{ path: [...path, name], known: [...members.keys()] }],
  );
}

/** Warns for a tool that only an extension can bring. */
function checkToolName(path: Path, name: string, { tools }: IntentContext, report: Report): void {
  if (tools.has(name)) return;
  const near = suggest(name, tools.keys());
  report.warn(path, `there is no tool ${quote(name)} here; an extension has to bring it${near}`, {
    restsOn: [['tools'], ['articles'], ['example_tools']],
  });
}

function checkReplies(
  path: Path,
  intent: IntentDefinition,
  { company }: PlaybookDefinition,
  { entities, languages, tools }: IntentContext,
  report: Report,
): void {
  const stated = toolsOf(intent).map(({ name }) => tools.get(name)?.output);
  const tool = stated.length > 0 && outputMembers(stated);
  const brings = { tool, articles: intent.articles === true };
  const scopes = {
    replies: templateScope(entities, company, brings),
    not_found: templateScope(entities, company, { tool: false, articles: false }),
  };
  for (const member of ['replies', 'not_found'] as const) {
    const texts = intent[member];
    if (texts === undefined) continue;
    checkLanguages([...path, member], texts, languages, report);
    checkTemplates([...path, member], texts, scopes[member], report);
  }
}

// Articles

/** Something wrong with an article. */
interface ArticleIssue {
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
      report.fault(path, `no article names the intent ${quote(name)}; expected at least one`, {
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
        message: `there is no intent ${quote(name)}${suggest(name, names) || '; expected one'}`,
      })),
  );
  const warnings = articles.flatMap((article) =>
    article.languages
      .filter((language) => !languages.includes(language))
      .map((language) => ({
        article,
        message: `its language ${quote(language)} is not in company.languages`,
      })),
  );
  return { faults, warnings };
}
