import type { ChainDraft, DefinitionOptions, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { type AnyChainSpec, type AnyWorkflowSpec, buildChain, buildWorkflow } from './build-workflow.ts';
import type { Of, OtherIds, RunContext, StepContext, StepRefs, StepTypes } from './context.ts';
import type { MemberOf, NoSuchKind, NoSuchMember, StepKind } from './members.ts';
import type { ItemSpec, ReturnSpec, StepSpec } from './step-spec.ts';
import type { TypeSource } from './type-source.ts';
import type { Given, Values } from './values.ts';

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

/**
 * A workflow whose references the compiler checks. What it returns is the definition as data, for `workflows.create` or
 * `toWorkflowRequest`. A step depends on the steps that it names in `dependsOn`, and on those that it refers to. Throws
 * `TypeError` for values that are not JSON and for references that cannot be right.
 */
export function defineWorkflow<Kinds, Returns, Members, Items, Input>(
  spec: WorkflowSpec<{ kinds: Kinds; returns: Returns; members: Members; items: Items }, Input>,
): WorkflowDraft {
  // The builder itself works with any ids and types.
  return buildWorkflow(spec as AnyWorkflowSpec);
}

/** A definition within a step, as {@link defineChain} takes it. */
export type ChainSpec<Types extends StepTypes, Input> = Pick<
  WorkflowSpec<Types, Input>,
  'input' | 'inputSchema' | 'steps' | 'output'
>;

/**
 * A definition within a step of kind `workflow`, for its member `definition`, checked as by {@link defineWorkflow}. Its
 * input is that of the step, and its steps cannot refer to those around it.
 */
export function defineChain<Kinds, Returns, Members, Items, Input>(
  spec: ChainSpec<{ kinds: Kinds; returns: Returns; members: Members; items: Items }, Input>,
): ChainDraft {
  return buildChain(spec as AnyChainSpec);
}
