import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { actionsOf } from '../../../../domain/run/actions.ts';
import {
  hasEnded,
  type Run,
  type RunSummary,
  type StepResult,
  type Wait,
} from '../../../../domain/run/run.ts';
import type { AppEnv } from '../../env.ts';
import { streamJson } from '../../json-stream.ts';
import { type CreateTag, unlessCurrent } from '../../record-headers.ts';
import type { ResponseHeaders } from '../../response.ts';
import type { executionSchema, executionSummarySchema, stepResultSchema, waitSchema } from './run-schemas.ts';

/** A run as listings show it. */
export function toExecutionSummaryResponse(run: RunSummary): z.input<typeof executionSummarySchema> {
  return {
    execution_id: run.runId,
    workflow_id: run.workflowId,
    workflow_name: run.workflowName,
    version: run.version,
    status: run.status,
    background: run.background,
    attempt: run.attempt,
    recoveries: run.recoveries,
    recoveries_without_progress: run.recoveriesWithoutProgress,
    parent_execution_id: run.parentRunId,
    rerun_of: run.rerunOf,
    customer_id: run.customerId,
    chain: run.chain,
    input: run.input,
    output: run.output,
    error: run.error,
    waiting_for: run.waitingFor.map(toWaitResponse),
    actions: [...actionsOf(run)],
    created_at: run.createdAt,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    duration_ms: run.durationMs,
  };
}

function toWaitResponse(wait: Wait): z.input<typeof waitSchema> {
  const { kind, stepId, until } = wait;
  return { kind, step_id: stepId, ...waitIds(wait), ...(until === null ? {} : { until }) };
}

/** What the wait ends with: an inbox item or a child run. The id of any other wait means nothing to clients. */
function waitIds({ kind, itemId }: Wait): Pick<z.input<typeof waitSchema>, 'item_id' | 'execution_id'> {
  if (kind === 'workflow') return { execution_id: itemId };
  return kind === 'wait' ? {} : { item_id: itemId };
}

/** A run with its step results. */
export function toExecutionResponse(run: Run): z.input<typeof executionSchema> {
  const results: Record<string, z.input<typeof stepResultSchema>> = {};
  // Step ids cannot start with an underscore, so none of them is `__proto__`.
  for (const result of run.stepResults) results[result.stepId] = toStepResultResponse(result);
  return { ...toExecutionSummaryResponse(run), step_results: results };
}

function toStepResultResponse(result: StepResult): z.input<typeof stepResultSchema> {
  return {
    step_id: result.stepId,
    kind: result.kind,
    status: result.status,
    layer: result.layer,
    attempts: result.attempts,
    output: result.output,
    error: result.error,
    started_at: result.startedAt,
    completed_at: result.completedAt,
    duration_ms: result.durationMs,
  };
}

/** A response with a run. */
export function runResponse<S extends 200 | 202>(
  c: Context<AppEnv>,
  run: Run,
  status: S,
  headers: ResponseHeaders = {},
) {
  return streamJson(c, toExecutionResponse(run), 'step_results', status, headers);
}

/** The response to a read of a run: once it has ended with a tag, which a retry changes. */
export function currentRunResponse(c: Context<AppEnv>, run: Run, tagOf: CreateTag) {
  const respond = (headers: ResponseHeaders = {}) => runResponse(c, run, 200, headers);
  // A run that can still change has no tag, and so no 304, not even for `If-None-Match: *`.
  if (!hasEnded(run.status)) return respond();
  return unlessCurrent(c, tagOf(run.runId, `${run.completedAt}:${run.attempt}`), respond);
}
