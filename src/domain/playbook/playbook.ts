import type { JsonObject } from '../../lib/json/json.ts';
import type { Priority } from '../inbox/item.ts';
import type { Concern } from '../message/message.ts';
import type { PreparedMessage } from '../message/prepared.ts';
import type { ModelEntry } from '../model-price.ts';

/** Something by language, an ISO 639-1 code. */
export type ByLanguage<T> = ReadonlyMap<string, T>;

/** A parsed template of a reply. */
export interface ReplyTemplate {
  /** Fills in the values, as plain text. Undefined where one that the template names is missing. Never throws. */
  render(values: JsonObject): string | undefined;
}

/** Something that a text names. */
export interface EntityMatch {
  /** The value, normalized: `WJ-20113` for `wj-20113`. */
  readonly value: string;
  /** The part of the text that stands for it. */
  readonly text: string;
}

/** A named pattern, such as an order number. */
export interface PlaybookEntity {
  readonly name: string;
  /** The first match in a text. The time is linear in its length. */
  find(text: string): EntityMatch | undefined;
}

/** An entity that a message must name before it can be answered, and the question that asks for it. */
export interface RequiredEntity {
  readonly entity: string;
  readonly question: ByLanguage<ReplyTemplate>;
}

/** The call of a tool that answers an intent. */
export interface PlaybookToolCall {
  readonly name: string;
  /** The members of the input that the playbook states: a language model neither sees nor chooses them. */
  readonly stated: ReadonlySet<string>;
  /** Makes the input. A member that names something which the message does not is omitted. Never throws. */
  input(values: JsonObject): JsonObject;
}

/** The handling of messages with one intent. */
export interface PlaybookIntent {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** A lower confidence, from 0 to 1, is not enough for an answer. Undefined where the playbook states none. */
  readonly threshold: number | undefined;
  /** The same for the confidence of a language model; that of the playbook where undefined. */
  readonly modelThreshold: number | undefined;
  readonly required: readonly RequiredEntity[];
  /** The tools whose outputs answer it, in the order of their calls. */
  readonly tools: readonly PlaybookToolCall[];
  /** Answered from the articles that name the intent, where it has no tools. */
  readonly articles: boolean;
  /** Always for a person. */
  readonly handover: boolean;
  /** Without any, an answer lists what the tool or the articles brought. */
  readonly replies: ByLanguage<ReplyTemplate>;
  /** The replies for when the tool finds nothing. */
  readonly notFound: ByLanguage<ReplyTemplate>;
}

/** The names of the intents that always go to a person. */
export function handedOverIn(intents: ReadonlyMap<string, PlaybookIntent>): ReadonlySet<string> {
  return new Set([...intents.values()].filter(({ handover }) => handover).map(({ name }) => name));
}

/** The readiness to raise a concern. */
export const sensitivities = ['low', 'normal', 'high'] as const;

/** The handling of messages with one concern. */
export interface PlaybookConcern {
  readonly priority: Priority;
  /** Further phrases that raise it, in lower case. */
  readonly phrases: readonly string[];
  /** Texts that do not raise it: what is ordinary for the company. */
  readonly harmless: readonly string[];
  readonly sensitivity: (typeof sensitivities)[number];
  readonly reply: ByLanguage<ReplyTemplate>;
}

/** The texts of the service itself, which stand in replies to messages of any intent. */
export const standardTexts = [
  /** The first line of a reply. */
  'greeting',
  /** The line before the signature. */
  'closing',
  /** The last paragraph of an answer: how to say that it does not help. */
  'offer',
  /** The reply to thanks. */
  'thanks',
  /** The reply to a greeting without a wish. */
  'welcome',
  /** The paragraph for a message in which card numbers or passwords were masked. */
  'masked',
  /** The reply to a message that is handed over to a person without a more special text. */
  'handover',
  /** The same for a customer whose last answer did not help. */
  'unresolved',
  /** The same for an upset customer. */
  'upset',
  /** The same for a message in another language. */
  'language',
  /** The same for a customer who asks for a person. */
  'human',
  /** The reply where a tool found nothing. */
  'not_found',
  /** The reply to a message that could not be processed. */
  'failure',
] as const;

/** One of {@link standardTexts}. */
export type StandardText = (typeof standardTexts)[number];

/** A company's name and how to reach it. */
export interface Company {
  readonly name: string;
  readonly signature: string;
  /** By kind, such as `email` or `phone`. */
  readonly contact: Readonly<Record<string, string>>;
  /** The languages of replies; the first is the default. */
  readonly languages: readonly [string, ...string[]];
  /** True where a language model may answer in any language. */
  readonly anyLanguage: boolean;
  /** The business of the company, and the style of its replies, for a language model. */
  readonly about: string | undefined;
  readonly style: string | undefined;
}

