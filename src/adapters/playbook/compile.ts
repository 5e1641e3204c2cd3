import { hash } from 'node:crypto';
import { type Priority, priorities } from '../../domain/inbox/item.ts';
import { type Concern, concerns } from '../../domain/message/message.ts';
import type { ModelEntry, ModelPrice } from '../../domain/model-price.ts';
import {
  type ByLanguage,
  type Company,
  DEFAULT_MODEL_THRESHOLD,
  defaultModelConfidence,
  type ModelConfidence,
  type Playbook,
  type PlaybookConcern,
  type PlaybookIntent,
  type PlaybookToolCall,
  type ReplyTemplate,
  type StandardText,
  standardTexts,
} from '../../domain/playbook/playbook.ts';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../lib/json/json.ts';
import { spacedName } from '../../lib/text/words.ts';
import { ExpressionError } from '../shared/expressions/error.ts';
import { type JsonTemplate, parseJsonTemplate } from '../shared/expressions/templates.ts';
import { type Article, articleTextsOf } from './articles.ts';
import {
  ANY_LANGUAGE,
  apiKeyVariableOf,
  type IntentDefinition,
  languagesOf,
  type ModelDefinition,
  messageRoots,
  type PlaybookDefinition,
  type TextsByLanguage,
  type ToolCallDefinition,
  toolsOf,
} from './definition.ts';
import { compileEntity } from './entities.ts';
import { compileHours, compileSla, createDueAt } from './hours.ts';
import { createTemplate, plainTemplate } from './templates.ts';
import { type CompleteTexts, completeTexts } from './texts.ts';

type Texts = Playbook['texts'];

/** The built-in priorities. */
const builtInPriorities: Readonly<Record<Concern, Priority>> = {
  self_harm: 1,
  injury: 1,
  threat: 1,
  fraud: 2,
  legal: 2,
  privacy: 2,
  discrimination: 2,
  vulnerable: 2,
  press: 3,
};

/** A stated priority, which was checked. */
function priorityOf(stated: number | undefined): Priority | undefined {
  return priorities.find((priority) => priority === stated);
}

/**
 * Makes a playbook of a definition that was checked. Templates, patterns and expressions are parsed when they are
 * first used.
 */
export function compilePlaybook(
  definition: PlaybookDefinition,
  source: string,
  articlesTool: string | undefined,
  articles: readonly Article[] = [],
): Playbook {
  const company = compileCompany(definition);
  const makeTemplate = templateMaker(definition, company);
  const hours = definition.hours && compileHours(definition.hours);
  const sla = compileSla(definition.sla ?? {});
  const intents = definition.intents.map((intent) => compileIntent(intent, makeTemplate));
  /** The members that differ with and without an inbox. */
  const speak = (hasInbox: boolean): Playbook['withoutInbox'] => {
    const builtIn = builtInTextsOf(company, hasInbox);
    const texts = compileTexts(definition, company.languages, builtIn);
    const byName = new Map<string, PlaybookIntent>();
    for (const intent of [...intents, ...standingIntents(texts)]) {
      if (!byName.has(intent.name)) byName.set(intent.name, intent);
    }
    return {
      intents: byName,
      concerns: compileConcerns(definition, company.languages, builtIn, makeTemplate),
      texts,
    };
  };
  return {
    source,
    version: versionOf({ definition }),
    company,
    mode: definition.mode ?? 'reply',
    autoReply: definition.auto_reply && new Set(definition.auto_reply),
    messageTools: new Set(definition.message_tools),
    entities: (definition.entities ?? []).map(compileEntity),
    ...speak(true),
    withoutInbox: speak(false),
    articlesTool,
    articleTexts: articleTextsOf(articles),
    articles: articles.map(({ id, title, body }) => ({ id, title, body })),
    modelThreshold: definition.model_threshold ?? DEFAULT_MODEL_THRESHOLD,
    modelConfidence: compileModelConfidence(definition.model_confidence),
    models: compileModels(definition.models ?? []),
    hours,
    sla,
    dueAt: createDueAt(hours, sla),
  };
}

function compileCompany(definition: PlaybookDefinition): Company {
  const {
    name = 'Customer service',
    signature = name,
    contact = {},
    about,
    style,
  } = definition.company ?? {};
  const anyLanguage = definition.company?.languages?.includes(ANY_LANGUAGE) ?? false;
  return { name, signature, contact, languages: languagesOf(definition), anyLanguage, about, style };
}

