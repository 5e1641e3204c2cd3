import { createRoute, z } from '@hono/zod-openapi';
import type { WorkflowDefinition } from '../../../../domain/workflow/definition.ts';
import { workflowExample, workflowRequestExample, workflowsExample } from '../../docs/examples.ts';
import { conditionalDocs, linkHeaders, taggedHeaders, versionHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { createOnce } from '../../idempotency/once.ts';
import { findRecord } from '../../idempotency/records.ts';
import { streamPage } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { resourcePath, tagOfVersion } from '../../record-headers.ts';
import { jsonResponse, noContentResponse } from '../../response.ts';
import { pageQuerySchema, pageSchema, toPageRequest } from '../schemas.ts';
import { toWorkflowResponse } from './definition-mapping.ts';
import { readDraft } from './read-definition.ts';
import {
  definitionRules,
  workflowParams,
  workflowRequestSchema,
  workflowSchema,
} from './workflow-schemas.ts';
import { unlessCurrentVersion } from './workflow-tag.ts';

const createWorkflowRoute = createRoute({
  method: 'post',
  path: '/workflows',
  operationId: 'createWorkflow',
  tags: ['Workflows'],
  summary: 'Create a workflow definition',
  description:
    'Wrong members, duplicate step ids, dependencies on unknown steps, cycles, and expressions and schemas that are not valid are rejected, with all issues together. It is version 1; `PUT /workflows/{id}` stores the next one.',
  request: {
    body: { ...jsonContent(workflowRequestSchema, 'The definition', workflowRequestExample), required: true },
  },
  responses: {
    201: {
      ...jsonContent(workflowSchema, 'The stored definition', workflowExample),
      headers: versionHeaders.extend({
        Location: z.string().openapi({ description: 'Path of the definition' }),
      }),
    },
    ...errorResponses(400, 409, 413, 415, 422, 503),
  },
});

const listWorkflowsRoute = createRoute({
  method: 'get',
  path: '/workflows',
  operationId: 'listWorkflows',
  tags: ['Workflows'],
  summary: 'List workflow definitions, newest first',
  description: 'The newest version of each. A workflow that is changed keeps its place.',
  request: { query: pageQuerySchema },
  responses: {
    200: {
      ...jsonContent(pageSchema('workflows', workflowSchema), 'A page of definitions', workflowsExample),
      headers: linkHeaders,
    },
    ...errorResponses(422, 503),
  },
});

const getWorkflowRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}',
  operationId: 'getWorkflow',
  tags: ['Workflows'],
  summary: 'Get a workflow definition',
  description:
    'The newest version. Its `ETag` is its `version` in quotes, for `If-Match` of `PUT` as well as for `If-None-Match`.',
  request: { params: workflowParams },
  responses: {
    200: { ...jsonContent(workflowSchema, 'The definition', workflowExample), headers: taggedHeaders },
    ...errorResponses(404, 503),
  },
});

const deleteWorkflowRoute = createRoute({
  method: 'delete',
  path: '/workflows/{id}',
  operationId: 'deleteWorkflow',
  tags: ['Workflows'],
  summary: 'Delete a workflow definition',
  description: 'With all its versions. Its executions stay stored until their retention ends.',
  request: { params: workflowParams },
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

/** The workflow definitions, under `/workflows`. */
export function workflowsResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { workflows, limits } = orchestrator;
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  const rules = definitionRules(limits.maxWorkflowSteps);
  return app
    .openapi(idempotentEndpoint(createWorkflowRoute, { rules, takesAnyJson: true }), async (c) => {
      const reader = {
        maxSteps: limits.maxWorkflowSteps,
        notes: c.get('notes'),
        validate: workflows.validate,
      };
      const draft = await readDraft(c.req.valid('json'), reader);
      const respond = (workflow: WorkflowDefinition) => {
        const location = resourcePath(mountPath(c, createWorkflowRoute.path), 'workflows', workflow.id);
        return jsonResponse(c, toWorkflowResponse(workflow), 201, {
          Location: location,
          ETag: tagOfVersion(workflow.version),
        });
      };
      return once(c, {
        createReference: newId,
        perform: async (id) => respond(await workflows.create(draft, id)),
        async recall(id) {
          const workflow = await findRecord(workflows.get(id));
          return workflow && { response: respond(workflow) };
        },
      });
    })
    .openapi(endpoint(listWorkflowsRoute), (c) => {
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'workflows',
        path: `${mountPath(c, listWorkflowsRoute.path)}${listWorkflowsRoute.path}`,
        toItem: toWorkflowResponse,
        list: () => workflows.list(page),
      });
    })
    .openapi(endpoint(getWorkflowRoute, conditionalDocs), async (c) => {
      const { id } = c.req.valid('param');
      const workflow = await workflows.get(id);
      return unlessCurrentVersion(c, id, workflow.version, (headers) =>
        jsonResponse(c, toWorkflowResponse(workflow), 200, headers),
      );
    })
    .openapi(endpoint(deleteWorkflowRoute), async (c) => {
      await workflows.delete(c.req.valid('param').id);
      return noContentResponse(c);
    });
}
