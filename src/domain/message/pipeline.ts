import { OrchestrationError } from '../errors.ts';

/** The states of the message pipeline (specification, section 3). */
export const pipelineStates = [
  'RECEIVED',
  'CLASSIFIED',
  'PLANNING',
  'TOOL_EXECUTION',
  'VERIFYING',
  'COMPLETED',
  'FAILED',
] as const;

/** One of {@link pipelineStates}. */
export type PipelineState = (typeof pipelineStates)[number];

/** The stages of the message pipeline that make decisions, as traces name them. */
export const stageNames = ['classifier', 'planner', 'verifier', 'responder'] as const;

/** One of {@link stageNames}. */
export type StageName = (typeof stageNames)[number];

/** All legal transitions. */
const pipelineTransitions = {
  RECEIVED: ['CLASSIFIED', 'FAILED'],
  CLASSIFIED: ['PLANNING', 'FAILED'],
  PLANNING: ['TOOL_EXECUTION', 'FAILED'],
  TOOL_EXECUTION: ['VERIFYING', 'FAILED'],
  VERIFYING: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
} as const satisfies Record<PipelineState, readonly PipelineState[]>;

/** The state after a transition. Throws `invalid_transition` when the transition is not legal. */
export function transition(from: PipelineState, to: PipelineState): PipelineState {
  const allowed: readonly PipelineState[] = pipelineTransitions[from];
  if (!allowed.includes(to)) {
    throw new OrchestrationError('invalid_transition', `the pipeline cannot go from ${from} to ${to}`);
  }
  return to;
}
