import { type Priority, priorities } from '../../../domain/inbox/item.ts';
import { type Concern, concerns } from '../../../domain/message/message.ts';
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
} from '../../../domain/playbook/playbook.ts';
import { spacedName } from '../../../lib/text/words.ts';
import { type Article, articleTextsOf } from '../articles.ts';
import { languagesOf } from '../check/check.ts';
import {
  ANY_LANGUAGE,
  type IntentDefinition,
  type PlaybookDefinition,
  type TextsByLanguage,
  type ToolCallDefinition,
  toolsOf,
} from '../definition.ts';
import { createTemplate, plainTemplate } from '../templates/liquid.ts';
import { type CompleteTexts, completeTexts } from '../texts/built-in.ts';
import { versionOf } from '../version.ts';
import { createDueAt } from './due.ts';
import { compileEntity } from './entities.ts';
import { compileHours, compileSla } from './hours.ts';
import { compileModels } from './models.ts';
import { createToolInput } from './tool-input.ts';

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
  /** What depends on whether there is an inbox. */
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
