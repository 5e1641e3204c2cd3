/** The bounds that the use cases keep, with the defaults of the decisions. */
export const defaultLimits = {
  /** Messages in one batch. */
  maxBatchSize: 100,
  /** Steps in one workflow definition. */
  maxWorkflowSteps: 1_000,
  /** Steps of one layer that run at the same time. */
  maxConcurrentSteps: 256,
  /** Background runs under way at the same time; more wait. */
  maxBackgroundRuns: 256,
  /** Background runs that may wait; more are refused with `unavailable`. */
  maxWaitingRuns: 10_000,
  /** Subtasks of one routed goal. */
  maxSubtasks: 100,
  /** Attempts at one tool call in all. */
  toolMaxAttempts: 3,
  /** Milliseconds that one attempt at a tool call may take. */
  toolTimeoutMs: 10_000,
  /** Milliseconds within which an agent must answer. */
  agentTimeoutMs: 60_000,
  /** Milliseconds within which a stage of the pipeline must decide. */
  stageTimeoutMs: 60_000,
  /** Bytes of JSON that a step's resolved input may have. */
  maxInputBytes: 256 * 1_024,
  /** Bytes of JSON that the output of a tool, an agent or a step may have. */
  maxOutputBytes: 1_024 * 1_024,
} as const;

/** The bounds that the use cases keep; each is told at {@link defaultLimits}. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };
