import type { z } from '@hono/zod-openapi';
import type { RetryPolicy } from '../../../../domain/retry.ts';
import type {
  ChainDefinition,
  ChainDraft,
  Step,
  StepBase,
  StepDraft,
  WorkflowDefinition,
  WorkflowDraft,
} from '../../../../domain/workflow/definition.ts';
import type { ForeachPolicy } from '../../../../domain/workflow/policies.ts';
import type { stepRequestSchema, stepSchema } from './step-schemas.ts';
import type { workflowRequestSchema, workflowSchema } from './workflow-schemas.ts';

type StepRequest = z.output<typeof stepRequestSchema>;
type StepResponse = z.input<typeof stepSchema>;

/** The draft of a definition in a request, with the warnings about the request. */
export function toWorkflowDraft(
  request: z.output<typeof workflowRequestSchema>,
  notes?: readonly string[],
): WorkflowDraft {
  return {
    name: request.name,
    key: request.key ?? undefined,
    description: request.description,
    steps: request.steps.map(toStepDraft),
    inputSchema: request.input_schema,
    output: request.output,
    timeoutMs: request.timeout_ms,
    maxConcurrentSteps: request.max_concurrent_steps,
    notes,
  };
}

function toStepDraft(step: StepRequest): StepDraft {
  const common: StepBase = {
    id: step.id,
    dependsOn: step.depends_on,
    staticInput: step.static_input,
    when: step.when,
    runIf: step.run_if,
    retry: step.retry && toRetry(step.retry),
    timeoutMs: step.timeout_ms,
    onError: step.on_error,
    foreach: step.foreach && toForeach(step.foreach),
  };
  switch (step.kind) {
    case 'tool':
      return { ...common, kind: 'tool', toolName: validated(step.tool_name) };
    case 'agent':
      return { ...common, kind: 'agent', agentName: validated(step.agent_name) };
    case 'workflow':
      return {
        ...common,
        kind: 'workflow',
        workflowId: step.workflow_id,
        definition: step.definition && toChainDraft(step.definition),
      };
    case 'wait':
      return { ...common, kind: 'wait', durationMs: step.duration_ms, until: step.until };
    case 'approval':
      return {
        ...common,
        kind: 'approval',
        title: validated(step.title),
        payload: step.payload,
        responseSchema: step.response_schema,
        expiresInMs: step.expires_in_ms,
        onExpire: step.on_expire,
        onReject: step.on_reject,
      };
  }
}

function toChainDraft({ steps, input_schema, output }: NonNullable<StepRequest['definition']>): ChainDraft {
  return { steps: steps.map(toStepDraft), inputSchema: input_schema, output };
}

function toRetry(retry: NonNullable<StepRequest['retry']>): RetryPolicy {
  return {
    maxAttempts: retry.max_attempts,
    backoffMs: retry.backoff_ms,
    factor: retry.factor,
    maxBackoffMs: retry.max_backoff_ms,
  };
}

function toForeach(foreach: NonNullable<StepRequest['foreach']>): ForeachPolicy {
  const { items, concurrency, on_item_error: onItemError } = foreach;
  return { items, concurrency, onItemError };
}

/** The schema has checked that the members are present that the step's kind requires. */
function validated(member: string | undefined): string {
  if (member === undefined) throw new TypeError('a validated step lacks a member of its kind');
  return member;
}

/** A definition in a response. Members that were not sent are absent. */
export function toWorkflowResponse(workflow: WorkflowDefinition): z.input<typeof workflowSchema> {
  return {
    id: workflow.id,
    version: workflow.version,
    key: workflow.key,
    name: workflow.name,
    description: workflow.description,
    input_schema: workflow.inputSchema,
    output: workflow.output,
    timeout_ms: workflow.timeoutMs,
    max_concurrent_steps: workflow.maxConcurrentSteps,
    steps: workflow.steps.map(toStepResponse),
    layers: workflow.layers.map((layer) => [...layer]),
    warnings: [...workflow.warnings],
    created_at: workflow.createdAt,
  };
}

/** A step in a response. Serializing leaves out what is undefined. */
function toStepResponse(step: Step): StepResponse {
  const { retry, foreach } = step;
  return {
    id: step.id,
    kind: step.kind,
    ...toKindMembers(step),
    depends_on: [...step.dependsOn],
    static_input: step.staticInput,
    when: step.when,
    run_if: step.runIf,
    retry: retry && {
      max_attempts: retry.maxAttempts,
      backoff_ms: retry.backoffMs,
      factor: retry.factor,
      max_backoff_ms: retry.maxBackoffMs,
    },
    timeout_ms: step.timeoutMs,
    on_error: step.onError,
    foreach: foreach && {
      items: typeof foreach.items === 'string' ? foreach.items : [...foreach.items],
      concurrency: foreach.concurrency,
      on_item_error: foreach.onItemError,
    },
  };
}

function toChainResponse({ steps, inputSchema, output }: ChainDefinition): StepResponse['definition'] {
  return { input_schema: inputSchema, output, steps: steps.map(toStepResponse) };
}

function toKindMembers(step: Step): Partial<StepResponse> {
  switch (step.kind) {
    case 'tool':
      return { tool_name: step.toolName };
    case 'agent':
      return { agent_name: step.agentName };
    case 'workflow':
      return {
        workflow_id: step.workflowId,
        definition: step.definition && toChainResponse(step.definition),
      };
    case 'wait':
      return { duration_ms: step.durationMs, until: step.until };
    case 'approval':
      return {
        title: step.title,
        payload: step.payload,
        response_schema: step.responseSchema,
        expires_in_ms: step.expiresInMs,
        on_expire: step.onExpire,
        on_reject: step.onReject,
      };
  }
}
