import type { JsonObject } from '../../../lib/json/json.ts';
import type { Usage } from './ask.ts';

/** A call of a tool that the model asks for. */
export interface ProposedCall {
  readonly tool: string;
  /** The input that it fills in: an object, or the JSON text of one. */
  readonly input: unknown;
}

/** The answer of the model to a message. */
export type ModelAnswer = {
  /** The use of the calls for it. */
  readonly usage: Usage;
  /** The use of the check of the reply; none where there was no check. */
  readonly checkUsage: Usage;
  /** Further members of the data of the responder's decision, and of the verifier's. */
  readonly data: JsonObject;
  readonly checkData: JsonObject;
} & (
  | {
      readonly kind: 'reply';
      readonly reply: string;
      /** True for a text of the rules, which the model has only checked. */
      readonly isOfRules: boolean;
    }
  /** The rules write the reply, because the model could not: they would answer the same from the same sources. */
  | { readonly kind: 'by_rules'; readonly failure: string }
  | {
      readonly kind: 'person';
      readonly reason: 'left_open' | 'reply_does_not_fit' | 'reply_missing';
      /** The reply that must not be sent. */
      readonly draft: string | undefined;
      readonly failure: string | undefined;
    }
);

/** The notes of the stages of a language model about one message, for the stages after them. */
export interface ModelNotes {
  /**
   * The reason for which the rules judged the message in place of the model; undefined where the model did or was not
   * asked.
   */
  failure?: string;
  /** The calls that the model asks for; undefined where it was not asked. */
  proposed?: readonly ProposedCall[];
  /** The answer of the model; undefined before its verdict, and where the model has no part in it. */
  answer?: ModelAnswer | undefined;
}
