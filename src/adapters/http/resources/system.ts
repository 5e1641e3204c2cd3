import { z } from '@hono/zod-openapi';
import { isOrchestrationError } from '../../../domain/errors.ts';
import type { Limits } from '../../../domain/limits.ts';
import type { Playbook } from '../../../domain/playbook/playbook.ts';
import { actionRoute, answer, getRoute } from '../docs/routes.ts';
import { toRequestIssue } from '../error-body.ts';
import { HttpError } from '../errors.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions, SystemDetails, SystemStorage } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { count } from './schemas.ts';
import { toWire } from './wire.ts';

/** `GET /system` and `POST /system/reload`. */
export function systemResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, reload, maxBodyBytes } = options;
  const { app, endpoint } = createResource(maxBodyBytes);
  const createdAt = performance.now();
  const startedAt = options.system.startedAt ?? Date.now();
  const ageMs = Date.now() - startedAt;
  const unchanging = describe(options, startedAt);
  return app
    .openapi(endpoint(getSystemRoute), async (c) => {
      const response: SystemResponse = {
        ...unchanging,
        playbook: toPlaybookResponse(orchestrator.playbook),
        uptime_seconds: Math.floor((ageMs + performance.now() - createdAt) / 1_000),
        queue: { waiting_runs: await orchestrator.stats.waitingRuns() },
      };
      return jsonResponse(c, response, 200, { 'Cache-Control': 'no-store' });
    })
    .openapi(endpoint(reloadRoute), async (c) => {
      if (reload === undefined) throw new HttpError(404, 'this program reloads nothing');
      const { playbook, warnings, changed } = await reload().catch(rethrowWithAllFaults);
      const { source, version } = playbook;
      return jsonResponse(c, { playbook: { source, version }, warnings: [...warnings], changed }, 200);
    });
}

type SystemResponse = z.input<typeof systemSchema>;

/** The members that stay the same while the process runs. */
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
    limits: toLimits({ ...orchestrator.limits, maxBodyBytes, maxEventStreams, rateLimit: system.rateLimit }),
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

/** Throws faults with a detail that is long enough for all of them. */
function rethrowWithAllFaults(error: unknown): never {
  if (!isOrchestrationError(error, 'validation')) throw error;
  const issues = error.placedIssues?.map(toRequestIssue) ?? [];
  throw new HttpError(422, error.message, { issues, maxDetail: MAX_DETAIL });
}

const limitsSchema = z.object({
  max_body_bytes: count('Bytes of a request body'),
  max_batch_size: count('Messages of a batch'),
  max_workflow_steps: count('Steps of a definition'),
  max_foreach_items: count('Items that a step with `foreach` runs for'),
  max_child_runs: count('Runs that one run may have below it at each depth'),
  max_concurrent_steps: count('Steps of a layer that run at the same time'),
  max_background_runs: count('Background executions that run at the same time'),
  max_waiting_runs: count('Background executions that may wait for their start'),
  max_event_streams: count('Event streams that are open at the same time'),
  max_subtasks: count('Subtasks of a goal'),
  max_input_bytes: count('Bytes of the input of a step'),
  max_output_bytes: count('Bytes of the output of a tool, an agent or a step'),
  tool_max_attempts: count('Attempts at a tool call, the first included'),
  tool_timeout_ms: count('Milliseconds for an attempt at a tool call'),
  agent_timeout_ms: count('Milliseconds for the reply of an agent'),
  cancel_grace_ms: count('Milliseconds in which the steps of a cancelled execution may end by themselves'),
  inbox_claim_ms: count('Milliseconds for which a person has an item of the inbox to themselves'),
  idempotency_ttl_ms: count('Milliseconds for which the answer to an idempotency key is kept'),
  rate_limit: z
    .object({
      requests: count('Requests of a client address in a window'),
      window_seconds: count('Length of the window'),
    })
    .nullable()
    .describe('Null without a limit'),
});

