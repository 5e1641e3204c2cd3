import { type Concern, concerns } from '../../domain/message/message.ts';
import { standardTexts } from '../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import { PatternError } from '../shared/linear-pattern.ts';
import { isTimeZone } from '../shared/time-zone.ts';
import type { Article } from './articles.ts';
import { checkArticleIntents, checkIntents, type KnownTool } from './check-intents.ts';
import {
  checkKnownLanguages,
  checkPlain,
  checkTemplates,
  createReport,
  type Report,
  templateScope,
} from './check-texts.ts';
import {
  apiKeyVariableOf,
  type EntityDefinition,
  languagesOf,
  type ModelDefinition,
  type PlaybookDefinition,
  SEARCH_ARTICLES,
  type ToolDefinition,
} from './definition.ts';
import { compilePattern, MAX_TOTAL_SIZE, normalizeValue, type Pattern } from './entities.ts';
import { type Path, suggest } from './faults.ts';
import { playbookLimits } from './fields.ts';
import { builtInLanguages } from './texts.ts';

/** The tools, entities and checks that the rest of the service brings to a playbook. */
export interface CheckContext<T extends ToolDefinition> extends ToolChecks<T>, ModelChecks {
  /**
   * The example tools by name, which are there unless the playbook leaves them out, with the schemas of their inputs.
   * An extension may replace them.
   */
  readonly exampleTools: ReadonlyMap<string, JsonObject | undefined>;
  /** Entities that code finds, such as `order_id`. */
  readonly builtInEntities: readonly string[];
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

// Names

/** Checks that no name is there twice, and that there are not too many examples. */
function checkNames(playbook: PlaybookDefinition, report: Report): void {
  const {
    intents,
    entities = [],
    tools = [],
    auto_reply = [],
    message_tools = [],
    company,
    models = [],
  } = playbook;
  for (const name of concerns) {
    checkUniqueTexts(['concerns', name, 'harmless'], playbook.concerns?.[name]?.harmless ?? [], report);
  }
  for (const [index, { normalize = [] }] of entities.entries()) {
    checkUniqueTexts(['entities', index, 'normalize'], normalize, report);
  }
  checkUnique(['intents'], intents, report);
  checkUnique(['entities'], entities, report);
  checkUnique(['tools'], tools, report);
  checkUnique(['models'], models, report);
  checkUniqueTexts(['auto_reply'], auto_reply, report);
  checkUniqueTexts(['message_tools'], message_tools, report);
  checkUniqueTexts(['company', 'languages'], company?.languages ?? [], report);
  for (const [index, { required = [], tools: ofIntent = [] }] of intents.entries()) {
    checkUnique(['intents', index, 'tools'], ofIntent, report);
    const place = ['intents', index, 'required'];
    checkUnique(
      place,
      required.map(({ entity }) => ({ name: entity })),
      report,
      'entity',
    );
  }
  const search = tools.findIndex(({ name }) => name === SEARCH_ARTICLES);
  if (playbook.articles !== undefined && search !== -1) {
    const message = `${quote(SEARCH_ARTICLES)} searches the articles of the playbook; expected another name`;
    report.fault(['tools', search, 'name'], message);
  }
  const examples = intents.reduce((sum, intent) => sum + (intent.examples?.length ?? 0), 0);
  if (examples > playbookLimits.examples) {
    const most = playbookLimits.examples;
    report.fault(['intents'], `have ${examples} examples; expected at most ${most} in all`);
  }
}

function checkUnique(
  path: Path,
  items: readonly { readonly name: string }[],
  report: Report,
  member = 'name',
): void {
  const seen = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    if (seen.has(name)) report.fault([...path, index, member], `the name ${quote(name)} is there twice`);
    seen.add(name);
  }
}

function checkUniqueTexts(path: Path, texts: readonly string[], report: Report): void {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (seen.has(text)) report.fault([...path, index], `${quote(text)} is there twice`);
    seen.add(text);
  }
}

// The company

/**
 * Checks the texts of the service itself and the replies to concerns, of which each language needs all, and the labels.
 */
