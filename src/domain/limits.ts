/** The limits of the core with their defaults (decisions, sections 1 and 5). */
export const defaultLimits = {
  /** Messages in one batch. */
  maxBatchSize: 100,
  /** Steps in one workflow definition. */
  maxWorkflowSteps: 1_000,
  /** Items that a step with `foreach` runs for. */
  maxForeachItems: 1_000,
  /** Runs that one run may have below it at each depth. */
  maxChildRuns: 10_000,
  /** Steps of one layer that run at the same time. */
  maxConcurrentSteps: 256,
  /** Background runs that run at the same time; more wait. */
  maxBackgroundRuns: 256,
  /** Background runs that may wait; more are rejected with `unavailable`. */
  maxWaitingRuns: 10_000,
  /** Milliseconds that the steps of a cancelled run have to end by themselves. */
  cancelGraceMs: 10_000,
  /** Subtasks of one routed goal. */
  maxSubtasks: 100,
  /** Attempts at one tool call, the first included. */
  toolMaxAttempts: 3,
  /** Milliseconds that one attempt at a tool call may take. */
  toolTimeoutMs: 10_000,
  /** Milliseconds within which an agent must reply. */
  agentTimeoutMs: 60_000,
  /** Milliseconds within which a stage of the message pipeline must return. */
  stageTimeoutMs: 60_000,
  /** Bytes of JSON that the resolved input of a step may have. */
  maxInputBytes: 256 * 1_024,
  /** Bytes of JSON that the output of a tool, an agent or a step may have. */
  maxOutputBytes: 1_024 * 1_024,
  /** Milliseconds for which a person has an item of the inbox to themselves. */
  inboxClaimMs: 30 * 60 * 1_000,
  /** Milliseconds from its opening to the end of an inbox item about a message that nobody has answered. */
  inboxExpiryMs: 7 * 24 * 60 * 60 * 1_000,
  /** Milliseconds for which the answer to a request with an idempotency key is kept. */
  idempotencyTtlMs: 24 * 60 * 60 * 1_000,
} as const;

/** The limits of the core; each is described at {@link defaultLimits}. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };
