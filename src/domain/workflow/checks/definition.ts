import { itemAt } from '../../../lib/array.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import {
  type AgentStep,
  type ChainDefinition,
  type DefinitionOptions,
  MAX_CHAIN_STEPS,
  type Step,
  type ToolStep,
  type WorkflowDefinition,
} from '../definition.ts';
import type { ExpressionLanguage, ParseBudget } from '../expression.ts';
import { type DependencyGraph, notUpstream } from '../graph.ts';
import {
  createDefinitionIssues,
  createIssueList,
  type DefinitionIssue,
  type DefinitionIssues,
  type IssueList,
  issuesWithin,
  warningsWithin,
} from '../issues.ts';
import { WORKFLOW_KEY_TEXT, workflowKeyPattern } from '../key.ts';
import {
  compileTemplates,
  outputMember,
  type StepTemplates,
  type TemplateMember,
  unreadable,
} from '../members.ts';
import { compileAllTemplates, type IndexedSteps } from '../plan.ts';
import { referenceIssueText } from '../template.ts';
import { checkExpressions, checkTexts, type ExpressionChecks, MAX_PARSE_WORK } from './expressions.ts';
import { addGraphIssues } from './graph.ts';
import { warnOfLookAlikes, warnOfTemplates } from './look-alikes.ts';
import { checkBounds, checkPolicies, STEP_ID_TEXT, stepIdPattern, stepIssues } from './policies.ts';

/** The parts of a definition that a user writes, with nothing left out. */
export type DefinitionParts = Pick<WorkflowDefinition, 'name' | 'description' | 'steps'> & DefinitionOptions;

/** The rules for a definition. */
export interface DefinitionRules {
  /** Maximum number of steps of a definition. */
  readonly maxSteps: number;
  /** Maximum number of items of a step with `foreach`. */
  readonly maxForeachItems: number;
  readonly language: ExpressionLanguage;
  /** True where a tool of that name is registered. */
  hasTool(name: string): boolean;
  /** True where an agent of that name is registered. */
  hasAgent(name: string): boolean;
  /** True where the registered tool or agent of a step declares the effect `write`. */
  writes(step: ToolStep | AgentStep): boolean;
  /** The issues of a JSON Schema, each with a JSON pointer into it. Takes its work from `budget`. */
  schemaIssues(
    schema: JsonObject,
    budget: ParseBudget,
  ): readonly { readonly pointer: string; readonly message: string }[];
}

/** The result of checking a definition. */
export interface DefinitionCheck {
  /** The issues of the definition; empty when it is valid. */
  readonly issues: readonly DefinitionIssue[];
  /** Probable mistakes that may be correct when the workflow runs. */
  readonly warnings: readonly string[];
  /** Step ids by layer; empty where the dependencies are not valid. */
  readonly layers: readonly (readonly string[])[];
}

/** The issues and warnings so far, and the work that is left for parsing. */
interface Found {
  readonly issues: DefinitionIssues;
  readonly warnings: IssueList;
  readonly budget: ParseBudget;
}

function newFound(): Found {
  return {
    issues: createDefinitionIssues(),
    warnings: createIssueList('warnings'),
    budget: { left: MAX_PARSE_WORK },
  };
}

/**
 * Checks a definition (specification, section 4; decisions, section 3). All issues are found at once. The time is
 * linear in the size of the definition, but for parsing, which has a budget. Yields wherever some milliseconds may have
 * passed, so that other work can run in between; whoever has no other work just iterates to the end. The definitions
 * within steps are checked in the same way; what is found is added to `found`.
 */
