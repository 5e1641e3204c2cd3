import { invalid } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import {
  checkDefinition,
  type DefinitionCheck,
  type DefinitionParts,
  type DefinitionRules,
} from '../../domain/workflow/checks/definition.ts';
import type { Step, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { createIssueList } from '../../domain/workflow/issues.ts';
import { workflowReferenceIssue } from '../../domain/workflow/key.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { quote } from '../../lib/text/quote.ts';
import type { Ports } from '../../ports/ports.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { findWorkflowId } from '../runs/find-workflow.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { copyDraft } from './copy-draft.ts';

/** A valid draft: what is stored of it. */
export type CheckedDraft = DefinitionParts & Pick<DefinitionCheck, 'layers' | 'warnings'>;

/** Checks the definitions that users write. Both members reject with `unavailable` when the store cannot be reached. */
export interface DraftChecks {
  /** What is wrong with a draft. */
  inspect(draft: WorkflowDraft): Promise<DefinitionCheck>;
  /** A copy of a valid draft with its layers and warnings. Rejects with `validation`, naming all issues. */
  accept(draft: WorkflowDraft): Promise<CheckedDraft>;
}

type DraftPorts = Pick<Ports, 'workflows' | 'expressions' | 'schemas'>;

/** The registries that the steps of a draft name. */
export interface DraftTargets {
  readonly tools: Pick<ToolRegistry, 'has' | 'get'>;
  readonly agents: Pick<AgentRegistry, 'has' | 'get'>;
}

/** The most different workflows of steps that are looked up for a warning. */
const MAX_LOOKUPS = 100;

/** Creates the checks of drafts. They yield to other work between parts. */
export function createDraftChecks(
  { workflows, expressions, schemas }: DraftPorts,
  { tools, agents }: DraftTargets,
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