function compileModelConfidence(stated: PlaybookDefinition['model_confidence']): ModelConfidence {
  const { certain, likely, unsure } = defaultModelConfidence;
  return {
    certain: stated?.certain ?? certain,
    likely: stated?.likely ?? likely,
    unsure: stated?.unsure ?? unsure,
  };
}

/** Makes the template of a text in a language. */
type MakeTemplate = (text: string, language: string) => ReplyTemplate;

function templateMaker({ labels = {}, hours }: PlaybookDefinition, { languages }: Company): MakeTemplate {
  const shared = {
    defaultLanguage: languages[0],
    labels: new Map(Object.entries(labels).map(([value, texts]) => [value, new Map(Object.entries(texts))])),
    timeZone: hours?.timezone ?? 'UTC',
  };
  return (text, language) => createTemplate(text, { ...shared, language });
}

type BuiltIn = ByLanguage<CompleteTexts>;

function builtInTextsOf({ languages, contact }: Company, hasInbox: boolean): BuiltIn {
  return new Map(
    languages.flatMap((language): [string, CompleteTexts][] => {
      const texts = completeTexts(language, contact, hasInbox);
      return texts === undefined ? [] : [[language, texts]];
    }),
  );
}

function compileTexts(
  { company }: PlaybookDefinition,
  languages: readonly string[],
  builtIn: BuiltIn,
): Texts {
  const textIn = (name: StandardText, language: string): string => {
    const text = company?.tone?.[name]?.[language] ?? builtIn.get(language)?.texts[name];
    if (text !== undefined) return text;
    if (name === 'failure') return textIn('handover', language);
    throw new Error(`the playbook has no text ${name} in ${language}`);
  };
  return new Map(
    languages.map((language) => [
      language,
      Object.fromEntries(standardTexts.map((name) => [name, textIn(name, language)])) as Record<
        StandardText,
        string
      >,
    ]),
  );
}

function compileConcerns(
  { concerns: stated = {} }: PlaybookDefinition,
  languages: readonly string[],
  builtIn: BuiltIn,
  makeTemplate: MakeTemplate,
): Playbook['concerns'] {
  const replyIn = (name: Concern, language: string): ReplyTemplate => {
    const own = stated[name]?.reply?.[language];
    if (own !== undefined) return makeTemplate(own, language);
    const text = builtIn.get(language)?.concerns[name];
    if (text === undefined) throw new Error(`the playbook has no reply to ${name} in ${language}`);
    return plainTemplate(text);
  };
  const compile = (name: Concern): PlaybookConcern => ({
    priority: priorityOf(stated[name]?.priority) ?? builtInPriorities[name],
    phrases: (stated[name]?.phrases ?? []).map((phrase) => phrase.toLowerCase()),
    harmless: stated[name]?.harmless ?? [],
    sensitivity: stated[name]?.sensitivity ?? 'normal',
    reply: new Map(languages.map((language) => [language, replyIn(name, language)])),
  });
  return Object.fromEntries(concerns.map((name) => [name, compile(name)])) as Record<
    Concern,
    PlaybookConcern
  >;
}

function compileIntent(intent: IntentDefinition, makeTemplate: MakeTemplate): PlaybookIntent {
  const compileTemplates = (texts: TextsByLanguage = {}): ByLanguage<ReplyTemplate> =>
    new Map(Object.entries(texts).map(([language, text]) => [language, makeTemplate(text, language)]));
  const {
    name,
    description = spacedName(name),
    examples = [],
    threshold,
    model_threshold: modelThreshold,
    required = [],
    articles = false,
  } = intent;
  return {
    name,
    description,
    examples,
    threshold,
    modelThreshold,
    articles,
    required: required.map(({ entity, question }) => ({ entity, question: compileTemplates(question) })),
    tools: toolsOf(intent).map(compileToolCall),
    handover: intent.handover === 'always',
    replies: compileTemplates(intent.replies),
    notFound: compileTemplates(intent.not_found),
  };
}

function compileToolCall({ name, input = {} }: ToolCallDefinition): PlaybookToolCall {
  return { name, stated: new Set(Object.keys(input)), input: createToolInput(input) };
}

