import { createRoute, z } from '@hono/zod-openapi';
import type { Step, WorkflowDefinition, WorkflowDraft } from '../../../domain/workflow/definition.ts';
import { workflowExample, workflowRequestExample, workflowsExample } from '../docs/examples.ts';
import { conditionalDocs, linkHeaders, taggedHeaders } from '../docs/headers.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createTags, unlessCurrent } from '../headers/entity-tag.ts';
import { createOnce } from '../idempotency/once.ts';
import { findRecord } from '../idempotency/records.ts';
import { streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { MountPath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse, noContentResponse } from '../response.ts';
import { pageQuerySchema, pageSchema, toPageRequest } from './schemas.ts';
import {
  definitionRules,
  type stepRequestSchema,
  type stepSchema,
  workflowParams,
  workflowRequestSchema,
  workflowSchema,
} from './workflow-schemas.ts';

const createWorkflowRoute = createRoute({
  method: 'post',
  path: '/workflows',
  operationId: 'createWorkflow',
  tags: ['Workflows'],
  summary: 'Create a workflow definition',
  description:
    'Duplicate step ids, dependencies on unknown steps and cycles are rejected, with all issues together. Definitions are immutable.',
  request: {
    body: { ...jsonContent(workflowRequestSchema, 'The definition', workflowRequestExample), required: true },
  },
  responses: {
    201: {
      ...jsonContent(workflowSchema, 'The stored definition', workflowExample),
      headers: z.object({ Location: z.string().openapi({ description: 'Path of the definition' }) }),
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
  description: 'Each definition is the same as in the response to its creation.',
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
  description: 'The definition is the same as in the response to its creation.',
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
  description: 'Its executions stay stored until their retention ends.',
  request: { params: workflowParams },
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

/** The workflow definitions, under `/workflows`. */
export function workflowsResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, version, maxBodyBytes, newId } = options;
  const { workflows, limits } = orchestrator;
  const tagOf = createTags(version);
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  const rules = definitionRules(limits.maxWorkflowSteps);
  return app
    .openapi(idempotentEndpoint(createWorkflowRoute, { rules }), (c) => {
      const respond = (workflow: WorkflowDefinition) => {
        const location = `${mountPath(c, createWorkflowRoute.path)}/workflows/${workflow.id}`;
        return jsonResponse(c, toWorkflowResponse(workflow), 201, { Location: location });
      };
      return once(c, {
        createReference: newId,
        perform: async (id) => respond(await workflows.create(toWorkflowDraft(c.req.valid('json')), id)),
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
      const workflow = await workflows.get(c.req.valid('param').id);
      return unlessCurrent(c, tagOf(workflow.id), (headers) =>
        jsonResponse(c, toWorkflowResponse(workflow), 200, headers),
      );
    })
    .openapi(endpoint(deleteWorkflowRoute), async (c) => {
      await workflows.delete(c.req.valid('param').id);
      return noContentResponse(c);
    });
}

function toWorkflowDraft(request: z.output<typeof workflowRequestSchema>): WorkflowDraft {
  return { name: request.name, description: request.description, steps: request.steps.map(toStep) };
}

function toStep(step: z.output<typeof stepRequestSchema>): Step {
  const common = { id: step.id, dependsOn: step.depends_on, staticInput: step.static_input };
  return step.kind === 'tool'
    ? { ...common, kind: 'tool', toolName: validatedName(step.tool_name) }
    : { ...common, kind: 'agent', agentName: validatedName(step.agent_name) };
}

/** The schema has checked that the name for the step's kind is present. */
function validatedName(name: string | undefined): string {
  if (name === undefined) throw new TypeError('a validated step has no name for its kind');
  return name;
}

function toWorkflowResponse(workflow: WorkflowDefinition): z.input<typeof workflowSchema> {
  return {
    id: workflow.id,
    name: workflow.name,
    description: workflow.description,
    steps: workflow.steps.map(toStepResponse),
    layers: workflow.layers.map((layer) => [...layer]),
    warnings: [...workflow.warnings],
    created_at: workflow.createdAt,
  };
}

function toStepResponse(step: Step): z.input<typeof stepSchema> {
  const name = step.kind === 'tool' ? { tool_name: step.toolName } : { agent_name: step.agentName };
  return {
    id: step.id,
    kind: step.kind,
    ...name,
    depends_on: [...step.dependsOn],
    static_input: step.staticInput,
  };
}
