import type { RetryPolicy } from '../../domain/retry.ts';
import type { ApprovalStep, ChainDraft } from '../../domain/workflow/definition.ts';
import type { ForeachPolicy, StepPolicies } from '../../domain/workflow/policies.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { CelExpression, TextTemplate } from './built.ts';
import type { ItemContext, RunContext } from './context.ts';
import type { TypeSource } from './type-source.ts';
import type { Given, Value, Values } from './values.ts';

/**
 * An expression in CEL whose value has the type `T`: a text, cel`…`, or a function that returns one of them or a
 * reference.
 */
export type GivenExpression<Context, T> = Given<string | CelExpression<T>, Context>;

/** The input of a step: an object, or an expression whose value is one. */
export type GivenInput<Context> = Given<Values | CelExpression<object | null | undefined>, Context>;

/** What every step may say. Members have the meaning of those of `StepBase`. */
export interface StepOptions<Steps, Input, Id> extends Pick<StepPolicies, 'runIf' | 'timeoutMs' | 'onError'> {
  /** Steps that must end before this one, beside those that it refers to. */
  readonly dependsOn?: readonly Id[];
  readonly when?: GivenExpression<RunContext<Steps, Input>, boolean | null | undefined>;
  readonly foreach?: ForeachSpec<RunContext<Steps, Input>>;
}

/** As {@link ForeachPolicy}. The items are a list of values, or an expression. */
export interface ForeachSpec<Context, Item = unknown> extends Omit<ForeachPolicy, 'items'> {
  readonly items: Given<
    readonly Value[] | string | CelExpression<readonly Item[] | null | undefined>,
    Context
  >;
  /** The type of an item, for the compiler alone. */
  readonly item?: TypeSource<Item>;
}

/** A step that calls a tool. `returns` may tell the compiler what the tool returns. */
export interface ToolSpec<Steps, Input, Id, Context> extends StepOptions<Steps, Input, Id> {
  readonly kind: 'tool';
  readonly toolName: string;
  readonly input?: GivenInput<Context>;
  readonly retry?: RetryPolicy;
  readonly responseSchema?: never;
}

/** A step that sends its input to an agent. `returns` may tell the compiler what the agent returns. */
export interface AgentSpec<Steps, Input, Id, Context> extends StepOptions<Steps, Input, Id> {
  readonly kind: 'agent';
  readonly agentName: string;
  readonly input?: GivenInput<Context>;
  readonly retry?: RetryPolicy;
  readonly responseSchema?: never;
}

/** A step that runs another workflow. `returns` may tell the compiler the output of that workflow. */
export interface ChildSpec<Steps, Input, Id, Context> extends StepOptions<Steps, Input, Id> {
  readonly kind: 'workflow';
  readonly workflowId: string;
  readonly definition?: never;
  readonly input?: GivenInput<Context>;
  readonly responseSchema?: never;
}

/** A step that runs steps of its own. `returns` may tell the compiler the output of the definition. */
export interface ChainStepSpec<Steps, Input, Id, Context> extends StepOptions<Steps, Input, Id> {
  readonly kind: 'workflow';
  /** What `defineChain` returns. */
  readonly definition: ChainDraft;
  readonly workflowId?: never;
  readonly input?: GivenInput<Context>;
  readonly responseSchema?: never;
}

/** A step that waits for a duration. */
export interface DurationSpec<Steps, Input, Id> extends StepOptions<Steps, Input, Id> {
  readonly kind: 'wait';
  /** Milliseconds, at most 30 days. */
  readonly durationMs: number;
  readonly until?: never;
  readonly returns?: never;
  readonly responseSchema?: never;
}

/** A step that waits until a time. */
export interface UntilSpec<Steps, Input, Id, Context> extends StepOptions<Steps, Input, Id> {
  readonly kind: 'wait';
  /** A time in ISO 8601, or an expression that evaluates to one. */
  readonly until: GivenExpression<Context, string | null | undefined>;
  readonly durationMs?: never;
  readonly returns?: never;
  readonly responseSchema?: never;
}

/** A step that asks a person. `responseSchema`, a schema or JSON Schema, also gives the type of `data`. */
export interface ApprovalSpec<Steps, Input, Id, Context>
  extends StepOptions<Steps, Input, Id>,
    Pick<ApprovalStep, 'expiresInMs' | 'onExpire' | 'onReject'> {
  readonly kind: 'approval';
  readonly title: Given<string | TextTemplate, Context, string | TextTemplate | CelExpression>;
  readonly payload?: Given<Values, Context>;
  readonly returns?: never;
}

/** A step of `defineWorkflow`. `Context` is what its input can refer to. */
export type StepSpec<Steps, Input, Id, Context = ItemContext<Steps, Input>> =
  | ToolSpec<Steps, Input, Id, Context>
  | AgentSpec<Steps, Input, Id, Context>
  | ChildSpec<Steps, Input, Id, Context>
  | ChainStepSpec<Steps, Input, Id, Context>
  | DurationSpec<Steps, Input, Id>
  | UntilSpec<Steps, Input, Id, Context>
  | ApprovalSpec<Steps, Input, Id, Context>;

/** The members of a step that tell the compiler what it returns. */
export interface ReturnSpec<Returned> {
  /** The output of the tool, agent or workflow; of one item where the step has `foreach`. */
  readonly returns?: TypeSource<Returned>;
  /** The data that comes with an approval. */
  readonly responseSchema?: TypeSource<Returned> | JsonObject;
}

/** The member of a step that tells the compiler what its items are. */
export interface ItemSpec<Item> {
  readonly foreach?: { readonly item?: TypeSource<Item> };
}