export function* checkDefinition(
  parts: DefinitionParts,
  rules: DefinitionRules,
  found: Found = newFound(),
): Generator<void, DefinitionCheck> {
  const { steps } = parts;
  const { issues, warnings, budget } = found;
  const { indexes, graph, layers } = addGraphIssues(steps, rules.maxSteps, issues);
  if (steps.length > rules.maxSteps) return { issues: issues.list(), warnings: [], layers: [] };
  yield;
  const isGraph = issues.count === 0;
  const faultsOfGraph = issues.list();
  const workflow = { steps, indexes, graph, layers };
  const references: ExpressionChecks['references'] = [];
  const expressions: ExpressionChecks = { language: rules.language, indexes, issues, references, budget };
  const templates = isGraph ? compileAllTemplates(workflow) : [];
  yield;

  if (parts.key !== undefined && !workflowKeyPattern.test(parts.key)) {
    issues.add(['key'], () => WORKFLOW_KEY_TEXT);
  }
  checkBounds((path, detail) => issues.add(path, () => detail), [], 'timeout_ms', parts.timeoutMs);
  checkBounds(
    (path, detail) => issues.add(path, () => detail),
    [],
    'max_concurrent_steps',
    parts.maxConcurrentSteps,
  );
  yield* checkSchema(parts.inputSchema, ['input_schema']);
  for (const [index, step] of steps.entries()) {
    if (!stepIdPattern.test(step.id)) issues.add(['steps', index, 'id'], () => STEP_ID_TEXT);
    checkPolicies(step, rules.maxForeachItems, stepIssues(issues, index));
    addTargetWarning(step, index, rules, warnings);
    const compiled = templates[index] ?? compileTemplates(step, (id) => indexes.get(id));
    yield* checkExpressions(step, index, compiled, expressions);
    if (step.kind === 'workflow' && step.definition !== undefined) yield* checkChain(step.definition, index);
    if (step.kind === 'approval')
      yield* checkSchema(step.responseSchema, ['steps', index, 'response_schema']);
    addTemplateWarnings(step, index, compiled, warnings);
    if (mayRunAfterSkipped(step)) {
      warnOfSkipped(compiled.input, ['steps', index, compiled.input.name], steps, warnings);
    }
    yield;
  }
  if (parts.output !== undefined) yield* checkOutput(parts.output);
  addUpstreamIssues(workflow);
  return {
    issues: issues.list(),
    warnings: warnings.texts(),
    layers: isGraph ? layers.map((layer) => layer.map((step) => itemAt(steps, step).id)) : [],
  };

  function* checkChain(definition: ChainDefinition, index: number): Generator<void, void> {
    const path = ['steps', index, 'definition'];
    const chain: DefinitionParts = { name: '', description: '', ...definition };
    yield* checkDefinition(
      chain,
      { ...rules, maxSteps: MAX_CHAIN_STEPS },
      {
        issues: issuesWithin(issues, path),
        warnings: warningsWithin(warnings, `${path.join('.')}.`),
        budget,
      },
    );
  }

  function* checkSchema(
    schema: JsonObject | undefined,
    path: DefinitionIssue['path'],
  ): Generator<void, void> {
    if (schema === undefined || issues.isFull) return;
    for (const { pointer, message } of rules.schemaIssues(schema, budget)) {
      issues.add(path, () => (pointer === '' ? message : `${pointer}: ${message}`));
    }
    yield;
  }

  function* checkOutput(output: JsonObject): Generator<void, void> {
    const member = outputMember(output, (id) => indexes.get(id));
    yield;
    yield* checkTexts(member, null, expressions);
    yield;
    addReferenceWarnings(member, ['output'], warnings);
    warnOfSkipped(member, ['output'], steps, warnings);
    warnOfLookAlikes(output, ['output'], warnings);
  }

  function addUpstreamIssues({ graph, layers }: IndexedSteps): void {
    const known = knownSteps(graph, layers, faultsOfGraph);
    const placed = new Set(layers.flat());
    const judged = references.filter(({ step, target }) => known.has(step) && placed.has(target));
    for (const { path, step, target, targetId } of notUpstream(graph, layers, judged)) {
      const reason = step === target ? 'itself' : 'not_upstream';
      issues.add(path, () => unreadable(targetId, reason).message);
    }
  }
}

/**
 * The steps of which all is known that they depend on: neither they nor a step before them have a fault of the graph or
 * are on a cycle. What else could be upstream of the others nobody knows.
 */