function checkCompany(
  { company, concerns: stated = {}, labels = {}, hours }: PlaybookDefinition,
  languages: readonly [string, ...string[]],
  entities: Iterable<string>,
  report: Report,
): void {
  if (company?.name === undefined) {
    report.warn(
      company === undefined ? [] : ['company'],
      'has no company.name: replies name "Customer service"',
    );
  }
  const tone = company?.tone ?? {};
  for (const name of standardTexts) {
    const path = ['company', 'tone', name];
    checkKnownLanguages(path, tone[name] ?? {}, languages, report);
    checkPlain(path, tone[name] ?? {}, report);
  }
  const scope = templateScope(entities, company, { tool: false, articles: false });
  for (const name of concerns) {
    const path = ['concerns', name, 'reply'];
    checkKnownLanguages(path, stated[name]?.reply ?? {}, languages, report);
    checkTemplates(path, stated[name]?.reply ?? {}, scope, report);
  }
  for (const [value, texts] of Object.entries(labels)) {
    checkKnownLanguages(['labels', value], texts, languages, report);
    checkPlain(['labels', value], texts, report);
    if (!Object.hasOwn(texts, languages[0])) {
      const other = `the value itself stands in languages without a text`;
      report.warn(['labels', value], `has no text in "${languages[0]}", the default language: ${other}`, {
        restsOn: [['company', 'languages']],
      });
    }
  }
  for (const [index, language] of languages.entries()) {
    if (builtInLanguages.includes(language)) continue;
    const path = ['company', 'languages', index];
    const hasReply = (name: Concern) => Object.hasOwn(stated[name]?.reply ?? {}, language);
    const missing = [
      ...standardTexts
        // Without a text of its own, a failure gets that of any handover.
        .filter((name) => name !== 'failure' && !Object.hasOwn(tone[name] ?? {}, language))
        .map((name) => `company.tone.${name}`),
      ...concerns.filter((name) => !hasReply(name)).map((name) => `concerns.${name}.reply`),
    ];
    if (missing.length === 0) continue;
    report.fault(
      path,
      `"${language}" has no built-in texts; expected a text in ${language} for ${missing.join(', ')}`,
    );
  }
  if (hours !== undefined && !isTimeZone(hours.timezone)) {
    report.fault(
      ['hours', 'timezone'],
      'is not a known time zone; expected an IANA name such as Europe/Berlin',
    );
  }
}

// Entities

/**
 * Checks that each pattern is linear, not too large, and matches its own examples as a whole, and that a value is left
 * of them.
 */
function checkEntities(entities: readonly EntityDefinition[], report: Report): void {
  let total = 0;
  for (const [index, { pattern: source, examples = [], normalize = [] }] of entities.entries()) {
    const path = ['entities', index];
    const pattern = compileOrReport(source, [...path, 'pattern'], report);
    if (pattern === undefined) continue;
    total += pattern.size;
    if (total > MAX_TOTAL_SIZE) {
      report.fault(
        path,
        `makes the patterns too large: ${total} parts in all; expected at most ${MAX_TOTAL_SIZE}`,
      );
      return;
    }
    for (const group of pattern.otherGroups) {
      report.warn(
        [...path, 'pattern'],
        `the group ${quote(group)} is not used; only one with the name "value" is`,
      );
    }
    for (const [at, example] of examples.entries()) {
      const found = pattern.find(example);
      const place = [...path, 'examples', at];
      if (found?.text !== example) {
        const what = found === undefined ? 'nothing' : quote(found.text);
        report.fault(place, `the pattern finds ${what} in ${quote(example)}; expected all of it`);
      } else if (normalizeValue(found.value, normalize) === '') {
        report.fault(place, `no value is left of ${quote(example)}; expected one`);
      }
    }
  }
}

function compileOrReport(source: string, path: Path, report: Report): Pattern | undefined {
  try {
    return compilePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    report.fault(path, error.message);
    return undefined;
  }
}

// Tools

/** Something that is wrong with a tool: the path is within its definition. */
interface ToolIssue {
  readonly path: Path;
  readonly message: string;
}

