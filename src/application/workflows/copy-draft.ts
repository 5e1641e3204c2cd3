import type { DefinitionParts } from '../../domain/workflow/checks/definition.ts';
import type { Step, StepBase, StepDraft, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { stepKinds } from '../../domain/workflow/definition.ts';
import type { DefinitionIssue } from '../../domain/workflow/issues.ts';
import type { ForeachPolicy } from '../../domain/workflow/policies.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import { isJsonArray, type JsonObject } from '../../lib/json/json.ts';

/** A copy of a draft with all its parts, and what is not JSON in it; such a part is empty in the copy. */
export interface DraftCopy {
  readonly parts: DefinitionParts;
  readonly issues: readonly DefinitionIssue[];
}

/** Copies JSON within a draft. */
type Copy = <T extends JsonObject | undefined>(object: T, ...path: (string | number)[]) => T | JsonObject;

/** Copies a draft, so that the caller may change its objects. Absent members stay absent. Each JSON value has at most `maxBytes`. */
export function copyDraft(draft: WorkflowDraft, maxBytes: number): DraftCopy {
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
  const steps = draft.steps.map((step, index) => {
    if (stepKinds.includes(step.kind)) return copyStep(step, index, copy);
    issues.push({ path: ['steps', index, 'kind'], detail: STEP_KINDS_TEXT });
    return copyStep(
      { id: step.id, kind: 'wait', durationMs: 0, dependsOn: step.dependsOn ?? [] },
      index,
      copy,
    );
  });
  return { parts: { name, description, steps, ...options }, issues };
}

/** What the kind of a step must be. */
const STEP_KINDS_TEXT = 'must be tool, agent, workflow, wait or approval';

function copyStep(draft: StepDraft, index: number, copy: Copy): Step {
  const { id, dependsOn = [], staticInput = {}, when, runIf, retry, timeoutMs, onError, foreach } = draft;
  const path = ['steps', index] as const;
  const base: StepBase = {
    id,
    dependsOn: [...dependsOn],
    staticInput: copy(staticInput, ...path, 'static_input'),
    ...given({
      when,
      runIf,
      retry: retry && given({ ...retry, maxAttempts: retry.maxAttempts }),
      timeoutMs,
      onError:
        typeof onError === 'object'
          ? { output: copy(onError.output, ...path, 'on_error', 'output') }
          : onError,
      foreach: foreach && copyForeach(foreach, index, copy),
    }),
  };
  return { ...base, ...ofKind(draft, index, copy) };
}

type OfKind<S extends Step> = S extends Step ? Omit<S, keyof StepBase> : never;

/** The members of a step that only its kind has. */
function ofKind(draft: StepDraft, index: number, copy: Copy): OfKind<Step> {
  switch (draft.kind) {
    case 'tool':
      return { kind: draft.kind, toolName: draft.toolName };
    case 'agent':
      return { kind: draft.kind, agentName: draft.agentName };
    case 'workflow':
      return { kind: draft.kind, workflowId: draft.workflowId };
    case 'wait':
      return { kind: draft.kind, ...given({ durationMs: draft.durationMs, until: draft.until }) };
    case 'approval': {
      const { kind, title, payload, responseSchema, expiresInMs, onExpire, onReject } = draft;
      return {
        kind,
        title,
        ...given({
          payload: copy(payload, 'steps', index, 'payload'),
          responseSchema: copy(responseSchema, 'steps', index, 'response_schema'),
          expiresInMs,
          onExpire,
          onReject,
        }),
      };
    }
  }
}

function copyForeach(foreach: ForeachPolicy, index: number, copy: Copy): ForeachPolicy {
  const { items, concurrency, onItemError } = foreach;
  const others = given({ concurrency, onItemError });
  if (typeof items === 'string') return { items, ...others };
  const { items: copied } = copy({ items }, 'steps', index, 'foreach', 'items');
  return { items: isJsonArray(copied) ? copied : [], ...others };
}

/** The members that are not undefined, so that a stored definition equals what is read. */
function given<T extends object>(members: T): T {
  const copy = { ...members };
  for (const key in copy) if (copy[key] === undefined) delete copy[key];
  return copy;
}
