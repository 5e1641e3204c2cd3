import { createRoute, z } from '@hono/zod-openapi';
import { keyOfReference } from '../../../../domain/workflow/key.ts';
import {
  changedWorkflowExample,
  changedWorkflowRequestExample,
  versionsExample,
  workflowExample,
} from '../../docs/examples.ts';
import {
  conditionalDocs,
  linkHeaders,
  taggedHeaders,
  versionHeaders,
  versionMatchDocs,
} from '../../docs/headers.ts';
import { errorResponses, jsonContent, stateConflict } from '../../docs/responses.ts';
import { HttpError } from '../../errors.ts';
import { streamPage } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { ifMatchVersion, resourcePath, versionTag } from '../../record-headers.ts';
import { jsonResponse } from '../../response.ts';
import { pageQuerySchema, pageSchema, plainDigits, toPageRequest } from '../schemas.ts';
import { toWorkflowResponse } from './definition-mapping.ts';
import { readDraft } from './read-definition.ts';
import {
  definitionRules,
  storedWorkflowSchema,
  workflowParams,
  workflowRequestSchema,
  workflowSchema,
} from './workflow-schemas.ts';
import { unlessCurrentVersion } from './workflow-tag.ts';

const versionNumber = plainDigits(0);

const replaceWorkflowRoute = createRoute({
  method: 'put',
  path: '/workflows/{id}',
  operationId: 'replaceWorkflow',
  tags: ['Workflows'],
  summary: 'Store a new version of a workflow definition',
  description:
    'Executions that are created from then on have the new version; those that were created before keep theirs, also when they are retried or rerun. The newest 100 versions are kept. Under `key:<key>` it makes the definition where there is none, and stores nothing where nothing differs from the newest version.',
  request: {
    params: workflowParams,
    body: {
      ...jsonContent(workflowRequestSchema, 'The complete definition', changedWorkflowRequestExample),
      required: true,
    },
  },
  responses: {
    200: {
      ...jsonContent(storedWorkflowSchema, 'The stored version', {
        ...changedWorkflowExample,
        changed: true,
      }),
      headers: versionHeaders,
    },
    201: {
      ...jsonContent(storedWorkflowSchema, 'The definition is new, under its key', {
        ...changedWorkflowExample,
        version: 1,
        key: 'answer-an-order-question',
        changed: true,
      }),
      headers: versionHeaders.extend({
        Location: z.string().openapi({ description: 'Path of the definition' }),
      }),
    },
    ...errorResponses(400, 404, 412, 413, 415, 422, 503),
    ...stateConflict(
      'Another definition has the key, or the collection is full',
      'the key "answer-an-order-question" is that of another workflow',
    ),
  },
});

const listVersionsRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/versions',
  operationId: 'listWorkflowVersions',
  tags: ['Workflows'],
  summary: 'List the versions of a workflow definition, newest first',
  description: 'Each one is complete. `total` is how many are kept.',
  request: { params: workflowParams, query: pageQuerySchema },
  responses: {
    200: {
      ...jsonContent(pageSchema('versions', workflowSchema), 'A page of versions', versionsExample),
      headers: linkHeaders,
    },
    ...errorResponses(404, 422, 503),
  },
});

const getVersionRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/versions/{n}',
  operationId: 'getWorkflowVersion',
  tags: ['Workflows'],
  summary: 'Get a version of a workflow definition',
  description:
    'A version never changes. 404 where the workflow has none of that number, or no longer keeps it.',
  request: {
    params: workflowParams.extend({
      n: versionNumber.openapi({
        param: { description: '`version` of the definition' },
        type: 'integer',
        minimum: 1,
        example: 1,
      }),
    }),
  },
  responses: {
    200: { ...jsonContent(workflowSchema, 'The version', workflowExample), headers: taggedHeaders },
    ...errorResponses(404, 422, 503),
  },
});

/** The versions of workflow definitions: `PUT /workflows/{id}`, and what is under `/workflows/{id}/versions`. */
export function workflowVersionsResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, maxBodyBytes } = options;
  const { workflows, limits } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  const rules = definitionRules(limits.maxWorkflowSteps);
  return app
    .openapi(
      endpoint(replaceWorkflowRoute, { rules, takesAnyJson: true, ...versionMatchDocs }),
      async (c) => {
        const ifMatch = ifMatchVersion(c, 'a definition');
        const reader = {
          maxSteps: limits.maxWorkflowSteps,
          notes: c.get('notes'),
          validate: workflows.validate,
        };
        const draft = await readDraft(c.req.valid('json'), reader);
        const { id } = c.req.valid('param');
        const key = keyOfReference(id);
        if (key === undefined) {
          const workflow = await workflows.replace(id, draft, { ifMatch });
          return jsonResponse(c, toWorkflowResponse(workflow), 200, versionTag(workflow.version));
        }
        const { definition, outcome } = await workflows.put(key, draft, { ifMatch });
        const body = { ...toWorkflowResponse(definition), changed: outcome !== 'unchanged' };
        const tag = versionTag(definition.version);
        if (outcome !== 'created') return jsonResponse(c, body, 200, tag);
        const Location = resourcePath(mountPath(c, replaceWorkflowRoute.path), 'workflows', definition.id);
        return jsonResponse(c, body, 201, { ...tag, Location });
      },
    )
    .openapi(endpoint(listVersionsRoute), (c) => {
      const { id } = c.req.valid('param');
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'versions',
        path: resourcePath(mountPath(c, listVersionsRoute.path), 'workflows', id, 'versions'),
        toItem: toWorkflowResponse,
        list: () => workflows.versions(id, page),
      });
    })
    .openapi(endpoint(getVersionRoute, conditionalDocs), async (c) => {
      const { id, n } = c.req.valid('param');
      const workflow = await workflows.getVersion(id, toVersion(n));
      return unlessCurrentVersion(c, id, workflow.version, (headers) =>
        jsonResponse(c, toWorkflowResponse(workflow), 200, headers),
      );
    });
}

/** Parses the number in the path, which is a text there. Throws 422. */
function toVersion(text: unknown): number {
  const parsed = versionNumber.safeParse(text);
  if (parsed.success) return parsed.data;
  const detail = 'must be an integer in plain decimal digits';
  throw new HttpError(422, `n: ${detail}`, { issues: [{ pointer: 'n', detail }] });
}
