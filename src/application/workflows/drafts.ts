import { invalid } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import {
  checkDefinition,
  type DefinitionCheck,
  type DefinitionParts,
  type DefinitionRules,
} from '../../domain/workflow/checks/definition.ts';
import {
  type ChainDefinition,
  type ChainDraft,
  MAX_CHAINED_STEPS,
  MAX_RUN_DEPTH,
  type Step,
  type StepBase,
  type StepDraft,
  stepKinds,
  type WorkflowDraft,
} from '../../domain/workflow/definition.ts';
import { createIssueList, type DefinitionIssue } from '../../domain/workflow/issues.ts';
import { workflowReferenceIssue } from '../../domain/workflow/key.ts';
import type { ForeachPolicy } from '../../domain/workflow/policies.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import { isJsonArray, type JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import type { Ports } from '../../ports/ports.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { findWorkflowId } from '../runs/find-workflow.ts';
import type { ToolRegistry } from '../tools/registry.ts';

/** A valid draft: what is stored of it. */
export type CheckedDraft = DefinitionParts & Pick<DefinitionCheck, 'layers' | 'warnings'>;

/** Checks the definitions that users write. Both members reject with `unavailable` when the store cannot be reached. */
export interface DraftChecks {
  /** The issues of a draft. */
  inspect(draft: WorkflowDraft): Promise<DefinitionCheck>;
  /** A copy of a valid draft with its layers and warnings. Rejects with `validation`, naming all issues. */
  accept(draft: WorkflowDraft): Promise<CheckedDraft>;
}

/** The most different workflows of steps that are looked up for a warning. */
const MAX_LOOKUPS = 100;

/** Creates the checks of drafts. They yield to other work between parts. */
export function createDraftChecks(
  { workflows, expressions, schemas }: Pick<Ports, 'workflows' | 'expressions' | 'schemas'>,
  {
    tools,
    agents,
  }: {
    readonly tools: Pick<ToolRegistry, 'has' | 'get'>;
    readonly agents: Pick<AgentRegistry, 'has' | 'get'>;
  },
  limits: Limits,
): DraftChecks {
  const rules: DefinitionRules = {
    maxSteps: limits.maxWorkflowSteps,
    maxForeachItems: limits.maxForeachItems,
    language: expressions,
    hasTool: (tool) => tools.has(tool),
    hasAgent: (agent) => agents.has(agent),
    writes: (step) =>
      (step.kind === 'tool' ? tools.get(step.toolName) : agents.get(step.agentName))?.effect === 'write',
    schemaIssues(schema, budget) {
      const compiled = schemas.compile(schema, budget);
      return 'invalid' in compiled ? compiled.invalid : [];
    },
  };

  async function check(draft: WorkflowDraft): Promise<{ parts: DefinitionParts; result: DefinitionCheck }> {
    const { parts, issues } = copyDraft(draft, limits.maxOutputBytes);
    await yieldIfDue();
    const steps = checkDefinition(parts, rules);
    for (let next = steps.next(); ; next = steps.next()) {
      if (next.done !== true) {
        await yieldIfDue();
        continue;
      }
      const { value } = next;
      await yieldIfDue();
      const warnings = [...(draft.notes ?? []), ...value.warnings, ...(await missingWorkflows(parts))];
      return { parts, result: { ...value, issues: [...issues, ...value.issues], warnings } };
    }
  }

  /** Warnings for steps that run workflows which do not exist. */
  async function missingWorkflows({ steps }: DefinitionParts): Promise<readonly string[]> {
    const warnings = createIssueList('warnings');
    const found = new Map<string, boolean>();
    for (const { place, workflowId } of calledWorkflows(steps)) {
      if (workflowReferenceIssue(workflowId) !== undefined) continue;
      if (!found.has(workflowId)) {
        if (found.size === MAX_LOOKUPS) continue;
        found.set(workflowId, await isStored(workflowId));
      }
      if (found.get(workflowId) === true) continue;
      warnings.add(() => `${place}.workflow_id: there is no workflow ${quote(workflowId)} yet`);
    }
    return warnings.texts();
  }

  async function isStored(reference: string): Promise<boolean> {
    const id = await findWorkflowId(workflows, reference);
    return id !== undefined && workflows.has(id);
  }

  return {
    inspect: async (draft) => (await check(draft)).result,
    async accept(draft) {
      const { parts, result } = await check(draft);
      if (result.issues.length > 0) throw invalid(result.issues);
      return { ...parts, layers: result.layers, warnings: result.warnings };
    },
  };
}

/** The workflows that steps run, also those of definitions within steps, with the places of the steps. */
function* calledWorkflows(
  steps: readonly Step[],
  prefix = '',
): Generator<{ readonly place: string; readonly workflowId: string }, void> {
  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'workflow') continue;
    const { workflowId, definition } = step;
    const place = `${prefix}steps.${index}`;
    if (workflowId !== undefined) yield { place, workflowId };
    if (definition !== undefined) yield* calledWorkflows(definition.steps, `${place}.definition.`);
  }
}

/** Copies JSON within a draft. */
type Copy = <T extends JsonObject | undefined>(object: T, ...path: (string | number)[]) => T | JsonObject;

/**
 * Copies a draft, so that the caller may change its objects. Absent members stay absent. Each JSON value has at most
 * `maxBytes`; one that is not JSON is an issue, and empty in the copy.
 */
