import type { DefinitionOptions, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { type AnyWorkflowSpec, buildWorkflow } from './build-workflow.ts';
import type { OtherIds, RunContext, StepRefs } from './context.ts';
import type { ReturnSpec, StepSpec } from './step-spec.ts';
import type { TypeSource } from './type-source.ts';
import type { Given, Values } from './values.ts';

/** The steps of a workflow by their ids: their kinds, and what they return. */
export type StepSpecs<Kinds, Returns, Input> = {
  readonly [Id in keyof Kinds]: { readonly kind: Kinds[Id] } & StepSpec<
    StepRefs<Kinds, Returns, Id>,
    Input,
    OtherIds<Kinds, Id>
  >;
} & { readonly [Id in keyof Returns]: ReturnSpec<Returns[Id]> };

/** A workflow as {@link defineWorkflow} takes it. The members have the meaning of those of `WorkflowDraft`. */
export interface WorkflowSpec<Kinds, Returns, Input> extends Omit<DefinitionOptions, 'output'> {
  readonly name: string;
  readonly description?: string;
  /** The type of the input. A schema, such as one of zod, is the `inputSchema` of the definition too. */
  readonly input?: TypeSource<Input>;
  /** The steps by their ids, which are 1 to 64 letters, digits, `_` or `-`. */
  readonly steps: StepSpecs<Kinds, Returns, Input>;
  /** The output of a completed run. */
  readonly output?: Given<Values, RunContext<StepRefs<Kinds, Returns>, Input>>;
}

/**
 * A workflow whose references the compiler checks. What it returns is the definition as data, for `workflows.create` or
 * `toWorkflowRequest`. A step depends on the steps that it names in `dependsOn`, and on those that it refers to. Throws
 * `TypeError` for values that are not JSON and for references that cannot be right.
 */
export function defineWorkflow<Kinds, Returns, Input>(
  spec: WorkflowSpec<Kinds, Returns, Input>,
): WorkflowDraft {
  // The builder itself works with any ids and types.
  return buildWorkflow(spec as AnyWorkflowSpec);
}
