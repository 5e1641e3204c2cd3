import type { Concern } from '../../domain/message/message.ts';
import type { PlaybookConcern, StandardText, Sureness } from '../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** Texts by language, an ISO 639-1 code. */
export type TextsByLanguage = Readonly<Record<string, string>>;

/** Among the languages of a company: every other one, for a language model. */
export const ANY_LANGUAGE = '*';

/** A company, as a playbook states it. */
export interface CompanyDefinition {
  /** `Customer service` when absent. */
  readonly name?: string | undefined;
  /** The last line of every reply; the name when absent. */
  readonly signature?: string | undefined;
  /** The contacts of the company, by kind, such as `email`. */
  readonly contact?: Readonly<Record<string, string>> | undefined;
  /** The business of the company, for a language model. */
  readonly about?: string | undefined;
  /** The style of replies, for a language model. */
  readonly style?: string | undefined;
  /**
   * The languages of replies; the first is the default. English when absent. With `*` a language model may answer in
   * any other one too.
   */
  readonly languages?: readonly string[] | undefined;
  /** Texts of the service itself, in place of the built-in ones. */
  readonly tone?: Readonly<Partial<Record<StandardText, TextsByLanguage | undefined>>> | undefined;
}

/** A named pattern, as a playbook states it. */
export interface EntityDefinition {
  readonly name: string;
  /** A regular expression of RE2, without regard to case. Its group `value` is the value, else all of it. */
  readonly pattern: string;
  /** The steps that make the value of what matched, in their order. */
  readonly normalize?: readonly NormalizeStep[] | undefined;
  readonly examples?: readonly string[] | undefined;
}

/** The steps that change a value: `compact` takes spaces, dashes, dots and slashes out, `digits` all but digits. */
export const normalizeSteps = ['upper', 'lower', 'compact', 'digits'] as const;

/** One of {@link normalizeSteps}. */
export type NormalizeStep = (typeof normalizeSteps)[number];

/** An entity that a message must name, as a playbook states it. */
export interface RequiredDefinition {
  readonly entity: string;
  readonly question: TextsByLanguage;
}

/** A call of a tool, as a playbook states it. */
export interface ToolCallDefinition {
  readonly name: string;
  readonly input?: JsonObject | undefined;
}

/** An intent, as a playbook states it. */
export interface IntentDefinition {
  readonly name: string;
  /** The aim of the customer, in one sentence; the words of the name when absent. */
  readonly description?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  readonly threshold?: number | undefined;
  readonly model_threshold?: number | undefined;
  readonly required?: readonly RequiredDefinition[] | undefined;
  readonly tool?: ToolCallDefinition | undefined;
  /** In place of `tool`, for more than one. */
  readonly tools?: readonly ToolCallDefinition[] | undefined;
  readonly articles?: boolean | undefined;
  readonly replies?: TextsByLanguage | undefined;
  readonly not_found?: TextsByLanguage | undefined;
  readonly handover?: 'always' | undefined;
}

/** The tools of an intent, whichever member states them. */
export function toolsOf({ tool, tools = [] }: IntentDefinition): readonly ToolCallDefinition[] {
  return tool === undefined ? tools : [tool, ...tools];
}

/** A concern, as a playbook states it. What is absent is as built in. */
export interface ConcernDefinition {
  readonly phrases?: readonly string[] | undefined;
  /** Texts that do not raise it. */
  readonly harmless?: readonly string[] | undefined;
  /** The readiness to raise it; `normal` when absent. */
  readonly sensitivity?: PlaybookConcern['sensitivity'] | undefined;
  readonly priority?: number | undefined;
  readonly reply?: TextsByLanguage | undefined;
}

/** The days of a week in working hours, as members of a playbook; the first is day 0. */
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

/** When people work, as a playbook states it: by day, such as `08:00-17:00`, or `closed`. */
export interface HoursDefinition
  extends Readonly<Partial<Record<(typeof weekdays)[number] | 'weekdays', string | undefined>>> {
  readonly timezone: string;
}

/**
 * A time limit, as a playbook states it: a time span such as `30m`, `2h` or `1d`, within the hours unless it says
 * `always`.
 */
export type SlaDefinition =
  | string
  | { readonly within: string; readonly hours?: 'always' | 'opening' | undefined };

/** A tool that a playbook declares: what the playbook itself reads of it. */
export interface ToolDefinition {
  readonly name: string;
}

/** A language model, as a playbook states it. */
export interface ModelDefinition {
  readonly name: string;
  /** Its name at the provider. */
  readonly model: string;
  readonly base_url?: string | undefined;
  /** `env:NAME`: the variable of the environment that has the key. */
  readonly api_key?: string | undefined;
  /** For a million tokens. */
  readonly price?:
    | {
        readonly input: number;
        readonly cached_input?: number | undefined;
        readonly output: number;
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The name of another model. */
  readonly fallback?: string | undefined;
}

/** The name of the variable that `env:NAME` takes a model's key from; undefined for any other text. */
export function apiKeyVariableOf(text: string): string | undefined {
  return /^env:([A-Za-z_][A-Za-z0-9_]{0,127})$/.exec(text)?.[1];
}

/** The name of the tool that searches the articles of a playbook with an own folder. */
export const SEARCH_ARTICLES = 'search_articles';

/** A playbook as data: the form of the YAML file. Every member but `intents` is optional. */
export interface PlaybookDefinition<T extends ToolDefinition = ToolDefinition> {
  readonly company?: CompanyDefinition | undefined;
  readonly mode?: 'reply' | 'draft' | undefined;
  readonly auto_reply?: readonly string[] | undefined;
  /** The tools that messages of every intent may reach. */
  readonly message_tools?: readonly string[] | undefined;
  readonly example_tools?: boolean | undefined;
  /** The folder of the articles, relative to the playbook. */
  readonly articles?: string | undefined;
  readonly entities?: readonly EntityDefinition[] | undefined;
  readonly intents: readonly IntentDefinition[];
  readonly concerns?: Readonly<Partial<Record<Concern, ConcernDefinition | undefined>>> | undefined;
  /** By value of a tool and language: the texts that the filter `label` makes of values. */
  readonly labels?: Readonly<Record<string, TextsByLanguage>> | undefined;
  readonly hours?: HoursDefinition | undefined;
  /** By priority. */
  readonly sla?:
    | Readonly<Partial<Record<'1' | '2' | '3' | '4' | '5', SlaDefinition | undefined>>>
    | undefined;
  /** From 0 to 1: what a language model's confidence must reach for an answer; 0.6 when absent. */
  readonly model_threshold?: number | undefined;
  /** The probability that a language model is right, by what it says of how sure it is. */
  readonly model_confidence?: Readonly<Partial<Record<Sureness, number | undefined>>> | undefined;
  /** The file of a trained model, relative to the playbook. */
  readonly classifier?: string | undefined;
  readonly tools?: readonly T[] | undefined;
  /** Language models with their prices. */
  readonly models?: readonly ModelDefinition[] | undefined;
}

/** The languages of a playbook; the first is the default. */
export function languagesOf({ company }: PlaybookDefinition): readonly [string, ...string[]] {
  const [first = 'en', ...others] = (company?.languages ?? []).filter((one) => one !== ANY_LANGUAGE);
  return [first, ...others];
}

/** The values that every expression and template sees. */
export const messageRoots = ['entities', 'message', 'customer', 'conversation'] as const;
