import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { hasEnded, type Run } from '../../../../domain/run/run.ts';
import type { NewId } from '../../../../ports/clock.ts';
import { preferenceApplied } from '../../docs/headers.ts';
import { jsonContent } from '../../docs/responses.ts';
import type { AppEnv } from '../../env.ts';
import { findRecord } from '../../idempotency/records.ts';
import { resourcePath } from '../../record-headers.ts';
import type { RunPreferences } from './run-preferences.ts';
import { runResponse } from './run-responses.ts';
import { executionSchema } from './run-schemas.ts';

/** The responses to the start of a run, for the documentation of a route. */
export function startedRunDocs(finished: object, pending: object) {
  return {
    200: {
      ...jsonContent(executionSchema, 'The finished execution', finished),
      headers: z.object({ 'Preference-Applied': preferenceApplied }),
    },
    202: {
      ...jsonContent(
        executionSchema,
        'The PENDING execution of a background run, or one that has not ended within the wait of `Prefer`, or before a shutdown after which it continues',
        pending,
      ),
      headers: z.object({
        Location: z.string().openapi({ description: 'Path of the execution' }),
        'Preference-Applied': preferenceApplied,
      }),
    },
  };
}

/** The start of a run by a request. */
export interface RunStart {
  readonly newId: NewId;
  readonly preferences: RunPreferences;
  /** Starts the run, under `runId` where it is given. */
  readonly start: (runId: string | undefined) => Promise<Run>;
  /** The run of an earlier request. Rejects with `not_found`. */
  readonly get: (runId: string) => Promise<Run>;
  /** The path of the mount. */
  readonly base: string;
}

/**
 * The start of a run as work that is done once for an idempotency key. Responds 200 with a run that has ended before
 * the response, and else 202 with its `Location`.
 */
export function startRunOnce(c: Context<AppEnv>, { newId, preferences, start, get, base }: RunStart) {
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
    createReference: newId,
    perform: async (runId: string | undefined) => respond(await start(runId)),
    async recall(runId: string) {
      const run = await findRecord(get(runId));
      if (run === undefined) return undefined;
      return run.background || hasEnded(run.status)
        ? { response: await respond(run) }
        : { location: locationOf(run) };
    },
  };
}
