import { createRoute, type z } from '@hono/zod-openapi';
import type { Limits } from '../../../../domain/limits.ts';
import type { Playbook } from '../../../../domain/playbook/playbook.ts';
import { systemExample } from '../../docs/examples-stats.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { jsonResponse } from '../../response.ts';
import type { SystemDetails, SystemStorage } from './details.ts';
import { systemSchema } from './system-schemas.ts';

type SystemResponse = z.input<typeof systemSchema>;

const getSystemRoute = createRoute({
  method: 'get',
  path: '/system',
  operationId: 'getSystem',
  tags: ['Operations'],
  summary: 'Get how this process is set up',
  description:
    'Version, store, language model, playbook, limits, and the names of the settings that are set. It has no value of a setting that may be a secret, and no path or URL. Answered from memory, also while a store cannot be reached.',
  responses: {
    200: jsonContent(systemSchema, 'How the process is set up', systemExample),
    ...errorResponses(),
  },
});

/** `GET /system`. */
export function systemResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes } = options;
  const { app, endpoint } = createResource(maxBodyBytes);
  const createdAt = performance.now();
  const startedAt = options.system.startedAt ?? Date.now();
  const ageMs = Date.now() - startedAt;
  const unchanging = describe(options, startedAt);
  return app.openapi(endpoint(getSystemRoute), async (c) => {
    const response: SystemResponse = {
      ...unchanging,
      playbook: toPlaybookResponse(orchestrator.playbook),
      uptime_seconds: Math.floor((ageMs + performance.now() - createdAt) / 1_000),
      queue: { waiting_runs: await orchestrator.stats.waitingRuns() },
    };
    return jsonResponse(c, response, 200, { 'Cache-Control': 'no-store' });
  });
}

/** What stays the same while the process runs. */
function describe(
  { orchestrator, system, version, apiKeys, maxBodyBytes, maxEventStreams }: ResolvedHttpAppOptions,
  startedAt: number,
): Omit<SystemResponse, 'uptime_seconds' | 'queue' | 'playbook'> {
  return {
    version,
    node: process.versions.node,
    started_at: new Date(startedAt).toISOString(),
    notice: system.notice ?? null,
    storage: system.storage === undefined ? null : toStorageResponse(system.storage),
    model: {
      configured: system.model !== undefined,
      name: system.model?.name ?? null,
      stages: [...(system.model?.stages ?? [])],
    },
    authentication: { enabled: apiKeys !== undefined, keys: new Set(apiKeys).size },
    inbox: orchestrator.inbox !== undefined,
    limits: {
      max_body_bytes: maxBodyBytes,
      max_event_streams: maxEventStreams,
      ...toLimitsResponse(orchestrator.limits),
      rate_limit: toRateLimitResponse(system.rateLimit),
    },
    settings: [...(system.settings ?? [])].sort(),
  };
}

function toPlaybookResponse({ company, version, mode, intents }: Playbook): SystemResponse['playbook'] {
  return { name: company.name === '' ? null : company.name, version, mode, intents: intents.size };
}

function toStorageResponse({ backend, recovery }: SystemStorage): SystemResponse['storage'] {
  return {
    backend,
    run_recovery: recovery === undefined ? 'interrupt' : 'resume',
    max_recoveries: recovery?.maxRecoveries ?? null,
    unknown_outcome: recovery?.unknownOutcome ?? null,
  };
}

function toLimitsResponse(limits: Limits) {
  return {
    max_batch_size: limits.maxBatchSize,
    max_workflow_steps: limits.maxWorkflowSteps,
    max_foreach_items: limits.maxForeachItems,
    max_child_runs: limits.maxChildRuns,
    max_concurrent_steps: limits.maxConcurrentSteps,
    max_background_runs: limits.maxBackgroundRuns,
    max_waiting_runs: limits.maxWaitingRuns,
    max_subtasks: limits.maxSubtasks,
    max_input_bytes: limits.maxInputBytes,
    max_output_bytes: limits.maxOutputBytes,
    tool_max_attempts: limits.toolMaxAttempts,
    tool_timeout_ms: limits.toolTimeoutMs,
    agent_timeout_ms: limits.agentTimeoutMs,
    cancel_grace_ms: limits.cancelGraceMs,
    inbox_claim_ms: limits.inboxClaimMs,
    idempotency_ttl_ms: limits.idempotencyTtlMs,
  };
}

function toRateLimitResponse(limit: SystemDetails['rateLimit']): SystemResponse['limits']['rate_limit'] {
  return limit === undefined ? null : { requests: limit.requests, window_seconds: limit.windowSeconds };
}