/** An article of a company, for a language model. */
export interface PlaybookArticle {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** The words by which a language model says how sure it is. */
export const surenesses = ['certain', 'likely', 'unsure'] as const;

/** One of {@link surenesses}. */
export type Sureness = (typeof surenesses)[number];

/** The probability that a language model is right, by what it says of how sure it is. */
export type ModelConfidence = Readonly<Record<Sureness, number>>;

/** The probabilities where nothing was measured. */
export const defaultModelConfidence: ModelConfidence = { certain: 0.95, likely: 0.75, unsure: 0.4 };

/** The confidence of a language model that an answer needs where the playbook states none. */
export const DEFAULT_MODEL_THRESHOLD = 0.6;

/** When people work. */
export interface WorkingHours {
  /** An IANA name, such as `Europe/Berlin`. */
  readonly timezone: string;
  /** By day, from 0 for Sunday: minutes since midnight, from and to; null on a day without work. */
  readonly days: readonly ({ readonly from: number; readonly to: number } | null)[];
}

/** The time that an item may wait. */
export interface TimeLimit {
  /** In milliseconds. */
  readonly within: number;
  /** The time that counts: that within the hours of work (`opening`), or all of it, at night too (`always`). */
  readonly hours: 'opening' | 'always';
}

/** The answers of a company, and the rules for them. */
export interface Playbook {
  /** Where it comes from: `built-in`, a file, or `code`. */
  readonly source: string;
  /** A short hash of all that decides with it: the playbook, its articles, its classifier and its tools. */
  readonly version: string;
  readonly company: Company;
  /** `draft`: no reply is sent before a person has seen it. */
  readonly mode: 'reply' | 'draft';
  /** The intents that may be answered automatically; all when undefined. */
  readonly autoReply: ReadonlySet<string> | undefined;
  /** By name, in the order of the playbook. `human_agent`, `spam` and `feedback` are always there. */
  readonly intents: ReadonlyMap<string, PlaybookIntent>;
  readonly entities: readonly PlaybookEntity[];
  readonly concerns: Readonly<Record<Concern, PlaybookConcern>>;
  readonly texts: ByLanguage<Readonly<Record<StandardText, string>>>;
  /**
   * The members that differ without an inbox: built-in texts then promise no person, but say what the customer can
   * do.
   */
  readonly withoutInbox: Pick<Playbook, 'intents' | 'concerns' | 'texts'>;
  /** Tools that messages of every intent may reach, beside those of their intents. */
  readonly messageTools: ReadonlySet<string>;
  /** The tool that searches the articles of this playbook; undefined where it has none. */
  readonly articlesTool: string | undefined;
  /** The titles, keywords and sentences of the articles of each intent, to learn from. */
  readonly articleTexts: ReadonlyMap<string, readonly string[]>;
  /** The articles of its folder. */
  readonly articles: readonly PlaybookArticle[];
  /** The confidence of a language model that an answer needs, from 0 to 1. */
  readonly modelThreshold: number;
  readonly modelConfidence: ModelConfidence;
  /** The language models that it declares, with their prices, by name. */
  readonly models: ReadonlyMap<string, ModelEntry>;
  /** Undefined: people work at any time. */
  readonly hours: WorkingHours | undefined;
  /** The time that an item may wait, by priority. */
  readonly sla: Readonly<Record<Priority, TimeLimit>>;
  /**
   * When an item of a priority that was opened at a time is overdue, both in milliseconds since the epoch. Only time
   * within the hours counts, unless the limit of the priority says otherwise.
   */
  dueAt(openedAt: number, priority: Priority): number;
}

/**
 * The names of the tools that a message with these intents may reach: those of the intents, the article search where
 * one of them is answered from articles, and the message tools. For messages no other registered tool exists.
 */
export function reachableTools(
  { intents, messageTools, articlesTool }: Pick<Playbook, 'intents' | 'messageTools' | 'articlesTool'>,
  named: readonly string[],
): ReadonlySet<string> {
  const reachable = new Set(messageTools);
  for (const intent of named.flatMap((name) => intents.get(name) ?? [])) {
    for (const { name } of intent.tools) reachable.add(name);
    if (isAnsweredFromArticles(intent) && articlesTool !== undefined) reachable.add(articlesTool);
  }
  return reachable;
}

/** True for an intent that is answered from articles: its own tools go first. */
export function isAnsweredFromArticles({ articles, tools }: PlaybookIntent): boolean {
  return articles && tools.length === 0;
}

// Replies

/** A playbook as its replies are made from it: without an inbox, built-in texts promise no person. */
export function speakingPlaybook(playbook: Playbook, hasInbox: boolean): Playbook {
  return hasInbox ? playbook : { ...playbook, ...playbook.withoutInbox };
}

/** The language of a locale, such as `de-AT`, among those of a company. */
export function languageOfLocale(
  locale: string | null | undefined,
  languages: readonly string[],
): string | undefined {
  const [stated] = locale?.toLowerCase().split(/[-_]/) ?? [];
  return languages.find((language) => language === stated);
}

/**
 * The language of the reply to a message; undefined where the playbook has no replies in that of the message. A text
 * that is too short to tell its language is taken to be in that of the sender, else in the default one.
 */
export function replyLanguage(
  { company: { languages } }: Playbook,
  { prepared, locale }: PreparedMessage,
): string | undefined {
  if (prepared.language !== 'und') return languages.find((language) => language === prepared.language);
  return languageOfLocale(locale, languages) ?? languages[0];
}

/**
 * The reply to a message that could not be processed, in its language where the playbook has that one, with the
 * greeting and the signature of every reply.
 */
export function failureReply(playbook: Playbook, message: PreparedMessage, hasInbox: boolean): string {
  const { texts, company } = speakingPlaybook(playbook, hasInbox);
  const language = replyLanguage(playbook, message) ?? company.languages[0];
  const own = texts.get(language);
  if (own === undefined) throw new Error(`the playbook has no texts in ${language}`);
  return [own.greeting, own.failure, `${own.closing}\n${company.signature}`].join('\n\n');
}
