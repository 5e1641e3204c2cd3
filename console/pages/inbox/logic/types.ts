import type { Client } from '../../../../src/entries/client.ts';
import type { JsonValue } from '../../../../src/lib/json/json.ts';

type Body<Answer> = Answer extends { ok: true; json(): Promise<infer Value> } ? Value : never;
type AnswerOf<Endpoint> = Endpoint extends (...args: never[]) => Promise<infer Answer> ? Body<Answer> : never;

/** An item with all that a decision about it needs. */
export type Case = AnswerOf<Client['inbox'][':id']['$get']>;

/** An item of the queue. */
export type Item = AnswerOf<Client['inbox']['$get']>['items'][number];

/** Why an item waits. */
export type Kind = Item['kind'];

/** The trace of a message. */
export type Trace = NonNullable<Case['trace']>;

/** What was said in a conversation. */
export type Conversation = NonNullable<Case['conversation']>;

/** What `POST /inbox/{id}/resolve` takes. */
export type Decision = Parameters<Client['inbox'][':id']['resolve']['$post']>[0]['json'];

/** What can be decided, of all kinds of items. */
export type Outcome = Decision['outcome'];

/** What a person has filled in for an item, and not sent. Members that were not touched are absent. */
export interface Draft {
  readonly response?: string;
  readonly intent?: string;
  readonly right?: boolean;
  /** A remark of the decision. */
  readonly remark?: string;
  /** A note that was not added yet. */
  readonly note?: string;
  /** What an approval brings with it. */
  readonly data?: JsonValue;
  /** The output of a step, as text. */
  readonly output?: string;
  /** What was chosen for a step of unknown outcome. */
  readonly outcome?: Outcome;
}