function knownSteps(
  graph: DependencyGraph,
  layers: readonly (readonly number[])[],
  faults: readonly DefinitionIssue[],
): ReadonlySet<number> {
  const faulty = new Set(faults.map(({ path }) => path[1]));
  const known = new Set<number>();
  for (const step of layers.flat()) {
    if (!faulty.has(step) && itemAt(graph, step).every((dependency) => known.has(dependency)))
      known.add(step);
  }
  return known;
}

function addTemplateWarnings(
  step: Step,
  index: number,
  { input, items, title }: StepTemplates,
  warnings: IssueList,
): void {
  const path = ['steps', index] as const;
  if (step.kind === 'approval' || step.kind === 'wait') {
    if (Object.keys(step.staticInput).length > 0) {
      warnings.add(() => `steps.${index}.static_input: is not used by a step of kind ${step.kind}`);
    }
  } else warnOfLookAlikes(step.staticInput, [...path, 'static_input'], warnings);
  if (step.kind === 'approval') {
    warnOfLookAlikes(step.title, [...path, 'title'], warnings);
    warnOfLookAlikes(step.payload ?? {}, [...path, 'payload'], warnings);
  }
  if (step.foreach !== undefined && typeof step.foreach.items !== 'string') {
    warnOfLookAlikes(step.foreach.items, [...path, 'foreach', 'items'], warnings);
  }
  if (typeof step.onError === 'object') {
    warnOfTemplates(step.onError.output, [...path, 'on_error', 'output'], 'on_error', warnings);
  }
  for (const member of [input, items, title]) {
    if (member !== undefined) addReferenceWarnings(member, [...path, member.name], warnings);
  }
}

function addReferenceWarnings(
  { compiled }: TemplateMember,
  path: readonly (string | number)[],
  warnings: IssueList,
): void {
  for (const { reference, issue } of compiled.references) {
    if (issue !== null) warnings.add(() => `${path.join('.')}: ${referenceIssueText(reference, issue)}`);
  }
}

function addTargetWarning(step: Step, index: number, rules: DefinitionRules, warnings: IssueList): void {
  if (step.kind === 'tool' && !rules.hasTool(step.toolName)) {
    warnings.add(() => `steps.${index}.tool_name: no tool ${quote(step.toolName)} is registered`);
  }
  if (step.kind === 'agent' && !rules.hasAgent(step.agentName)) {
    warnings.add(() => `steps.${index}.agent_name: no agent ${quote(step.agentName)} is registered`);
  }
  if ((step.kind === 'tool' || step.kind === 'agent') && (step.retry?.maxAttempts ?? 1) > 1) {
    if (rules.writes(step)) warnings.add(() => `steps.${index}.retry: ${notRepeated(step)}`);
  }
}

/** The reason why a policy of attempts has no effect. */
function notRepeated(step: ToolStep | AgentStep): string {
  return step.kind === 'agent'
    ? `agent ${quote(step.agentName)} has the effect write, so it is not repeated`
    : `tool ${quote(step.toolName)} has the effect write, so it is repeated only where its error says that this is safe`;
}

/** True where a step can run although one that it depends on was skipped. */
function mayRunAfterSkipped({ dependsOn, runIf }: Step): boolean {
  return runIf === 'always' || (dependsOn.length > 1 && runIf !== 'all_completed');
}

/** Warns of references to the outputs of steps with a condition: where that does not hold, they fail. */
function warnOfSkipped(
  { compiled }: TemplateMember,
  path: readonly (string | number)[],
  steps: readonly Step[],
  warnings: IssueList,
): void {
  for (const { reference, source } of compiled.references) {
    if (source === null || itemAt(steps, source).when === undefined) continue;
    const { id } = itemAt(steps, source);
    warnings.add(
      () =>
        `${path.join('.')}: ${quote(reference.text)} fails where step ${quote(id)} is skipped; ask has(steps.${id}) in an expression`,
    );
  }
}
