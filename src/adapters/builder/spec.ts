import type { RetryPolicy } from '../../domain/retry.ts';
import type { ApprovalStep, ChainDraft, DefinitionOptions } from '../../domain/workflow/definition.ts';
import type { ForeachPolicy, StepPolicies } from '../../domain/workflow/policies.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { InputSchema } from '../../ports/tool.ts';
import type { CelExpression, Literal, Ref, Shape, TextTemplate, UntypedReference } from './expressions.ts';

/** The steps of a workflow by their ids. The compiler infers the members of `Types` from them. */
export type StepSpecs<Types extends StepTypes, Input> = {
  readonly [Id in keyof Types['kinds']]: {
    readonly kind: Types['kinds'][Id];
  } & (Types['kinds'][Id] extends StepKind
    ? StepSpec<StepRefs<Types, Id>, Input, OtherIds<Types['kinds'], Id>, StepContext<Types, Input, Id>>
    : NoSuchKind);
} & { readonly [Id in keyof Types['returns']]: ReturnSpec<Types['returns'][Id]> } & {
  readonly [Id in keyof Types['members']]: MemberCheck<Types['members'][Id], Of<Types['kinds'], Id>>;
} & { readonly [Id in keyof Types['items']]: ItemSpec<Types['items'][Id]> };

/** Lets the compiler infer which members a step has, and refuses those that its kind has not. */
export type MemberCheck<Members, Kind> = {
  readonly [Key in keyof Members]: Key extends MemberOf<Kind> ? unknown : NoSuchMember<Kind, Key>;
};

/** A workflow as {@link defineWorkflow} takes it. The members have the meaning of those of `WorkflowDraft`. */
export interface WorkflowSpec<Types extends StepTypes, Input> extends Omit<DefinitionOptions, 'output'> {
  readonly name: string;
  readonly description?: string;
  /** The type of the input. A schema, such as one of zod, is the `inputSchema` of the definition too. */
  readonly input?: TypeSource<Input>;
  /** The steps by their ids, which are 1 to 64 letters, digits, `_` or `-`. */
  readonly steps: StepSpecs<Types, Input>;
  /** The output of a completed run. */
  readonly output?: Given<Values, RunContext<StepRefs<Types>, Input>>;
}

/** A definition within a step, as {@link defineChain} takes it. */
export type ChainSpec<Types extends StepTypes, Input> = Pick<
  WorkflowSpec<Types, Input>,
  'input' | 'inputSchema' | 'steps' | 'output'
>;

/**
 * An expression in CEL whose value has the type `T`: a text, cel`…`, or a function that returns one of them or a
 * reference.
 */
export type GivenExpression<Context, T> = Given<string | CelExpression<T>, Context>;

/** The input of a step: an object, or an expression whose value is one. */
export type GivenInput<Context> = Given<Values | CelExpression<object | null | undefined>, Context>;

/** The members of every step. They have the meaning of those of `StepBase`. */
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
  /** The result of `defineChain`. */
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

/** The members that steps of every kind may have. */
export type CommonMember = 'kind' | 'dependsOn' | 'when' | 'runIf' | 'timeoutMs' | 'onError' | 'foreach';

/** The further members of the steps of each kind. */
export interface KindMembers {
  readonly tool: 'toolName' | 'input' | 'returns' | 'retry';
  readonly agent: 'agentName' | 'input' | 'returns' | 'retry';
  readonly workflow: 'workflowId' | 'definition' | 'input' | 'returns';
  readonly wait: 'durationMs' | 'until';
  readonly approval: 'title' | 'payload' | 'responseSchema' | 'expiresInMs' | 'onExpire' | 'onReject';
}

/** The kinds of steps. */
export type StepKind = keyof KindMembers;

/** The members that a step of the kind may have. */
export type MemberOf<K> = K extends StepKind ? CommonMember | KindMembers[K] : PropertyKey;

/** The member that the compiler asks for in a step of an unknown kind. */
export interface NoSuchKind {
  readonly 'a kind that exists: tool, agent, workflow, wait or approval': true;
}

/** The type that the compiler shows for a member that no step of the kind has. */
export type NoSuchMember<K, Key> = `a step of kind ${K & string} has no member ${Key & string}`;

/** The output of an approval; `Data` is what comes with the answer. */
export interface ApprovalOutput<Data = unknown> {
  readonly approved: boolean;
  /** Null where none was given. */
  readonly data: Data | null;
  readonly decided_by: string;
  readonly decided_at: string;
  readonly note: string | null;
}

