import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { actionConflict, type ConditionalAction } from '../../../domain/run/actions.ts';
import { hasEnded, type Run, type RunStatus, runStatuses } from '../../../domain/run/run.ts';
import type { NewId } from '../../../ports/clock.ts';
import type { RunFilter } from '../../../ports/storage/run-log.ts';
import {
  actionRoute,
  answer,
  conditionalDocs,
  deleteRoute,
  getRoute,
  listRoute,
  locationHeader,
  taggedHeaders,
} from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import type { EventStreams } from '../events/streams.ts';
import {
  eventsDescription,
  eventsDocs,
  eventsQuerySchema,
  eventsResponses,
  respondWithEvents,
} from '../events/subject-events.ts';
import { createIdempotent, findRecord } from '../idempotency/idempotent.ts';
import { streamCursorPage, streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { parsePrefer } from '../parse-headers.ts';
import { createTags, resourcePath } from '../record-headers.ts';
import { noContentResponse } from '../response.ts';
import { workflowParams } from './definition-schemas.ts';
import {
  cancelRequestSchema,
  currentRunResponse,
  executionSchema,
  executionSummarySchema,
  rerunRequestSchema,
  resolveStepRequestSchema,
  runRequestSchema,
  runResponse,
  toExecutionSummary,
} from './executions.ts';
import {
  cursorPageSchema,
  cursorQuerySchema,
  pageQuerySchema,
  pageSchema,
  statusListSchema,
  textParameter,
  timeRangeShape,
  toCursorRequest,
  toFilter,
  toPageRequest,
} from './listing.ts';
import { idParameter } from './schemas.ts';
import { fromWire } from './wire.ts';

/** The author of changes over HTTP, in the events of runs. */
const BY = 'api';

/** The runs of a workflow, under `/workflows/{id}`. */
export function workflowRunsResource(options: ResolvedHttpAppOptions, streams: EventStreams) {
  const { orchestrator, version, maxBodyBytes, newId, mountPath } = options;
  const { runs, workflows } = orchestrator;
  const tagOf = createTags(version);
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const idempotent = createIdempotent(options);
  return app
    .openapi(idempotentEndpoint(runWorkflowRoute, preferDocs), (c) => {
      const { background: requested, ...request } = fromWire(c.req.valid('json'));
      const { id } = c.req.valid('param');
      const preferences = runPreferences(requested, c.req.header('prefer'));
      const { background, waitMs } = preferences;
      const work = startOfRun(c, {
        newId,
        preferences,
        start: (runId) => workflows.run(id, { ...request, background, waitMs, runId }),
        get: (runId) => workflows.getRun(id, runId),
        base: mountPath(c, runWorkflowRoute.path),
      });
      return idempotent(c, work);
    })
    .openapi(endpoint(listRunsRoute), (c) => {
      const { id } = c.req.valid('param');
      const query = c.req.valid('query');
      return streamPage(c, {
        name: 'executions',
        path: routePath(c, mountPath, listRunsRoute),
        toItem: toExecutionSummary,
        list: () => workflows.listRuns(id, toPageRequest(query), toRunFilter(query)),
      });
    })
    .openapi(endpoint(getRunRoute, conditionalDocs), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      return currentRunResponse(c, await workflows.getRun(id, execution_id), tagOf);
    })
    .openapi(endpoint(runEventsRoute, eventsDocs), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      return respondWithEvents(c, streams, {
        key: `execution ${execution_id}`,
        source: runs.events(execution_id, await workflows.idOf(id)),
        query: c.req.valid('query'),
      });
    });
}