export function copyDraft(
  draft: WorkflowDraft,
  maxBytes: number,
): { readonly parts: DefinitionParts; readonly issues: readonly DefinitionIssue[] } {
  const issues: DefinitionIssue[] = [];
  const copy: Copy = (object, ...path) => {
    if (object === undefined) return object;
    try {
      return copyJsonObject(object, maxBytes);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      issues.push({ path, detail: error.message });
      return {};
    }
  };
  const { name, description = '', key, inputSchema, output, timeoutMs, maxConcurrentSteps } = draft;
  const options = given({
    key,
    inputSchema: copy(inputSchema, 'input_schema'),
    output: copy(output, 'output'),
    timeoutMs,
    maxConcurrentSteps,
  });
  const steps = copySteps(draft.steps, {
    copy,
    issues,
    path: [],
    depth: 1,
    left: { steps: MAX_CHAINED_STEPS },
  });
  return { parts: { name, description, steps, ...options }, issues };
}

/** Where steps are copied. */
interface Place {
  readonly copy: Copy;
  readonly issues: DefinitionIssue[];
  /** The keys that lead to their definition; none for the definition itself. */
  readonly path: DefinitionIssue['path'];
  /** The number of nested definitions, that of the steps included. */
  readonly depth: number;
  /** The number of steps that all definitions within steps may still have. */
  readonly left: { steps: number };
}

const STEP_KINDS_TEXT = 'must be tool, agent, workflow, wait or approval';

/** Copies steps. One that cannot be is replaced by a wait, and is an issue. */
function copySteps(drafts: readonly StepDraft[], place: Place): Step[] {
  const { issues, path } = place;
  return drafts.map((step, index) => {
    const issue = stepKinds.includes(step.kind)
      ? chainIssue(step, place)
      : { member: 'kind', detail: STEP_KINDS_TEXT };
    if (issue === undefined) return copyStep(step, index, place);
    issues.push({ path: [...path, 'steps', index, issue.member], detail: issue.detail });
    return {
      id: step.id,
      kind: 'wait',
      durationMs: 0,
      dependsOn: [...(step.dependsOn ?? [])],
      staticInput: {},
    };
  });
}

/** The issue of a definition within a step that is not even copied. Counts its steps. */
function chainIssue(step: StepDraft, { depth, left }: Place) {
  if (step.kind !== 'workflow' || step.definition === undefined) return undefined;
  const member = 'definition';
  if (depth >= MAX_RUN_DEPTH) return { member, detail: `may be nested at most ${MAX_RUN_DEPTH} deep` };
  left.steps -= step.definition.steps.length;
  if (left.steps >= 0) return undefined;
  return { member, detail: `the definitions of steps must have at most ${MAX_CHAINED_STEPS} steps together` };
}

function copyStep(draft: StepDraft, index: number, place: Place): Step {
  const { id, dependsOn = [], staticInput = {}, when, runIf, retry, timeoutMs, onError, foreach } = draft;
  const path = [...place.path, 'steps', index];
  const { copy } = place;
  const base: StepBase = {
    id,
    dependsOn: [...dependsOn],
    staticInput: typeof staticInput === 'string' ? staticInput : copy(staticInput, ...path, 'static_input'),
    ...given({
      when,
      runIf,
      retry: retry && given({ ...retry, maxAttempts: retry.maxAttempts }),
      timeoutMs,
      onError:
        typeof onError === 'object'
          ? { output: copy(onError.output, ...path, 'on_error', 'output') }
          : onError,
      foreach: foreach && copyForeach(foreach, path, copy),
    }),
  };
  return { ...base, ...ofKind(draft, path, place) };
}

type OfKind<S extends Step> = S extends Step ? Omit<S, keyof StepBase> : never;

/** The members of a step that only its kind has. */
function ofKind(draft: StepDraft, path: DefinitionIssue['path'], place: Place): OfKind<Step> {
  const { copy } = place;
  switch (draft.kind) {
    case 'tool':
      return { kind: draft.kind, toolName: draft.toolName };
    case 'agent':
      return { kind: draft.kind, agentName: draft.agentName };
    case 'workflow':
      return {
        kind: draft.kind,
        ...given({
          workflowId: draft.workflowId,
          definition: draft.definition && copyChain(draft.definition, path, place),
        }),
      };
    case 'wait':
      return { kind: draft.kind, ...given({ durationMs: draft.durationMs, until: draft.until }) };
    case 'approval': {
      const { kind, title, payload, responseSchema, expiresInMs, onExpire, onReject } = draft;
      return {
        kind,
        title,
        ...given({
          payload: copy(payload, ...path, 'payload'),
          responseSchema: copy(responseSchema, ...path, 'response_schema'),
          expiresInMs,
          onExpire,
          onReject,
        }),
      };
    }
  }
}

function copyChain(
  { steps, inputSchema, output }: ChainDraft,
  of: DefinitionIssue['path'],
  place: Place,
): ChainDefinition {
  const path = [...of, 'definition'];
  const { copy, depth } = place;
  return given({
    steps: copySteps(steps, { ...place, path, depth: depth + 1 }),
    inputSchema: copy(inputSchema, ...path, 'input_schema'),
    output: copy(output, ...path, 'output'),
  });
}

function copyForeach(foreach: ForeachPolicy, path: DefinitionIssue['path'], copy: Copy): ForeachPolicy {
  const { items, concurrency, onItemError } = foreach;
  const others = given({ concurrency, onItemError });
  if (typeof items === 'string') return { items, ...others };
  const { items: copied } = copy({ items }, ...path, 'foreach', 'items');
  return { items: isJsonArray(copied) ? copied : [], ...others };
}

/** The members that are not undefined, so that a stored definition equals what is read. */
function given<T extends object>(members: T): T {
  const copy = { ...members };
  for (const key in copy) if (copy[key] === undefined) delete copy[key];
  return copy;
}
