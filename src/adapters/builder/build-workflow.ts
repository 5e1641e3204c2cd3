import type { ChainDraft, DefinitionOptions, WorkflowDraft } from '../../domain/workflow/definition.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { type AnyStepSpec, buildStep, withoutUndefined } from './build-step.ts';
import type { ExpressionSource } from './built.ts';
import {
  type AnyContext,
  type ApprovalOutput,
  type ChildOutput,
  createContext,
  type ForeachOutput,
} from './context.ts';
import { jsonSchemaOf, type TypeSource } from './type-source.ts';
import { type Given, resolveGiven, toTemplates, type Values } from './values.ts';

/** A workflow whose types are not known. */
export interface AnyWorkflowSpec extends Omit<DefinitionOptions, 'output'> {
  readonly name: string;
  readonly description?: string;
  readonly input?: TypeSource<unknown>;
  readonly steps: Readonly<Record<string, AnyStepSpec>>;
  readonly output?: Given<Values, AnyContext>;
}

/** Builds a definition. Throws `TypeError` for what is wrong. */
export function buildWorkflow(spec: AnyWorkflowSpec): WorkflowDraft {
  const { name, description, key, steps, timeoutMs, maxConcurrentSteps } = spec;
  const ids = new Set(Object.keys(steps));
  const built = Object.entries(steps).map(([id, step]) => buildStep(id, step, ids));
  const output = spec.output && buildOutput(spec.output, ids);
  const expressions = [...built.flatMap((step) => step.expressions), ...(output?.expressions ?? [])];
  checkReads(steps, expressions);
  return withoutUndefined({
    name,
    ...(description === undefined ? {} : { description }),
    key,
    inputSchema: inputSchemaOf(spec),
    timeoutMs,
    maxConcurrentSteps,
    steps: built.map(({ draft }) => draft),
    output: output?.value,
  });
}

/** A definition within a step whose types are not known. */
export type AnyChainSpec = Pick<AnyWorkflowSpec, 'input' | 'inputSchema' | 'steps' | 'output'>;

/** Builds a definition within a step. Throws `TypeError` for what is wrong. */
export function buildChain(spec: AnyChainSpec): ChainDraft {
  const { inputSchema, steps, output } = buildWorkflow({ name: 'chain', ...spec });
  return withoutUndefined({ inputSchema, steps, output });
}

function inputSchemaOf({ input, inputSchema }: AnyChainSpec): JsonObject | undefined {
  const schema = input && jsonSchemaOf(input);
  if (schema !== undefined && inputSchema !== undefined) {
    throw new TypeError('input: gives the schema already, so that there must be no inputSchema');
  }
  return schema ?? inputSchema;
}

function buildOutput(given: Given<Values, AnyContext>, ids: ReadonlySet<string>) {
  const expressions: ExpressionSource[] = [];
  const value = toTemplates(resolveGiven(given, createContext(ids)), 'output', { expressions });
  if (expressions.some(({ readsItem }) => readsItem)) {
    throw new TypeError('output: only a step with foreach has item and index');
  }
  return { value, expressions };
}

/** The members of the outputs that the engine makes. */
const outputMembers = {
  approval: ['approved', 'data', 'decided_by', 'decided_at', 'note'],
  workflow: ['execution_id', 'status', 'output'],
  foreach: ['results', 'errors', 'count', 'failed'],
} as const satisfies {
  readonly approval: readonly (keyof ApprovalOutput)[];
  readonly workflow: readonly (keyof ChildOutput)[];
  readonly foreach: readonly (keyof ForeachOutput)[];
};

/** Refuses references to members that an output can never have, such as those of one item of a step with `foreach`. */
function checkReads(
  steps: Readonly<Record<string, AnyStepSpec>>,
  expressions: readonly ExpressionSource[],
): void {
  for (const { stepId, member } of expressions.flatMap(({ reads }) => reads)) {
    const { kind, foreach } = steps[stepId] ?? {};
    const made = foreach !== undefined ? 'foreach' : kind;
    if (made !== 'foreach' && made !== 'approval' && made !== 'workflow') continue;
    const members: readonly string[] = outputMembers[made];
    if (member === undefined || members.includes(member)) continue;
    throw new TypeError(
      `the output of step "${stepId}" has no "${member}": with ${made} it has ${members.join(', ')}`,
    );
  }
}
