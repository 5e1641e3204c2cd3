/** The message that a tool or an agent is called for. Every member is null where there is none, or it does not say. */
export interface CallContext {
  /** The trace of the message. */
  readonly traceId: string | null;
  readonly conversationId: string | null;
  readonly customerId: string | null;
  /** Where the message came from, such as `email`. */
  readonly source: string | null;
  /** Values of the sender's system, as the message had them. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The newest text of the message, with masked secrets, and its subject line. */
  readonly message: { readonly text: string; readonly subject: string | null } | null;
}

/** The context of a call for a run or a goal, which serves no message; null for no customer. */
export function contextFor(customerId: string | null): CallContext {
  return customerId === null ? noMessage : { ...noMessage, customerId };
}

/** The context of a call that serves no message, such as that of a workflow step. */
export const noMessage: CallContext = {
  traceId: null,
  conversationId: null,
  customerId: null,
  source: null,
  metadata: null,
  message: null,
};