/** The response of `GET /system`. */
const systemSchema = z
  .object({
    version: z.string().describe('Version of the service'),
    node: z.string().describe('Version of Node'),
    started_at: z.string().describe('When the process started'),
    uptime_seconds: count('Seconds since then'),
    notice: z
      .string()
      .nullable()
      .describe('A sentence for everybody who works with the service, as plain text: `CONSOLE_NOTICE`'),
    storage: z
      .object({
        backend: z.enum(['memory', 'sqlite', 'kvstore', 'postgres']).describe('Where records are stored'),
        run_recovery: z
          .enum(['interrupt', 'resume'])
          .describe('What becomes of an execution whose process has stopped'),
        max_recoveries: z
          .number()
          .int()
          .nullable()
          .describe('How often it continues without a step that completes in between; null with `interrupt`'),
        unknown_outcome: z
          .enum(['fail', 'ask', 'retry'])
          .nullable()
          .describe('What becomes of its `write` steps that were under way; null with `interrupt`'),
      })
      .nullable()
      .describe('Null where the app is embedded in a program that does not say it'),
    model: z
      .object({
        configured: z.boolean().describe('Whether a language model is connected'),
        name: z.string().nullable().describe('Its name'),
        stages: z.array(z.string()).describe('The stages that it backs'),
      })
      .describe('The language model'),
    playbook: z
      .object({
        name: z.string().nullable().describe('The company'),
        version: z
          .string()
          .describe(
            'A short hash of all that decides: the playbook, its articles, its classifier and its tools. Of this replica: another one may still have the last one, or have been reloaded already',
          ),
        mode: z.enum(['reply', 'draft']).describe('`draft`: a person sees each reply before it is sent'),
        intents: count('How many intents it has'),
      })
      .describe('What the company answers, and how'),
    authentication: z
      .object({
        enabled: z.boolean().describe('Whether requests need a key'),
        keys: count('How many keys are accepted'),
      })
      .describe('The API keys'),
    inbox: z.boolean().describe('Whether there is an inbox'),
    queue: z
      .object({ waiting_runs: count('Background executions that wait for their start, in all replicas') })
      .describe('The queue of executions'),
    limits: limitsSchema.describe('The bounds that a caller meets, most of them named like their settings'),
    settings: z
      .array(z.string())
      .describe(
        'The names of the settings in the environment or in `.env`, sorted, those of secrets too; never a value',
      ),
  })
  .openapi('System');

/** The most characters of `detail`, which tells all faults of a playbook. */
const MAX_DETAIL = 65_536;

const reloadSchema = z
  .object({
    playbook: z
      .object({
        source: z.string().describe('`built-in`, `code`, or the file as `PLAYBOOK` names it'),
        version: z.string().describe('As `playbook.version` of `GET /system`'),
      })
      .describe('The playbook that is in use now'),
    warnings: z
      .array(z.string())
      .describe('What may be wrong with it, each with the member that it is about: it is used all the same'),
    changed: z
      .boolean()
      .describe('False where nothing that decides has changed: then everything stays as it is'),
  })
  .openapi('Reload');

const getSystemRoute = getRoute('/system', {
  operationId: 'getSystem',
  tag: 'Operations',
  summary: 'Get how this process is set up',
  description:
    'Version, store, language model, playbook, limits, and the names of the settings that are set. It has no value of a setting that may be a secret, and no path or URL. Answered from memory, also while a store cannot be reached.',
  answer: [systemSchema, 'How the process is set up'],
});

const reloadRoute = actionRoute('/system/reload', {
  operationId: 'reloadPlaybook',
  tag: 'Operations',
  summary: 'Reload the playbook',
  description:
    'Loads the playbook again, with its articles, its classifier and its tools, and uses it for the messages that come from then on; what has begun ends by the last one. Where the new one has faults, nothing changes, and `detail` tells all of them. Of this process alone: each replica is reloaded by itself. What other settings say needs a restart. A call while a reload is under way waits for it. 404 where the service is embedded in a program that reloads nothing.',
  answers: { 200: answer(reloadSchema, 'The playbook in use') },
  errors: [404, 422, 503],
});

const toLimits = toWire(
  limitsSchema,
  ({
    rateLimit,
  }: Limits &
    Pick<ResolvedHttpAppOptions, 'maxBodyBytes' | 'maxEventStreams'> &
    Pick<SystemDetails, 'rateLimit'>) => ({
    rate_limit:
      rateLimit === undefined
        ? null
        : { requests: rateLimit.requests, window_seconds: rateLimit.windowSeconds },
  }),
);
