import type { ApprovalStep, ChainDraft, StepDraft, WorkflowDraft } from '../../domain/workflow/definition.ts';
import type { StepPolicies } from '../../domain/workflow/policies.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { withoutUndefined } from './build.ts';

/** The kind of a step with its members, in the body of a request. */
export type TargetRequest =
  | { kind: 'tool'; tool_name: string }
  | { kind: 'agent'; agent_name: string }
  | { kind: 'workflow'; workflow_id?: string | undefined; definition?: ChainRequest | undefined }
  | { kind: 'wait'; duration_ms?: number | undefined; until?: string | undefined }
  | {
      kind: 'approval';
      title: string;
      payload?: JsonObject | undefined;
      response_schema?: JsonObject | undefined;
      expires_in_ms?: number | undefined;
      on_expire?: ApprovalStep['onExpire'];
      on_reject?: ApprovalStep['onReject'];
    };

/** The policies of a step, in the body of a request. */
export interface PoliciesRequest {
  when?: string | undefined;
  run_if?: StepPolicies['runIf'];
  retry?:
    | {
        max_attempts: number;
        backoff_ms?: number | undefined;
        factor?: number | undefined;
        max_backoff_ms?: number | undefined;
      }
    | undefined;
  timeout_ms?: number | undefined;
  on_error?: StepPolicies['onError'];
  foreach?:
    | {
        items: JsonValue[] | string;
        concurrency?: number | undefined;
        on_item_error?: 'fail' | 'continue' | undefined;
      }
    | undefined;
}

/** A step in the body of a request. */
export type StepRequest = TargetRequest &
  PoliciesRequest & {
    id: string;
    depends_on?: string[] | undefined;
    static_input?: JsonObject | string | undefined;
  };

/** A definition within a step, in the body of a request. */
export interface ChainRequest {
  steps: StepRequest[];
  input_schema?: JsonObject | undefined;
  output?: JsonObject | undefined;
}

/** The body of `POST /workflows`. Its lists can be changed, as clients ask for such types. */
export interface WorkflowRequest {
  name: string;
  description?: string | undefined;
  key?: string | undefined;
  steps: StepRequest[];
  input_schema?: JsonObject | undefined;
  output?: JsonObject | undefined;
  timeout_ms?: number | undefined;
  max_concurrent_steps?: number | undefined;
}

/** A definition with the names of the HTTP API: the body of `POST /workflows`. */
export function toWorkflowRequest(draft: WorkflowDraft): WorkflowRequest {
  const { name, description, key, steps, inputSchema, output, timeoutMs, maxConcurrentSteps } = draft;
  return withoutUndefined({
    name,
    description,
    key,
    input_schema: inputSchema,
    timeout_ms: timeoutMs,
    max_concurrent_steps: maxConcurrentSteps,
    steps: steps.map(toStep),
    output,
  });
}

function toStep(step: StepDraft): StepRequest {
  return withoutUndefined({
    id: step.id,
    ...toTarget(step),
    depends_on: step.dependsOn && [...step.dependsOn],
    static_input: step.staticInput,
    ...toPolicies(step),
  });
}

function toTarget(step: StepDraft): TargetRequest {
  switch (step.kind) {
    case 'tool':
      return { kind: 'tool', tool_name: step.toolName };
    case 'agent':
      return { kind: 'agent', agent_name: step.agentName };
    case 'workflow':
      return withoutUndefined({
        kind: 'workflow',
        workflow_id: step.workflowId,
        definition: step.definition && toChain(step.definition),
      });
    case 'wait':
      return { kind: 'wait', duration_ms: step.durationMs, until: step.until };
    case 'approval': {
      const { title, payload, responseSchema, expiresInMs, onExpire, onReject } = step;
      return {
        kind: 'approval',
        title,
        payload,
        response_schema: responseSchema,
        expires_in_ms: expiresInMs,
        on_expire: onExpire,
        on_reject: onReject,
      };
    }
  }
}

function toChain({ steps, inputSchema, output }: ChainDraft): ChainRequest {
  return withoutUndefined({ input_schema: inputSchema, steps: steps.map(toStep), output });
}

function toPolicies({ when, runIf, retry, timeoutMs, onError, foreach }: StepPolicies): PoliciesRequest {
  return {
    when,
    run_if: runIf,
    timeout_ms: timeoutMs,
    on_error: onError,
    retry:
      retry &&
      withoutUndefined({
        max_attempts: retry.maxAttempts,
        backoff_ms: retry.backoffMs,
        factor: retry.factor,
        max_backoff_ms: retry.maxBackoffMs,
      }),
    foreach:
      foreach &&
      withoutUndefined({
        items: typeof foreach.items === 'string' ? foreach.items : [...foreach.items],
        concurrency: foreach.concurrency,
        on_item_error: foreach.onItemError,
      }),
  };
}
