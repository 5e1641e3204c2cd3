import type { JsonObject } from '../../lib/json/json.ts';

/** What a step may call. */
export const stepKinds = ['tool', 'agent'] as const;

/** One of {@link stepKinds}. */
export type StepKind = (typeof stepKinds)[number];

/** What all steps have. */
export interface StepBase {
  readonly id: string;
  /** Ids of the steps that must finish first. */
  readonly dependsOn: readonly string[];
  /** The step's input; templates in it are replaced before it runs. */
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

/** A step of a workflow; `kind` tells which. */
export type Step = ToolStep | AgentStep;

/** A step as it is asked for: what is absent is empty. */
export type StepDraft = (
  | Omit<ToolStep, 'dependsOn' | 'staticInput'>
  | Omit<AgentStep, 'dependsOn' | 'staticInput'>
) &
  Partial<Pick<StepBase, 'dependsOn' | 'staticInput'>>;

/** What a user sends to define a workflow, its shape already checked. */
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
  /** Step ids by layer: the steps of a layer depend only on steps of earlier ones. */
  readonly layers: readonly (readonly string[])[];
  /** What was odd at creation but may be right at run time. */
  readonly warnings: readonly string[];
  readonly createdAt: string;
}