/** The runs of all workflows, under `/runs`. */
export function runsResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, version, maxBodyBytes, newId, mountPath } = options;
  const { runs } = orchestrator;
  const tagOf = createTags(version);
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const idempotent = createIdempotent(options);
  return app
    .openapi(endpoint(listExecutionsRoute), (c) => {
      const { workflow_id: workflowId, ...query } = c.req.valid('query');
      const page = toCursorRequest(query);
      return streamCursorPage(c, {
        name: 'executions',
        path: routePath(c, mountPath, listExecutionsRoute),
        toItem: toExecutionSummary,
        limit: page.limit,
        list: () => runs.list({ ...toRunFilter(query), workflowId }, page),
      });
    })
    .openapi(endpoint(getExecutionRoute, conditionalDocs), async (c) =>
      currentRunResponse(c, await runs.get(c.req.valid('param').execution_id), tagOf),
    )
    .openapi(endpoint(cancelRoute), async (c) => {
      const { execution_id } = c.req.valid('param');
      const { reason = null } = c.req.valid('json');
      const { run, isAccepted } = await runs.cancel(execution_id, { by: BY, reason });
      c.set('logFields', { execution_id });
      return isAccepted ? runResponse(c, run, 202) : runResponse(c, run, 200);
    })
    .openapi(endpoint(retryRoute), async (c) => {
      const { execution_id } = c.req.valid('param');
      const run = await runs.retry(execution_id, { by: BY });
      c.set('logFields', { execution_id });
      return runResponse(c, run, 202);
    })
    .openapi(endpoint(deleteExecutionRoute), async (c) => {
      const { execution_id } = c.req.valid('param');
      await runs.delete(execution_id);
      c.set('logFields', { execution_id });
      return noContentResponse(c);
    })
    .openapi(endpoint(resolveStepRoute), async (c) => {
      const { execution_id, step_id } = c.req.valid('param');
      const { by = BY, ...decision } = c.req.valid('json');
      c.set('logFields', { execution_id, step_id });
      return runResponse(c, await runs.resolve(execution_id, step_id, { ...decision, by }), 200);
    })
    .openapi(idempotentEndpoint(rerunRoute, preferDocs), (c) => {
      const { background: requested, ...request } = fromWire(c.req.valid('json'));
      const { execution_id } = c.req.valid('param');
      const preferences = runPreferences(requested, c.req.header('prefer'), true);
      const { background, waitMs } = preferences;
      const work = startOfRun(c, {
        newId,
        preferences,
        start: (newRunId) => runs.rerun(execution_id, { ...request, background, waitMs, newRunId }),
        get: runs.get,
        base: mountPath(c, rerunRoute.path),
      });
      return idempotent(c, work);
    });
}

/** The form of the response to the start of a run, and the preferences of the request that it follows. */
interface RunPreferences {
  readonly background: boolean;
  /** Milliseconds to wait for the end of a run that does not begin in the background; undefined without a limit. */
  readonly waitMs: number | undefined;
  /** The value of `Preference-Applied`; empty when there is none. */
  readonly applied: string;
}

/**
 * Combines `background` of the body, which wins, with a Prefer header. `wait` with `respond-async` waits first, and
 * does not wait for a run that `background` asks for. `byDefault` stands for both when neither is given.
 */
function runPreferences(
  background: boolean | undefined,
  prefer: string | undefined,
  byDefault = false,
): RunPreferences {
  const { respondAsync, waitSeconds } = parsePrefer(prefer);
  if (background !== true && waitSeconds !== undefined) {
    const waitMs = waitSeconds * 1_000;
    return { background: false, waitMs, applied: `wait=${waitSeconds}` };
  }
  const isAsync = background ?? (respondAsync || byDefault);
  return { background: isAsync, waitMs: undefined, applied: isAsync && respondAsync ? 'respond-async' : '' };
}

/**
 * The start of a run as work that is done once for an idempotency key. Responds 200 with a run that has ended before
 * the response, and else 202 with its `Location`.
 */