/** The intents that each playbook has, for where it does not state them. */
function standingIntents(texts: Texts): readonly PlaybookIntent[] {
  const templates = (name: StandardText): ByLanguage<ReplyTemplate> =>
    new Map(Array.from(texts, ([language, all]) => [language, plainTemplate(all[name])]));
  const none = {
    examples: [],
    threshold: undefined,
    modelThreshold: undefined,
    required: [],
    tools: [],
    articles: false,
    handover: false,
    replies: new Map(),
    notFound: new Map(),
  };
  return [
    {
      ...none,
      name: 'human_agent',
      description: 'Asks to speak to a person.',
      handover: true,
      replies: templates('human'),
    },
    { ...none, name: 'spam', description: 'Advertising, fraud or nonsense.' },
    { ...none, name: 'feedback', description: 'Praises, suggests or thanks.', replies: templates('thanks') },
  ];
}

// Models

/** The models of a playbook by name, in their order. */
function compileModels(models: readonly ModelDefinition[]): ReadonlyMap<string, ModelEntry> {
  return new Map(models.map((entry) => [entry.name, compileModel(entry)]));
}

function compileModel({ name, model, base_url, api_key, price, fallback }: ModelDefinition): ModelEntry {
  return {
    name,
    model,
    baseUrl: base_url,
    apiKeyVariable: api_key === undefined ? undefined : apiKeyVariableOf(api_key),
    price: price && compilePrice(price),
    fallback,
  };
}

function compilePrice({
  input,
  cached_input,
  output,
  currency,
}: NonNullable<ModelDefinition['price']>): ModelPrice {
  return { input, cachedInput: cached_input, output, currency };
}

// Inputs of tools

/** A value, of which the texts are parsed. */
type Compiled =
  | { readonly kind: 'leaf'; readonly template: JsonTemplate }
  | { readonly kind: 'path'; readonly keys: readonly string[] }
  | { readonly kind: 'list'; readonly items: readonly Compiled[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Compiled])[] };

/**
 * Makes the function that fills in the input of a tool. A member or item whose expression has no value is left out.
 * The expressions, which were checked, are parsed for the first input.
 */
function createToolInput(input: JsonObject): (values: JsonObject) => JsonObject {
  let members: readonly (readonly [string, Compiled])[] | undefined;
  return (values) => {
    members ??= Object.entries(input).map(([name, value]) => [name, compile(value)]);
    return evaluateMembers(members, values);
  };
}

function compile(value: JsonValue): Compiled {
  if (isJsonArray(value)) return { kind: 'list', items: value.map(compile) };
  if (!isJsonObject(value)) return compileLeaf(value);
  return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, compile(member)]) };
}

/** A leaf that is but a path is looked up: without a value it costs no error (benchmark `pipeline`). */
function compileLeaf(value: JsonValue): Compiled {
  const template = parseJsonTemplate(value, messageRoots);
  const [keys = []] = template.references;
  const isPath = typeof value === 'string' && value.replaceAll(' ', '') === `\${{${keys.join('.')}}}`;
  return isPath ? { kind: 'path', keys } : { kind: 'leaf', template };
}

function valueAt(keys: readonly string[], values: JsonObject): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const key of keys) value = isJsonObject(value) ? getOwn(value, key) : undefined;
  return value;
}

function evaluateMembers(members: readonly (readonly [string, Compiled])[], values: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, member] of members) {
    const value = evaluate(member, values);
    if (value !== undefined) setOwn(result, name, value);
  }
  return result;
}

function evaluate(compiled: Compiled, values: JsonObject): JsonValue | undefined {
  switch (compiled.kind) {
    case 'list':
      return compiled.items.map((item) => evaluate(item, values)).filter((value) => value !== undefined);
    case 'object':
      return evaluateMembers(compiled.members, values);
    case 'path':
      return valueAt(compiled.keys, values);
    case 'leaf':
      try {
        return compiled.template.evaluate(values);
      } catch (error) {
        if (error instanceof ExpressionError) return undefined;
        throw error;
      }
  }
}

// Version

/** The hexadecimal digits of a version. */
const LENGTH = 12;

/**
 * A short hash of all that decides with a playbook, as plain data. Members that are undefined do not count. The same
 * data has the same version in every process, wherever its files are, and no secret of the environment is in it.
 */
export function versionOf(parts: {
  readonly definition: object;
  readonly articles?: readonly object[] | undefined;
  readonly tools?: readonly object[] | undefined;
  /** The hash of a trained classifier. */
  readonly classifier?: string | undefined;
  /** The embedding model whose vectors are used. */
  readonly vectors?: object | undefined;
}): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, LENGTH);
}
