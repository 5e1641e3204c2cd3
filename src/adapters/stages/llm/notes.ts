import type { JsonObject } from '../../../lib/json/json.ts';
import type { Usage } from './ask.ts';

/** A call of a tool that the model asks for. */
export interface ProposedCall {
  readonly tool: string;
  /** What it fills in: an object, or the JSON text of one. */
  readonly input: unknown;
}

/** How the model answers a message. */
export type ModelAnswer = {
  /** What the calls for it used. */
  readonly usage: Usage;
  /** What a check of the reply used; none where there was no check. */
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

/** What the stages of a language model leave of one message for those after them. */
export interface ModelNotes {
  /** Why the rules judged the message in place of the model; undefined where the model did or was not asked. */
  failure?: string;
  /** The calls that the model asks for; undefined where it was not asked. */
  proposed?: readonly ProposedCall[];
  /** How the model answers the message; undefined before its verdict, and where the model has no part in it. */
  answer?: ModelAnswer | undefined;
}
