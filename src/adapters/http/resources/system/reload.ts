import { createRoute, z } from '@hono/zod-openapi';
import type { ReloadedPlaybook } from '../../../../application/driving-port.ts';
import { isOrchestrationError } from '../../../../domain/errors.ts';
import { reloadExample } from '../../docs/examples-stats.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { toRequestIssue } from '../../error-body.ts';
import { HttpError } from '../../errors.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { jsonResponse } from '../../response.ts';

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

const reloadRoute = createRoute({
  method: 'post',
  path: '/system/reload',
  operationId: 'reloadPlaybook',
  tags: ['Operations'],
  summary: 'Reload the playbook',
  description:
    'Loads the playbook again, with its articles, its classifier and its tools, and uses it for the messages that come from then on; what has begun ends by the last one. Where the new one has faults, nothing changes, and `detail` tells all of them. Of this process alone: each replica is reloaded by itself. What other settings say needs a restart. A call while a reload is under way waits for it. 404 where the service is embedded in a program that reloads nothing.',
  responses: {
    200: jsonContent(reloadSchema, 'The playbook in use', reloadExample),
    ...errorResponses(404, 422, 503),
  },
});

/** `POST /system/reload`. */
export function reloadResource({ reload, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(reloadRoute), async (c) => {
    if (reload === undefined) throw new HttpError(404, 'this program reloads nothing');
    return jsonResponse(c, toReloadResponse(await reload().catch(rethrowWithAllFaults)), 200);
  });
}

/** Throws faults with a detail that is long enough for all of them. */
function rethrowWithAllFaults(error: unknown): never {
  if (!isOrchestrationError(error, 'validation')) throw error;
  const issues = error.placedIssues?.map(toRequestIssue) ?? [];
  throw new HttpError(422, error.message, { issues, maxDetail: MAX_DETAIL });
}

function toReloadResponse({
  playbook: { source, version },
  warnings,
  changed,
}: ReloadedPlaybook): z.input<typeof reloadSchema> {
  return { playbook: { source, version }, warnings: [...warnings], changed };
}
