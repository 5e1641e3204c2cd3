import type { Client } from '../../../../src/entries/client.ts';
import type { JsonValue } from '../../../../src/lib/json/json.ts';

type Body<Answer> = Answer extends { ok: true; json(): Promise<infer Value> } ? Value : never;
type AnswerOf<Endpoint> = Endpoint extends (...args: never[]) => Promise<infer Answer> ? Body<Answer> : never;

/** An item with all that a decision about it needs. */
export type Case = AnswerOf<Client['inbox'][':id']['$get']>;

/** An item of the queue. */
export type Item = AnswerOf<Client['inbox']['$get']>['items'][number];

/** The kind of decision for which an item waits. */
export type Kind = Item['kind'];

/** The trace of a message. */
export type Trace = NonNullable<Case['trace']>;

/** The entries of a conversation. */
export type Conversation = NonNullable<Case['conversation']>;

/** The body of `POST /inbox/{id}/resolve`. */
export type Decision = Parameters<Client['inbox'][':id']['resolve']['$post']>[0]['json'];

/** The outcomes of the decisions about all kinds of items. */
export type Outcome = Decision['outcome'];

/** The fields that a person has filled in for an item, and not sent. Members that were not touched are absent. */
export interface Draft {
  readonly response?: string;
  readonly intent?: string;
  readonly right?: boolean;
  /** A remark of the decision. */
  readonly remark?: string;
  /** A note that was not added yet. */
  readonly note?: string;
  /** The data of an approval. */
  readonly data?: JsonValue;
  /** The output of a step, as text. */
  readonly output?: string;
  /** The choice for a step of unknown outcome. */
  readonly outcome?: Outcome;
}
