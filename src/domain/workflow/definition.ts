import type { JsonObject } from '../../lib/json/json.ts';

/** What a step calls. */
export const stepKinds = ['tool', 'agent'] as const;

/** One of {@link stepKinds}. */
export type StepKind = (typeof stepKinds)[number];

/** The fields of every step. */
export interface StepBase {
  readonly id: string;
  /** Ids of the steps that must complete before this one runs. */
  readonly dependsOn: readonly string[];
  /** The step's input. Templates in it are resolved when the step runs. */
  readonly staticInput: JsonObject;
}

/** A step that calls a registered tool. */
export interface ToolStep extends StepBase {
  readonly kind: 'tool';
  readonly toolName: string;
}

/** A step that sends its input to a registered agent. */
export interface AgentStep extends StepBase {
  readonly kind: 'agent';
  readonly agentName: string;
}

/** A step of a workflow. */
export type Step = ToolStep | AgentStep;

/** A step as a user defines it. Absent fields are empty. */
export type StepDraft = (
  | Omit<ToolStep, 'dependsOn' | 'staticInput'>
  | Omit<AgentStep, 'dependsOn' | 'staticInput'>
) &
  Partial<Pick<StepBase, 'dependsOn' | 'staticInput'>>;

/** The request to define a workflow. */
export interface WorkflowDraft {
  readonly name: string;
  /** Empty when absent. */
  readonly description?: string;
  readonly steps: readonly StepDraft[];
}

/** A stored, immutable DAG of steps (specification, section 2). */
export interface WorkflowDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly steps: readonly Step[];
  /** Step ids by layer. The steps of a layer depend only on steps of earlier layers. */
  readonly layers: readonly (readonly string[])[];
  /** Probable mistakes at creation that may be correct when the workflow runs. */
  readonly warnings: readonly string[];
  readonly createdAt: string;
}
