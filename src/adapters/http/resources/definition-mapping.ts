import type { z } from '@hono/zod-openapi';
import type {
  ChainDefinition,
  ChainDraft,
  Step,
  StepBase,
  StepDraft,
  WorkflowDefinition,
  WorkflowDraft,
} from '../../../domain/workflow/definition.ts';
import {
  foreachSchema,
  retrySchema,
  type stepRequestSchema,
  stepSchema,
  type workflowRequestSchema,
  workflowSchema,
} from './definition-schemas.ts';
import { fromWire, toWire } from './wire.ts';

type StepRequest = z.output<typeof stepRequestSchema>;

/** The draft of a definition in a request, with the warnings about the request. */
export function toWorkflowDraft(
  request: z.output<typeof workflowRequestSchema>,
  notes?: readonly string[],
): WorkflowDraft {
  const { key, steps, ...others } = fromWire(request);
  return { ...others, key: key ?? undefined, steps: steps.map(toStepDraft), notes };
}

/** A step has only the members of its kind: a tool's step may have been sent with the name of an agent. */
function toStepDraft(step: StepRequest): StepDraft {
  const {
    kind,
    toolName,
    agentName,
    workflowId,
    definition,
    durationMs,
    until,
    title,
    payload,
    responseSchema,
    expiresInMs,
    onExpire,
    onReject,
    ...others
  } = fromWire(step);
  const common: StepBase = {
    ...others,
    retry: step.retry && fromWire(step.retry),
    foreach: step.foreach && fromWire(step.foreach),
  };
  switch (kind) {
    case 'tool':
      return { ...common, kind, toolName: validated(toolName) };
    case 'agent':
      return { ...common, kind, agentName: validated(agentName) };
    case 'workflow':
      return { ...common, kind, workflowId, definition: definition && toChainDraft(definition) };
    case 'wait':
      return { ...common, kind, durationMs, until };
    case 'approval': {
      const approval = { title: validated(title), payload, responseSchema, expiresInMs, onExpire, onReject };
      return { ...common, kind, ...approval };
    }
  }
}

function toChainDraft(chain: NonNullable<StepRequest['definition']>): ChainDraft {
  const { steps, ...others } = fromWire(chain);
  return { ...others, steps: steps.map(toStepDraft) };
}

/** The schema has checked that the members are present that the step's kind requires. */
function validated(member: string | undefined): string {
  if (member === undefined) throw new TypeError('a validated step lacks a member of its kind');
  return member;
}

/** A definition in a response. Members that were not sent are absent. */
export const toWorkflow = toWire(workflowSchema, ({ steps }: WorkflowDefinition) => ({
  steps: steps.map((step) => toStep(step)),
}));

const toRetry = toWire(retrySchema);

const toForeach = toWire(foreachSchema);

const toStep: (step: Step) => z.input<typeof stepSchema> = toWire(stepSchema, (step: Step) => ({
  retry: step.retry && toRetry(step.retry),
  foreach: step.foreach && toForeach(step.foreach),
  definition: step.kind === 'workflow' && step.definition ? toChain(step.definition) : undefined,
}));

function toChain({ steps, inputSchema, output }: ChainDefinition): z.input<typeof stepSchema>['definition'] {
  return { input_schema: inputSchema, output, steps: steps.map(toStep) };
}