function startOfRun(
  c: Context<AppEnv>,
  request: {
    readonly newId: NewId;
    readonly preferences: RunPreferences;
    /** Starts the run, under `runId` where it is given. */
    readonly start: (runId: string | undefined) => Promise<Run>;
    /** The run of an earlier request. Rejects with `not_found`. */
    readonly get: (runId: string) => Promise<Run>;
    /** The path of the mount. */
    readonly base: string;
  },
) {
  const { newId, preferences, start, get, base } = request;
  const { background, applied } = preferences;
  const locationOf = ({ workflowId, runId }: Run) =>
    resourcePath(base, 'workflows', workflowId, 'runs', runId);
  let isPrivate = false;
  const respond = async (run: Run) => {
    isPrivate = run.customerId !== null;
    c.set('logFields', { execution_id: run.runId });
    // A repeat may have other preferences than the request that started the run.
    const isApplied = applied !== '' && run.background === background;
    const headers = isApplied ? { 'Preference-Applied': applied } : {};
    if (hasEnded(run.status) && !run.background) return runResponse(c, run, 200, headers);
    return runResponse(c, run, 202, { Location: locationOf(run), ...headers });
  };
  return {
    /** Known once there is a run: the answer about a customer is not kept beside the run, which may be erased. */
    get isPrivate() {
      return isPrivate;
    },
    createRecordIds: newId,
    handle: async (runId: string | undefined) => respond(await start(runId)),
    async replay(runId: string) {
      const run = await findRecord(get(runId));
      if (run === undefined) return undefined;
      return run.background || hasEnded(run.status)
        ? { response: await respond(run) }
        : { location: locationOf(run) };
    },
  };
}

const runParams = z.object({ execution_id: idParameter('`execution_id` of the run') });

/** The documentation of an endpoint that supports `Prefer`. */
const preferDocs = {
  headers: z.object({
    Prefer: z
      .string()
      .optional()
      .openapi({
        param: {
          description:
            '`respond-async`: the same as `background`, unless the body has it. `wait=n`: respond 202 when the run has not ended after n seconds; it continues.',
        },
        example: 'wait=10',
      }),
  }),
};

const preferenceHeader = z.object({
  'Preference-Applied': z
    .string()
    .optional()
    .openapi({ description: 'The preferences of `Prefer` that were followed' }),
});

const startAnswers = {
  200: answer(executionSchema, 'The finished execution', preferenceHeader),
  202: answer(
    executionSchema,
    'The PENDING execution of a background run, or one that has not ended within the wait of `Prefer`, or before a shutdown after which it continues',
    preferenceHeader.extend(locationHeader('Path of the execution').shape),
  ),
};

const runFilterShape = { status: statusListSchema(runStatuses), ...timeRangeShape };

/** The runs that the query of a listing includes; undefined for all. */
function toRunFilter({
  status: statuses,
  since,
  until,
}: z.output<z.ZodObject<typeof runFilterShape>>): RunFilter | undefined {
  return toFilter({ statuses, since, until });
}

const runWorkflowRoute = actionRoute('/workflows/{id}/run', {
  operationId: 'runWorkflow',
  tag: 'Workflows',
  summary: 'Run a workflow',
  description:
    'Waits for the end unless `background` is true or `Prefer` says otherwise. Without an `Idempotency-Key` a repeated call runs the workflow again.',
  params: workflowParams,
  body: [runRequestSchema, 'How to run it'],
  isBodyOptional: true,
  answers: startAnswers,
});

const listRunsRoute = listRoute('/workflows/{id}/runs', {
  operationId: 'listRuns',
  tag: 'Workflows',
  summary: 'List the executions of a workflow, newest first',
  description:
    'Without their step results. With filters the list has the executions that fit all of them, and `total` is their number. The executions of a deleted definition are still listed under its id.',
  params: workflowParams,
  query: pageQuerySchema.extend(runFilterShape),
  page: [
    pageSchema('executions', executionSummarySchema),
    'A page of executions, without their step results',
  ],
});

const getRunRoute = getRoute('/workflows/{id}/runs/{execution_id}', {
  operationId: 'getRun',
  tag: 'Workflows',
  summary: 'Get an execution',
  description:
    'Its status and all its step results, also while it runs. It has an `ETag` once it has ended. 404 under the id of another workflow.',
  params: workflowParams.extend(runParams.shape),
  answer: [executionSchema, 'The current state of the execution', taggedHeaders.partial()],
});

const runEventsRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/runs/{execution_id}/events',
  operationId: 'listRunEvents',
  tags: ['Events'],
  summary: 'List or stream the events of an execution',
  description: `Also while it runs. 404 under the id of another workflow. ${eventsDescription}`,
  request: { params: workflowParams.extend(runParams.shape), query: eventsQuerySchema },
  responses: eventsResponses,
});