/** The JSON Schemas of a tool; undefined where they are not known. */
interface ToolSchemas {
  readonly input: JsonObject | undefined;
  readonly output: JsonObject | undefined;
}

/** The checks of tools that a playbook declares, and what it means that a variable or a classifier is missing. */
export interface ToolChecks<T extends ToolDefinition> {
  /** The faults of a tool in itself. */
  checkTool(tool: T): readonly ToolIssue[];
  /** The variables of the environment that a tool names and that are not there. */
  checkEnvironment(tool: T): readonly ToolIssue[];
  readonly missing: 'fault' | 'warning';
  /** The schemas of a tool, also of one that is not valid. */
  schemasOf(tool: T): ToolSchemas;
}

/** Checks each tool, and that the environment has the variables that it names. */
export function checkTools<T extends ToolDefinition>(
  { tools = [] }: Pick<PlaybookDefinition<T>, 'tools'>,
  checks: Omit<ToolChecks<T>, 'schemasOf'>,
  report: Report,
): void {
  for (const [index, tool] of tools.entries()) {
    const place = ['tools', index];
    for (const { path, message } of checks.checkTool(tool)) report.fault([...place, ...path], message);
    for (const { path, message } of checks.checkEnvironment(tool)) {
      if (checks.missing === 'fault') report.fault([...place, ...path], message);
      else report.warn([...place, ...path], message);
    }
  }
}

// Models

/** The part of the environment that the check of models needs. */
interface ModelChecks {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The meaning of a missing variable. */
  readonly missing: 'fault' | 'warning';
}

/** Checks addresses, keys and fallbacks of the models. No value of a key or an address is told. */
function checkModels(
  { models = [] }: Pick<PlaybookDefinition, 'models'>,
  checks: ModelChecks,
  report: Report,
): void {
  const byName = new Map(models.map((entry) => [entry.name, entry]));
  for (const [index, entry] of models.entries()) {
    const place = ['models', index];
    if (entry.base_url !== undefined && !isPlainAddress(entry.base_url)) {
      const message = 'must be an http:// or https:// URL without user, query and fragment';
      report.fault([...place, 'base_url'], message);
    }
    const problem = keyProblem(entry, checks.env);
    if (problem !== undefined) {
      const tell = problem.isOfEnvironment && checks.missing === 'warning' ? report.warn : report.fault;
      tell([...place, 'api_key'], problem.message);
    }
    if (entry.fallback === undefined) continue;
    const names = { restsOn: [['models']] };
    if (!byName.has(entry.fallback)) {
      const others = [...byName.keys()].filter((name) => name !== entry.name);
      const near = suggest(entry.fallback, others);
      report.fault([...place, 'fallback'], `there is no model ${quote(entry.fallback)}${near}`, names);
    } else if (isInCircle(entry, byName)) {
      report.fault([...place, 'fallback'], `the fallbacks of ${quote(entry.name)} lead back to it`, names);
    }
  }
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && hostname !== '' && username + password + search + hash === '';
}

interface KeyProblem {
  readonly message: string;
  /** The playbook is right, but the environment is not. */
  readonly isOfEnvironment: boolean;
}

function keyProblem({ api_key: stated }: ModelDefinition, env: ModelChecks['env']): KeyProblem | undefined {
  if (stated === undefined) return undefined;
  const variable = apiKeyVariableOf(stated);
  if (variable === undefined) {
    return { message: 'must be env:NAME, to take the key from the environment', isOfEnvironment: false };
  }
  const value = env[variable]?.trim() ?? '';
  if (/^[\x21-\x7e]+$/.test(value)) return undefined;
  const reason = value === '' ? 'is not set' : 'has characters that a key cannot have';
  return { message: `the environment variable ${variable} ${reason}`, isOfEnvironment: true };
}

function isInCircle(entry: ModelDefinition, byName: ReadonlyMap<string, ModelDefinition>): boolean {
  const seen = new Set<ModelDefinition>();
  let next = byName.get(entry.fallback ?? '');
  while (next !== undefined && !seen.has(next)) {
    if (next.name === entry.name) return true;
    seen.add(next);
    next = byName.get(next.fallback ?? '');
  }
  return false;
}
