import type { MessageHistory } from '../domain/message/conversation.ts';
import type {
  Classification,
  CompleteVerdict,
  CustomerMessage,
  Decision,
  Handover,
  Plan,
  ToolOutcome,
  Verdict,
} from '../domain/message/message.ts';
import type { PreparedMessage } from '../domain/message/prepared.ts';
import type { Awaitable } from '../lib/async/awaitable.ts';

/**
 * Reads a message before the stages: finds its newest text, sets quotes, signatures and footers apart, guesses the
 * language, recognizes automatic messages, and masks secrets. Of a message in a conversation `history` is what was said
 * before; it becomes part of the result, and a text of unclear language is in that of its conversation. `languages` are
 * those of the playbook in use: a text of unclear language is in one of them. The same message always has the same
 * result. The time is linear in its length; it never throws.
 */
export type Prepare = (
  message: CustomerMessage,
  history?: MessageHistory,
  languages?: readonly string[],
) => PreparedMessage;

/** The context that a stage receives with its input. */
export interface StageContext {
  /** Aborted when the stage takes too long or the service shuts down. */
  readonly signal: AbortSignal;
}

/** The input of the planner. */
export interface PlanningInput {
  readonly message: PreparedMessage;
  readonly classification: Classification;
  /** True for a registered tool that the message may reach: a plan must not name any other. */
  hasTool(name: string): boolean;
}

/** The input of the verifier. */
export interface VerificationInput extends Omit<PlanningInput, 'hasTool'> {
  readonly outcomes: readonly ToolOutcome[];
}

/** The input of the responder. */
export interface ResponseInput extends VerificationInput {
  readonly verdict: CompleteVerdict;
}

/**
 * The four stages of the message pipeline (specification, section 1). A stage that throws or hangs ends the pipeline as
 * FAILED. The pipeline checks what they return.
 */
export interface Stages {
  /** Decides what the customer wants. */
  classify(message: PreparedMessage, context: StageContext): Awaitable<Decision<Classification>>;
  /** Decides which tools to call, at most `MAX_TOOL_CALLS`. */
  plan(input: PlanningInput, context: StageContext): Awaitable<Decision<Plan>>;
  /** Decides whether the message can be answered or must be escalated to a person. */
  verify(input: VerificationInput, context: StageContext): Awaitable<Decision<Verdict>>;
  /**
   * Writes the reply to the customer, 1 to `MAX_REPLY_LENGTH` characters; it is dropped where nothing must be sent.
   * With a {@link Handover} the message is escalated after all.
   */
  respond(input: ResponseInput, context: StageContext): Awaitable<Decision<string | Handover>>;
}
