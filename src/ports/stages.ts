import type {
  Classification,
  CustomerMessage,
  Decision,
  Plan,
  ToolOutcome,
  Verdict,
} from '../domain/message/message.ts';
import type { Awaitable } from '../lib/async/awaitable.ts';

/** What a stage is given beside what it decides about. */
export interface StageContext {
  /** Aborted when the stage took too long or the service shuts down. */
  readonly signal: AbortSignal;
}

/** What a plan is made from. */
export interface PlanningInput {
  readonly message: CustomerMessage;
  readonly classification: Classification;
  /** Whether a tool of that name is registered: a plan must not name any other. */
  hasTool(name: string): boolean;
}

/** What a verdict is made from. */
export interface VerificationInput extends Omit<PlanningInput, 'hasTool'> {
  readonly outcomes: readonly ToolOutcome[];
}

/** What a reply is made from. */
export interface ResponseInput extends VerificationInput {
  readonly verdict: Verdict;
}

/**
 * The four stages of the message pipeline (specification, section 1). Each may throw or hang: the pipeline then
 * ends as FAILED. What they return is checked by the pipeline, so no stage has to be trusted.
 */
export interface Stages {
  /** Says what the customer wants. */
  classify(message: CustomerMessage, context: StageContext): Awaitable<Decision<Classification>>;
  /** Says which tools to call, at most `MAX_TOOL_CALLS`. */
  plan(input: PlanningInput, context: StageContext): Awaitable<Decision<Plan>>;
  /** Decides whether the outcome can be answered or goes to a person. */
  verify(input: VerificationInput, context: StageContext): Awaitable<Decision<Verdict>>;
  /** Writes the reply that the customer gets, 1 to `MAX_REPLY_LENGTH` characters. */
  respond(input: ResponseInput, context: StageContext): Awaitable<Decision<string>>;
}
