import type { StepDraft, WorkflowDraft } from '../../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { toCel } from './expression.ts';
import { nameOf, type PlannedDefinition, type PlannedStep, type Scenario } from './scenario.ts';
import { written, writtenObject } from './template.ts';

/** The definitions as they are created, in the order of the scenario. `ids` are theirs. */
export function draftsOf({ definitions }: Scenario, ids: readonly string[]): WorkflowDraft[] {
  return definitions.map((definition, number) => draftOf(definition, number, ids));
}

function draftOf(definition: PlannedDefinition, number: number, ids: readonly string[]): WorkflowDraft {
  const { steps, output, timeoutMs, maxConcurrentSteps } = definition;
  return {
    name: `definition ${number}`,
    steps: steps.map((step) => stepDraft(step, number, ids)),
    ...(output && { output: writtenObject(output) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxConcurrentSteps !== undefined && { maxConcurrentSteps }),
  };
}

function stepDraft(step: PlannedStep, number: number, ids: readonly string[]): StepDraft {
  const { id, dependsOn, work, when, foreach } = step;
  const { runIf, retry, timeoutMs, onError } = step;
  const base = {
    id,
    dependsOn,
    ...(when && { when: toCel(when) }),
    ...(runIf && { runIf }),
    ...(retry && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(onError !== undefined && { onError }),
    ...(foreach && {
      foreach: { ...foreach, items: 'op' in foreach.items ? toCel(foreach.items) : foreach.items },
    }),
  };
  // Tools, agents, people and children find their part of the scenario by these members.
  const marks = { step: nameOf(number, id), at: foreach ? '${{ index }}' : 0 };
  switch (work.kind) {
    case 'tool':
      return { ...base, kind: 'tool', toolName: work.name, staticInput: marked(work.input, marks) };
    case 'agent':
      return { ...base, kind: 'agent', agentName: work.name, staticInput: marked(work.input, marks) };
    case 'workflow': {
      const workflowId = (work.definition === null ? undefined : ids[work.definition]) ?? 'nothing';
      return { ...base, kind: 'workflow', workflowId, staticInput: marked(work.input, marks) };
    }
    case 'wait':
      if ('durationMs' in work) return { ...base, kind: 'wait', durationMs: work.durationMs };
      return {
        ...base,
        kind: 'wait',
        until: typeof work.until === 'string' ? work.until : toCel(work.until),
      };
    case 'approval': {
      const { title, payload, answers: _, ...given } = work;
      return { ...base, ...given, title: String(written(title)), payload: marked(payload, marks) };
    }
  }
}

function marked(templates: Parameters<typeof writtenObject>[0], marks: JsonObject): JsonObject {
  return { ...writtenObject(templates), ...marks };
}
