/** Workflow definitions as TypeScript, with references that the compiler checks. Loads no packages. */

export {
  built,
  type CelExpression,
  type ExpressionSource,
  type Literal,
  type LiteralSource,
  type Part,
  type Shape,
  type ShapeSource,
  type StepRead,
  type TextSource,
  type TextTemplate,
} from '../adapters/builder/built.ts';
export { cel } from '../adapters/builder/cel.ts';
export type {
  ApprovalOutput,
  ChildOutput,
  ForeachOutput,
  HasItems,
  ItemContext,
  Of,
  OtherIds,
  OutputOf,
  RunContext,
  RunValues,
  ScheduleValues,
  StepContext,
  StepOutput,
  StepRefs,
  StepTypes,
} from '../adapters/builder/context.ts';
export {
  type ChainSpec,
  defineChain,
  defineWorkflow,
  type MemberCheck,
  type StepSpecs,
  type WorkflowSpec,
} from '../adapters/builder/define-workflow.ts';
export type {
  CommonMember,
  KindMembers,
  MemberOf,
  NoSuchKind,
  NoSuchMember,
  StepKind,
} from '../adapters/builder/members.ts';
export type {
  ListReference,
  Ref,
  Reference,
  ReferenceKey,
  ReferenceMembers,
  UntypedReference,
} from '../adapters/builder/reference.ts';
export {
  type ChainRequest,
  type PoliciesRequest,
  type StepRequest,
  type TargetRequest,
  toWorkflowRequest,
  type WorkflowRequest,
} from '../adapters/builder/request.ts';
export type * from '../adapters/builder/step-spec.ts';
export { literal, text } from '../adapters/builder/text.ts';
export { shape, type TypeSource } from '../adapters/builder/type-source.ts';
export type { Given, Value, Values } from '../adapters/builder/values.ts';
export type {
  ApprovalStep,
  ChainDefinition,
  ChainDraft,
  DefinitionOptions,
  expiryOutcomes,
  rejectionOutcomes,
  StepDraft,
  WorkflowDraft,
} from '../domain/workflow/definition.ts';
export type {
  ErrorPolicy,
  ForeachPolicy,
  itemErrorPolicies,
  RunCondition,
  runConditions,
  StepPolicies,
} from '../domain/workflow/policies.ts';
