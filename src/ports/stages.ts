import type {
  Classification,
  CustomerMessage,
  Decided,
  Plan,
  ToolOutcome,
  Verdict,
} from '../domain/message.ts';

/** A value, or a promise of it: stages that need no waiting should not make their callers wait. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What a stage is given beside what it decides about. */
export interface StageContext {
  /** Aborted when the stage took too long or the service shuts down. */
  readonly signal: AbortSignal;
}

/** What a plan is made from. */
export interface PlanningInput {
  readonly message: CustomerMessage;
  readonly classification: Classification;
}

/** What a verdict is made from. */
export interface VerificationInput extends PlanningInput {
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
  classify(message: CustomerMessage, context: StageContext): Awaitable<Decided<Classification>>;
  /** Says which tools to call, at most `MAX_TOOL_CALLS`. */
  plan(input: PlanningInput, context: StageContext): Awaitable<Decided<Plan>>;
  /** Decides whether the outcome can be answered or goes to a person. */
  verify(input: VerificationInput, context: StageContext): Awaitable<Decided<Verdict>>;
  /** Writes the reply that the customer gets, 1 to `MAX_REPLY_LENGTH` characters. */
  respond(input: ResponseInput, context: StageContext): Awaitable<Decided<string>>;
}
