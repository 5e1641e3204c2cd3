import type { JsonObject } from '../../lib/json/json.ts';
import type { StepPolicies } from './policies.ts';

/** The kinds of steps: one calls a tool or an agent, runs another workflow, waits for a time, or asks a person. */
export const stepKinds = ['tool', 'agent', 'workflow', 'wait', 'approval'] as const;

/** One of {@link stepKinds}. */
export type StepKind = (typeof stepKinds)[number];

/** The fields of every step. */
export interface StepBase extends StepPolicies {
  readonly id: string;
  /** Ids of the steps that must end before this one runs. */
  readonly dependsOn: readonly string[];
  /**
   * The step's input. Templates in it are resolved when the step runs. A text is wholly one `${{ … }}`, which must
   * evaluate to an object.
   */
  readonly staticInput: JsonObject | string;
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

/**
 * A step that runs another workflow, or a chain of steps of its own, with its input, as a child of the run. Exactly one
 * of its two members is given.
 */
export interface WorkflowStep extends StepBase {
  readonly kind: 'workflow';
  /** The id of a workflow, or `key:<key>`: then the workflow that has the key when the step begins. */
  readonly workflowId?: string | undefined;
  readonly definition?: ChainDefinition | undefined;
}

/** A definition within a step: a chain of steps, which no other workflow can run. */
export interface ChainDefinition extends Pick<DefinitionOptions, 'inputSchema' | 'output'> {
  /** At most {@link MAX_CHAIN_STEPS}. */
  readonly steps: readonly Step[];
}

/** The most steps of a definition within a step. */
export const MAX_CHAIN_STEPS = 100;

/** The most steps of all definitions within the steps of a workflow, together. */
export const MAX_CHAINED_STEPS = 10_000;

/** A step that waits: exactly one of its two members is given. */
export interface WaitStep extends StepBase {
  readonly kind: 'wait';
  /** Milliseconds, at most {@link MAX_WAIT_MS}. */
  readonly durationMs?: number | undefined;
  /** A time in ISO 8601, or an expression that evaluates to one. */
  readonly until?: string | undefined;
}

/** The longest wait, in milliseconds: 30 days. */
export const MAX_WAIT_MS = 30 * 24 * 60 * 60 * 1_000;

/** The maximum depth of runs nested by steps that run another workflow; the outermost run counts. */
export const MAX_RUN_DEPTH = 8;

/** The outcomes of an approval that nobody has answered in time. */
export const expiryOutcomes = ['reject', 'approve'] as const;

/** The outcomes of a step that was rejected: it fails, or completes with `approved: false`. */
export const rejectionOutcomes = ['fail', 'continue'] as const;

/** A step that asks a person. */
export interface ApprovalStep extends StepBase {
  readonly kind: 'approval';
  /** One line that says what is to be approved. May contain templates. */
  readonly title: string;
  /** The information that the person needs. May contain templates; empty when absent. */
  readonly payload?: JsonObject | undefined;
  /** The JSON Schema (2020-12) of the data that comes with an approval; any data when absent. */
  readonly responseSchema?: JsonObject | undefined;
  /** Milliseconds until it expires; never when absent. */
  readonly expiresInMs?: number | undefined;
  /** `reject` when absent. */
  readonly onExpire?: (typeof expiryOutcomes)[number] | undefined;
  /** `fail` when absent. */
  readonly onReject?: (typeof rejectionOutcomes)[number] | undefined;
}

/** A step of a workflow. */
export type Step = ToolStep | AgentStep | WorkflowStep | WaitStep | ApprovalStep;

/** A step without the fields that may be absent. */
export type DraftOf<S extends Step> = S extends Step
  ? Omit<S, 'dependsOn' | 'staticInput' | 'definition'> &
      Partial<Pick<StepBase, 'dependsOn' | 'staticInput'>> &
      (S extends WorkflowStep ? { readonly definition?: ChainDraft | undefined } : unknown)
  : never;

/** A definition within a step, as a user writes it. */
export interface ChainDraft extends Omit<ChainDefinition, 'steps'> {
  readonly steps: readonly StepDraft[];
}

/** A step as a user defines it. Absent fields are empty. */
export type StepDraft = DraftOf<Step>;

/** The members of a definition beside its steps. */
export interface DefinitionOptions {
  /** Another name for it, which no other workflow has: 1 to 64 of `a-z`, `0-9` and `-`; none when absent. */
  readonly key?: string | undefined;
  /** The JSON Schema (2020-12) of the input of its runs; any object when absent. */
  readonly inputSchema?: JsonObject | undefined;
  /** The output of a completed run, with templates; none when absent. */
  readonly output?: JsonObject | undefined;
  /** Milliseconds that a run may take, its waits included; without a limit when absent. */
  readonly timeoutMs?: number | undefined;
  /** The number of steps of a layer that run at the same time; that of the service when absent. */
  readonly maxConcurrentSteps?: number | undefined;
}

/** The request to define a workflow. */
export interface WorkflowDraft extends DefinitionOptions {
  readonly name: string;
  /** Empty when absent. */
  readonly description?: string;
  readonly steps: readonly StepDraft[];
  /** Warnings about the request itself, such as its unknown members; they are told with those of the definition. */
  readonly notes?: readonly string[] | undefined;
}

/** A stored, immutable DAG of steps (specification, section 2): one version of a workflow. */
export interface WorkflowDefinition extends DefinitionOptions {
  readonly id: string;
  /** 1, 2, 3 … within the workflow. */
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly steps: readonly Step[];
  /** Step ids by layer. The steps of a layer depend only on steps of earlier layers. */
  readonly layers: readonly (readonly string[])[];
  /** Probable mistakes at creation that may be correct when the workflow runs. */
  readonly warnings: readonly string[];
  /** When this version was stored, in ISO 8601. */
  readonly createdAt: string;
  /**
   * The ids of the steps that lead to a definition within a step, such as `welcome` or `welcome/check`: its other
   * members are those of the workflow that it stands in. Absent for a stored definition.
   */
  readonly chain?: string | undefined;
}

/**
 * Tells a definition from every other one: versions are immutable, definitions that have one id, because a caller uses
 * that of a deleted workflow again, have different times of creation, and those within steps have their places.
 */
export function definitionKey({
  id,
  version,
  createdAt,
  chain = '',
}: Pick<WorkflowDefinition, 'id' | 'version' | 'createdAt' | 'chain'>): string {
  return `${version}:${createdAt}:${chain}:${id}`;
}
