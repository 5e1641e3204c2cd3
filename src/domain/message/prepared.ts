import type { MessageHistory } from './conversation.ts';
import type { CustomerMessage } from './message.ts';

/** The parts of a message that are not its newest text. */
export const setApartKinds = ['quote', 'forward', 'signature', 'footer'] as const;

/** A part of a message that was set apart: context, which decides nothing. */
export interface SetApart {
  readonly kind: (typeof setApartKinds)[number];
  readonly text: string;
}

/** The kinds of messages that no person wrote to be answered. */
export const automaticKinds = ['auto_reply', 'bounce', 'empty'] as const;

/** One of {@link automaticKinds}. */
export type AutomaticKind = (typeof automaticKinds)[number];

/** A message as the stages read it: plain text without quotes, signatures and footers. */
export interface PreparedText {
  /** The newest text. Empty for a message without any text. */
  readonly text: string;
  /** The parts that were set apart, in the order of the message. */
  readonly setApart: readonly SetApart[];
  /** The guessed language as an ISO 639-1 code, or `und` where the text is too short or in no known language. */
  readonly language: string;
  /** The kind of a message that a machine wrote, or nobody anything; false for any other. */
  readonly automatic: false | AutomaticKind;
}

/**
 * A message with its prepared text. Secrets of the customer are masked in both, unless the operator turned that off.
 */
export interface PreparedMessage extends CustomerMessage {
  readonly prepared: PreparedText;
  /** The earlier entries of its conversation; absent without one. */
  readonly history?: MessageHistory | undefined;
}