/** The output of a step that runs another workflow; `Output` is that of the workflow. */
export interface ChildOutput<Output = unknown> {
  readonly execution_id: string;
  readonly status: string;
  readonly output: Output;
}

/** The output of a step with `foreach`; `Output` is that of one item. */
export interface ForeachOutput<Output = unknown> {
  /** In the order of the items; null for one that failed. */
  readonly results: readonly (Output | null)[];
  /** Error texts by index. */
  readonly errors: { readonly [index: string]: string };
  readonly count: number;
  readonly failed: number;
}

/** The type of the output of a step, or of one item of it. */
export type OutputOf<Kind, Returned> = Kind extends 'approval'
  ? ApprovalOutput<Returned>
  : Kind extends 'workflow'
    ? ChildOutput<Returned>
    : Returned;

/** The types of the steps of a workflow, each by their ids. */
export interface StepTypes {
  readonly kinds: unknown;
  readonly returns: unknown;
  /** Their members: a step with `foreach` has another output, and items. */
  readonly members: unknown;
  readonly items: unknown;
}

/** The type of the step `Id` in `Types`; unknown where there is none. */
export type Of<Types, Id> = Id extends keyof Types ? Types[Id] : unknown;

/** True for a step with `foreach`. */
export type HasItems<Types extends StepTypes, Id> = 'foreach' extends keyof Of<Types['members'], Id>
  ? true
  : false;

/** The type of the output of a step. */
export type StepOutput<Types extends StepTypes, Id> =
  HasItems<Types, Id> extends true
    ? ForeachOutput<OutputOf<Of<Types['kinds'], Id>, Of<Types['returns'], Id>>>
    : OutputOf<Of<Types['kinds'], Id>, Of<Types['returns'], Id>>;

/** The ids of all steps but `Without`; any text where the ids are known only when the program runs. */
export type OtherIds<Kinds, Without> = string extends keyof Kinds ? string : Exclude<keyof Kinds, Without>;

/** The outputs of all steps but `Without`, by their ids; untyped where the ids are known only when the program runs. */
export type StepRefs<Types extends StepTypes, Without = never> = string extends keyof Types['kinds']
  ? Readonly<Record<string, UntypedReference>>
  : { readonly [Id in OtherIds<Types['kinds'], Without>]: Ref<StepOutput<Types, Id>> };

/** The facts of a run. Its times are timestamps in expressions, and texts in RFC 3339 everywhere else. */
export interface RunValues {
  readonly id: string;
  readonly created_at: string;
  /** When its first attempt has started. */
  readonly started_at: string;
  /** 1, and one more for each retry. */
  readonly attempt: number;
}

/** The schedule that has started a run; all of it is null where none has. */
export interface ScheduleValues {
  readonly id: string | null;
  /** Null also for a run that was triggered by hand. */
  readonly fire_at: string | null;
  readonly timezone: string | null;
}

/** The values that the parts of a definition can refer to. */
export interface RunContext<Steps, Input> {
  /** The outputs of the other steps. A reference to one makes it a dependency. */
  readonly steps: Steps;
  /** The input of the run. */
  readonly input: Ref<Input>;
  readonly run: Ref<RunValues>;
  readonly schedule: Ref<ScheduleValues>;
}

/** The values that the input of a step with `foreach` can refer to. */
export interface ItemContext<Steps, Input, Item = unknown> extends RunContext<Steps, Input> {
  readonly item: Ref<Item>;
  /** From 0. */
  readonly index: Ref<number>;
}

/** The values that the input of the step `Id` can refer to. */
export type StepContext<Types extends StepTypes, Input, Id> =
  HasItems<Types, Id> extends true
    ? ItemContext<StepRefs<Types, Id>, Input, Of<Types['items'], Id>>
    : RunContext<StepRefs<Types, Id>, Input>;

/** A context whose types are not known. */
export type AnyContext = ItemContext<Readonly<Record<string, UntypedReference>>, unknown>;

/** A value of a definition: JSON that may contain references, expressions, texts and literals. */
export type Value =
  | string
  | number
  | boolean
  | null
  | CelExpression
  | TextTemplate
  | Literal
  | readonly Value[]
  | Values;

/** An object of a definition. */
export interface Values {
  readonly [key: string]: Value;
}

/** A part of a definition, or a function that makes it from references. */
export type Given<T, Context, Made = T> = T | ((context: Context) => Made);

/** The source of a type for the compiler: a schema, such as one of zod, or {@link shape}. */
export type TypeSource<T> = InputSchema<T> | Shape<T>;
