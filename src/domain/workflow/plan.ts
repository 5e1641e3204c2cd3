import { itemAt } from '../../lib/array.ts';
import { isJsonArray, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import type { ExpressionLanguage } from './expression.ts';
import { type DependencyGraph, dependencyGraph } from './graph.ts';
import {
  condition,
  type ItemLimits,
  inputExpression,
  itemsOf,
  limitItems,
  objectInput,
  type Parsing,
} from './plan/expressions.ts';
import { lazy } from './plan/lazy.ts';
import { type FindStep, type StepSources, unreadable } from './plan/scope.ts';
import {
  compileTemplates,
  outputMember,
  type Resolve,
  resolver,
  type StepTemplates,
  type TemplateMember,
} from './plan/templates.ts';
import { waitEnd } from './plan/wait-end.ts';
import { shapeOf, type WorkflowShape } from './shape.ts';
import { type InputReference, resolveInput } from './step-input.ts';
import { notUpstream, type StepReference } from './upstream.ts';

export type { ItemLimits } from './plan/expressions.ts';
export type { StepSources } from './plan/scope.ts';

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
  /** The value of its condition; true for a step without one. */
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
    (layer: () => number): FindStep =>
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
      const { input, items, title } = itemAt(templates, index);
      if (isPlain(step, input)) return planPlain(input);
      const findStep = findBefore(() => itemAt(layerOf(), index));
      return planStep(step, { input, items, title }, { language, findStep });
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

/** Whether a step has none of the members that are evaluated but its input, and that has no expressions. */
function isPlain({ kind, staticInput, when, foreach }: Step, { compiled }: TemplateMember): boolean {
  const isCall = kind === 'tool' || kind === 'agent' || kind === 'workflow';
  return (
    isCall &&
    typeof staticInput !== 'string' &&
    when === undefined &&
    foreach === undefined &&
    compiled.texts.length === 0
  );
}

function planPlain({ compiled }: TemplateMember): StepPlan {
  const input: StepPlan['input'] = (sources, maxBytes) => resolveInput(compiled, sources, maxBytes);
  return { input, holds: always, items: none, until: none, title: none };
}

function planStep(step: Step, { input, items, title }: StepTemplates, parsing: Parsing): StepPlan {
  const expression = inputExpression(step);
  return {
    input: expression === undefined ? resolver(input, parsing) : objectInput(expression, parsing),
    holds: step.when === undefined ? always : condition(step.when, parsing),
    items: planItems(step, items, parsing),
    until: step.kind === 'wait' ? waitEnd(step, parsing, step.foreach !== undefined) : none,
    title: title === undefined ? none : planTitle(resolver(title, parsing)),
  };
}

function planItems(step: Step, items: StepTemplates['items'], parsing: Parsing): StepPlan['items'] {
  const source = step.foreach?.items;
  if (typeof source === 'string') return itemsOf(source, parsing);
  if (items === undefined || source === undefined) return none;
  const resolve = resolver(items, parsing);
  return (sources, { maxItems, maxBytes }) => {
    limitItems(source, maxItems);
    const resolved = resolve(sources, maxBytes)['items'];
    if (isJsonArray(resolved)) return resolved;
    throw new TypeError('a list was not resolved to a list');
  };
}

/** The most bytes of JSON of a title. */
const MAX_TITLE_BYTES = 4_096;

/** A title is a text, whatever its templates evaluate to. */
function planTitle(resolve: Resolve): StepPlan['title'] {
  return (sources) => {
    const { title = null } = resolve(sources, MAX_TITLE_BYTES);
    return typeof title === 'string' ? title : JSON.stringify(title);
  };
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
  const toSteps: (StepReference & { readonly reference: InputReference })[] = [];
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
