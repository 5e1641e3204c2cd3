import type { StepDraft } from '../../domain/workflow/definition.ts';
import type { ForeachPolicy, StepPolicies } from '../../domain/workflow/policies.ts';
import { type CelExpression, type ExpressionSource, isExpression } from './built.ts';
import { type AnyContext, createContext } from './context.ts';
import { checkMembers } from './members.ts';
import type { ForeachSpec, GivenInput, ReturnSpec, StepSpec } from './step-spec.ts';
import { jsonSchemaOf } from './type-source.ts';
import { type Collector, resolveGiven, toCel, toTemplate, toTemplates, type Value } from './values.ts';

/** A step whose types are not known. */
export type AnyStepSpec = StepSpec<AnyContext['steps'], unknown, string> & ReturnSpec<unknown>;

/** A built step, and the expressions in it. */
export interface BuiltStep {
  readonly draft: StepDraft;
  readonly expressions: readonly ExpressionSource[];
}

/** Builds a step of a workflow with these ids. Throws `TypeError`, which names the member that is wrong. */
export function buildStep(id: string, spec: AnyStepSpec, ids: ReadonlySet<string>): BuiltStep {
  checkMembers(id, spec);
  const context = createContext(ids, id);
  const expressions: ExpressionSource[] = [];
  const part: Part = { place: `steps.${id}`, context, collector: { expressions } };
  const policies = buildPolicies(spec, part);
  const target = buildTarget(spec, part);
  if (spec.foreach === undefined && expressions.some(({ readsItem }) => readsItem)) {
    throw new TypeError(`steps.${id}: only a step with foreach has item and index`);
  }
  const named = spec.dependsOn ?? [];
  checkNames(named, id, ids);
  const dependsOn = dependenciesOf(named, expressions);
  const dependencies = dependsOn.length === 0 ? {} : { dependsOn };
  return { draft: { id, ...target, ...dependencies, ...policies }, expressions };
}

/** Where a step is built. */
interface Part {
  readonly place: string;
  readonly context: AnyContext;
  readonly collector: Collector;
}

type WithoutBase<S extends StepDraft> = S extends StepDraft
  ? Omit<S, 'id' | 'dependsOn' | 'staticInput' | keyof StepPolicies>
  : never;

/** What a step does. */
type Target = WithoutBase<StepDraft> & Pick<StepDraft, 'staticInput'>;

function buildTarget(spec: AnyStepSpec, part: Part): Target {
  const { context, collector, place } = part;
  switch (spec.kind) {
    case 'tool':
      return { kind: 'tool', toolName: spec.toolName, ...buildInput(spec.input, part) };
    case 'agent':
      return { kind: 'agent', agentName: spec.agentName, ...buildInput(spec.input, part) };
    case 'workflow':
      return withoutUndefined({
        kind: 'workflow',
        workflowId: spec.workflowId,
        definition: spec.definition,
        ...buildInput(spec.input, part),
      });
    case 'wait':
      return spec.until === undefined
        ? { kind: 'wait', durationMs: spec.durationMs }
        : { kind: 'wait', until: toCel(resolveGiven(spec.until, context), collector) };
    case 'approval': {
      const { payload, responseSchema, expiresInMs, onExpire, onReject } = spec;
      const title = toTemplate(resolveGiven(spec.title, context), `${place}.title`, collector);
      if (typeof title !== 'string') throw new TypeError(`${place}.title: must be a text`);
      return withoutUndefined({
        kind: 'approval',
        title,
        expiresInMs,
        onExpire,
        onReject,
        payload: payload && toTemplates(resolveGiven(payload, context), `${place}.payload`, collector),
        responseSchema: responseSchema && jsonSchemaOf(responseSchema),
      });
    }
  }
}

function buildInput(
  input: GivenInput<AnyContext> | undefined,
  { context, collector, place }: Part,
): Pick<StepDraft, 'staticInput'> {
  if (input === undefined) return {};
  const given = resolveGiven(input, context);
  if (!isExpression(given)) return { staticInput: toTemplates(given, `${place}.input`, collector) };
  return { staticInput: String(toTemplate(given, `${place}.input`, collector)) };
}

function buildPolicies(spec: AnyStepSpec, part: Part): StepPolicies {
  const { when, runIf, timeoutMs, onError, foreach } = spec;
  return withoutUndefined({
    runIf,
    timeoutMs,
    onError,
    retry: 'retry' in spec ? spec.retry : undefined,
    when: when && toCel(resolveGiven(when, part.context), part.collector),
    foreach: foreach && buildForeach(foreach, part),
  });
}

function buildForeach(
  { items, concurrency, onItemError }: ForeachSpec<AnyContext>,
  { context, collector, place }: Part,
): ForeachPolicy {
  const given = resolveGiven(items, context);
  const built = isList(given)
    ? given.map((item, index) => toTemplate(item, `${place}.foreach.items.${index}`, collector))
    : toCel(given, collector);
  return withoutUndefined({ items: built, concurrency, onItemError });
}

/** As `Array.isArray`, also for lists that cannot be changed. */
function isList(items: string | CelExpression | readonly Value[]): items is readonly Value[] {
  return Array.isArray(items);
}

/** Refuses names that no step has, and that of the step itself. */
function checkNames(named: readonly string[], id: string, ids: ReadonlySet<string>): void {
  for (const name of named) {
    if (name === id) throw new TypeError(`steps.${id}.dependsOn: names the step itself`);
    if (!ids.has(name)) throw new TypeError(`steps.${id}.dependsOn: there is no step "${name}"`);
  }
}

/** The steps that are named, then those that are referred to, each once. */
function dependenciesOf(
  named: readonly string[],
  expressions: readonly ExpressionSource[],
): readonly string[] {
  return [...new Set([...named, ...expressions.flatMap(({ reads }) => reads.map(({ stepId }) => stepId))])];
}

/** The object without its members that are undefined. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) Reflect.deleteProperty(object, key);
  }
  return object;
}
