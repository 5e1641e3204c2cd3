import { itemAt } from '../../lib/array.ts';
import { isJsonArray, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { parseIsoTime } from '../../lib/text/time.ts';
import type { Step, WaitStep, WorkflowDefinition } from './definition.ts';
import type { ExpressionLanguage } from './expression.ts';
import { type DependencyGraph, dependencyGraph, notUpstream } from './graph.ts';
import {
  compileTemplates,
  inputExpression,
  lazy,
  limitBytes,
  memberValue,
  outputMember,
  type Parsing,
  resolver,
  type StepSources,
  type StepTemplates,
  type TemplateMember,
  unreadable,
} from './members.ts';
import { shapeOf, type WorkflowShape } from './shape.ts';
import { InputError, type InputReference } from './template.ts';

export type { StepSources } from './members.ts';

/** The most items that a step runs for, and the most bytes of JSON that they have together. */
export interface ItemLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** A definition prepared for its runs. */
export interface WorkflowPlan extends WorkflowShape {
  /** By the index of the step. */
  readonly steps: readonly StepPlan[];
  /**
   * The output of a completed run; null where the definition has none. Throws `InputError` where it cannot be resolved.
   */
  readonly output: ((sources: StepSources, maxBytes: number) => JsonObject) | null;
}

/**
 * A step with its templates and expressions parsed. Every member throws `InputError`, whose message is safe to show,
 * where a value does not exist or has the wrong type. What they return may share objects with the outputs of other
 * steps.
 */
export interface StepPlan {
  /** The input of the step, for an approval its payload, for a wait empty; at most `maxBytes` bytes of JSON. */
  input(sources: StepSources, maxBytes: number): JsonObject;
  /** True where its condition holds, and for a step without. */
  holds(sources: StepSources): boolean;
  /** The items that it runs for, within the limits; undefined for a step without `foreach`. */
  items(sources: StepSources, limits: ItemLimits): readonly JsonValue[] | undefined;
  /**
   * For a step that waits, when it ends, in milliseconds since the epoch and not before `now`; undefined for any other.
   */
  until(sources: StepSources, now: number): number | undefined;
  /** For an approval its title; undefined for any other. */
  title(sources: StepSources): string | undefined;
}

/**
 * Prepares a valid definition for its runs. The time is linear in the size of the definition; expressions are parsed at
 * their first use. A definition that was stored before it was checked as today throws `InputError` only when the step
 * runs.
 */
export function planWorkflow(definition: WorkflowDefinition, language: ExpressionLanguage): WorkflowPlan {
  const { steps, output } = definition;
  const shape = shapeOf(definition);
  const { indexes, layers } = shape;
  const graph = dependencyGraph(steps, indexes);
  const templates = compileAllTemplates({ steps, indexes, graph, layers });
  const layerOf = lazy(() => layersByStep(layers, steps.length));
  const findBefore =
    (layer: () => number): Parsing['findStep'] =>
    (id) => {
      const index = indexes.get(id);
      if (index === undefined) throw unreadable(id, 'unknown');
      // The check at creation is stricter. This keeps what a step reads independent of which step of a layer ends
      // first.
      if (itemAt(layerOf(), index) >= layer()) throw unreadable(id, 'not_upstream');
      return index;
    };
  return {
    ...shape,
    steps: steps.map((step, index) => {
      const findStep = findBefore(() => itemAt(layerOf(), index));
      return planStep(step, itemAt(templates, index), { language, findStep });
    }),
    output:
      output === undefined
        ? null
        : resolver(
            outputMember(output, (id) => indexes.get(id)),
            { language, findStep: findBefore(() => layers.length) },
          ),
  };
}

/** The layer of each step. */
function layersByStep(layers: readonly (readonly number[])[], count: number): readonly number[] {
  const layerOf = new Array<number>(count).fill(0);
  for (const [layer, steps] of layers.entries()) for (const step of steps) layerOf[step] = layer;
  return layerOf;
}

const always = (): true => true;
const none = (): undefined => undefined;

function planStep(step: Step, { input, items, title }: StepTemplates, parsing: Parsing): StepPlan {
  const { when, foreach } = step;
  return {
    input: planInput(step, input, parsing),
    holds:
      when === undefined
        ? always
        : memberValue({ name: 'when', source: when, kind: 'boolean', perItem: false }, parsing),
    items: planItems(foreach?.items, items, parsing),
    until: step.kind === 'wait' ? waitEnd(step, parsing) : none,
    title: title === undefined ? none : planTitle(title, parsing),
  };
}

function planInput(step: Step, input: TemplateMember, parsing: Parsing): StepPlan['input'] {
  const expression = inputExpression(step);
  if (expression === undefined) return resolver(input, parsing);
  const evaluate = memberValue(expression, parsing);
  return (sources, maxBytes) => limitBytes('the resolved input', evaluate(sources), maxBytes);
}

function planItems(
  source: string | readonly JsonValue[] | undefined,
  items: TemplateMember | undefined,
  parsing: Parsing,
): StepPlan['items'] {
  if (typeof source === 'string') {
    const evaluate = memberValue({ name: 'foreach.items', source, kind: 'list', perItem: false }, parsing);
    return (sources, { maxItems, maxBytes }) => {
      const values = evaluate(sources);
      limitItems(values, maxItems);
      return limitBytes('foreach.items:', values, maxBytes);
    };
  }
  if (items === undefined || source === undefined) return none;
  const resolve = resolver(items, parsing);
  return (sources, { maxItems, maxBytes }) => {
    limitItems(source, maxItems);
    const resolved = resolve(sources, maxBytes)['items'];
    if (isJsonArray(resolved)) return resolved;
    throw new TypeError('a list was not resolved to a list');
  };
}

function limitItems(items: readonly JsonValue[], maxItems: number): void {
  if (items.length <= maxItems) return;
  throw new InputError(`foreach.items: must have at most ${maxItems} items, but it has ${items.length}`);
}

/** The most bytes of JSON of a title. */
const MAX_TITLE_BYTES = 4_096;

/** A title is a text, whatever its templates evaluate to. */
function planTitle(member: TemplateMember, parsing: Parsing): StepPlan['title'] {
  const resolve = resolver(member, parsing);
  return (sources) => {
    const { title = null } = resolve(sources, MAX_TITLE_BYTES);
    return typeof title === 'string' ? title : JSON.stringify(title);
  };
}

/** True where `until` of a wait is a time as it stands, and no expression. */
export function isLiteralTime(until: string): boolean {
  return /^\s*\d{4}-\d\d-\d\d/.test(until);
}

const NOT_A_TIME =
  'until: must be a time in ISO 8601 with an offset or Z, such as 2026-12-24T18:00:00Z, or an expression that evaluates to one';

/** The milliseconds since the epoch. Throws `InputError` for what is no time with an offset. */
export function timeOf(until: string): number {
  const time = parseIsoTime(until.trim());
  if (time === undefined) throw new InputError(NOT_A_TIME);
  return time;
}

function waitEnd({ durationMs, until, foreach }: WaitStep, parsing: Parsing): StepPlan['until'] {
  if (until === undefined) {
    return (_sources, now) => {
      if (durationMs === undefined) throw new InputError('duration_ms: is required unless there is until');
      return now + durationMs;
    };
  }
  if (isLiteralTime(until)) return (_sources, now) => Math.max(now, timeOf(until));
  const perItem = foreach !== undefined;
  const evaluate = memberValue({ name: 'until', source: until, kind: 'text', perItem }, parsing);
  return (sources, now) => Math.max(now, timeOf(evaluate(sources)));
}

/** The steps of a definition with their dependency graph. */
export interface IndexedSteps {
  readonly steps: readonly Step[];
  /** The index of each step by its id. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly graph: DependencyGraph;
  /** The indexes of the steps, layer by layer. */
  readonly layers: readonly (readonly number[])[];
}

/** Compiles the templates of all steps. References to steps that are not upstream get the issue `not_upstream`. */
export function compileAllTemplates({ steps, indexes, graph, layers }: IndexedSteps): StepTemplates[] {
  const templates = steps.map((step) => compileTemplates(step, (stepId) => indexes.get(stepId)));
  const toSteps: { step: number; target: number; reference: InputReference }[] = [];
  const collect = (member: TemplateMember | undefined, step: number): void => {
    for (const reference of member?.compiled.references ?? []) {
      if (reference.source !== null) toSteps.push({ step, target: reference.source, reference });
    }
  };
  for (const [step, { input, items, title }] of templates.entries()) {
    collect(input, step);
    collect(items, step);
    collect(title, step);
  }
  for (const { reference } of notUpstream(graph, layers, toSteps)) reference.issue = 'not_upstream';
  return templates;
}

/** The plan of the step of that index. */
export function stepPlanAt(plan: WorkflowPlan, index: number): StepPlan {
  return itemAt(plan.steps, index);
}