const listExecutionsRoute = listRoute('/runs', {
  operationId: 'listExecutions',
  tag: 'Runs',
  summary: 'List the executions of all workflows, newest first',
  description:
    'Without their step results. With filters the list has the executions that fit all of them. Executions of deleted definitions are listed too.',
  query: cursorQuerySchema.extend(runFilterShape).extend({
    workflow_id: textParameter(
      'Only executions of this definition: its id, or `key:` and its key',
      '01a1fb9e-ae39-7000-b823-af1ff3c3c331',
    ),
  }),
  page: [
    cursorPageSchema('executions', executionSummarySchema),
    'A page of executions, without their step results',
  ],
  errors: [404],
});

const getExecutionRoute = getRoute('/runs/{execution_id}', {
  operationId: 'getExecution',
  tag: 'Runs',
  summary: 'Get an execution by its id alone',
  description: 'The same record as under its workflow, with the same `ETag` once it has ended.',
  params: runParams,
  answer: [executionSchema, 'The current state of the execution', taggedHeaders.partial()],
});

/** The detail where an execution of this status cannot be changed so. */
const conflictDetail = (status: RunStatus, action: ConditionalAction) =>
  actionConflict('01a1fb9e-b076-7000-8e39-c1cb04ae37d6', status, action).message;

const cancelRoute = actionRoute('/runs/{execution_id}/cancel', {
  operationId: 'cancelExecution',
  tag: 'Runs',
  summary: 'Cancel an execution',
  description:
    'Responds before the execution has ended: steps under way are aborted and get time to end, further steps are SKIPPED, and it ends as CANCELLED. A repeat is no error.',
  params: runParams,
  body: [cancelRequestSchema, 'Why'],
  isBodyOptional: true,
  answers: {
    200: answer(executionSchema, 'It had ended already, and is unchanged'),
    202: answer(executionSchema, 'The execution as it is now: it ends as CANCELLED'),
  },
});

const retryRoute = actionRoute('/runs/{execution_id}/retry', {
  operationId: 'retryExecution',
  tag: 'Runs',
  summary: 'Retry an execution that FAILED or was CANCELLED',
  description:
    'The same execution goes on in the background: its FAILED, CANCELLED and SKIPPED steps run again with the same idempotency keys of tools, and completed steps keep their outputs.',
  params: runParams,
  answers: { 202: answer(executionSchema, 'The execution, with one more `attempt`') },
  conflict: ['The execution is neither FAILED nor CANCELLED', conflictDetail('COMPLETED', 'retry')],
});

const deleteExecutionRoute = deleteRoute('/runs/{execution_id}', {
  operationId: 'deleteExecution',
  tag: 'Runs',
  summary: 'Delete an execution that has ended',
  description: 'With its step results and its events.',
  params: runParams,
  conflict: ['The execution has not ended', conflictDetail('RUNNING', 'delete')],
});

const resolveStepRoute = actionRoute('/runs/{execution_id}/steps/{step_id}/resolve', {
  operationId: 'resolveStep',
  tag: 'Runs',
  summary: 'Decide about a step whose outcome is unknown',
  description:
    'For a `WAITING` step whose process stopped while it was under way, with `RUN_UNKNOWN_OUTCOME=ask`: the execution goes on with the decision, and the inbox item of the step is resolved. The first decision counts.',
  params: runParams.extend({ step_id: idParameter('Id of the step') }),
  body: [resolveStepRequestSchema, 'The decision'],
  answers: { 200: answer(executionSchema, 'The execution with the decision') },
  conflict: [
    'The step does not wait for a decision, or somebody has decided already',
    'somebody has decided about step "mail" already',
  ],
});

const rerunRoute = actionRoute('/runs/{execution_id}/rerun', {
  operationId: 'rerunExecution',
  tag: 'Runs',
  summary: 'Run the definition of an execution again',
  description:
    'Creates a new execution with the version of the original, in the background unless `background` is false or `Prefer` says otherwise. It works after the definition was deleted. Without an `Idempotency-Key` a repeated call creates another execution.',
  params: runParams,
  body: [rerunRequestSchema, 'What to run again'],
  isBodyOptional: true,
  answers: startAnswers,
  conflict: ['The execution has not ended', conflictDetail('RUNNING', 'rerun')],
});
