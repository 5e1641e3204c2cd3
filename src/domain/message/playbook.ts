import type { Concern, Intent } from './message.ts';

/** A text by language, an ISO 639-1 code. */
export type Texts = Readonly<Record<string, string>>;

/** What a message must name before its tool can be called, and the question that asks for it. */
export interface RequiredEntity {
  readonly entity: string;
  readonly question: Texts;
}

/** A tool, and its input: texts, of which `${{ … }}` stands for a value of the message. */
export interface PlaybookTool {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

/** How messages with one intent are handled. */
export interface PlaybookIntent {
  readonly name: Intent;
  readonly description: string;
  readonly examples: readonly string[];
  /** A lower confidence, from 0 to 1, is not enough for an answer. */
  readonly threshold: number;
  readonly required: readonly RequiredEntity[];
  readonly tool: PlaybookTool | undefined;
  /** Answered from the articles that name the intent. */
  readonly articles: boolean;
  /** Always for a person. */
  readonly handover: boolean;
  /** Liquid templates. Without any, messages with the intent are not replied to. */
  readonly replies: Texts;
  /** The replies for when the tool finds nothing. */
  readonly notFound: Texts;
}

/** How messages with one concern are handed over. */
export interface PlaybookConcern {
  /** 1 is the most urgent, 5 the least. */
  readonly priority: number;
  readonly reply: Texts;
}

/** What a company answers, and how: data that the stages read. */
export interface Playbook {
  readonly company: {
    readonly name: string;
    readonly signature: string;
    /** The languages of replies; the first is the default. */
    readonly languages: readonly string[];
  };
  readonly intents: Readonly<Record<Intent, PlaybookIntent>>;
  readonly concerns: Readonly<Record<Concern, PlaybookConcern>>;
}
