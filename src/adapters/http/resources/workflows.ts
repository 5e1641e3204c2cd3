import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { DefinitionCheck } from '../../../domain/workflow/checks/definition.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { keyOfReference } from '../../../domain/workflow/key.ts';
import type { Awaitable } from '../../../lib/async/awaitable.ts';
import {
  actionRoute,
  answer,
  conditionalDocs,
  creationRoute,
  deleteRoute,
  getRoute,
  listRoute,
  locationHeader,
  matchDocs,
  replaceRoute,
  taggedHeaders,
  versionHeaders,
} from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import { toRequestIssue } from '../error-body.ts';
import { HttpError } from '../errors.ts';
import { createIdempotent, findRecord } from '../idempotency/idempotent.ts';
import { streamPage } from '../json-stream.ts';
import { checkMethods } from '../middleware/methods.ts';
import { createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { ifMatchVersion, resourcePath, tagOfVersion, unlessCurrent, versionTag } from '../record-headers.ts';
import { jsonResponse, noContentResponse, type ResponseHeaders } from '../response.ts';
import { toWorkflow } from './definition-mapping.ts';
import {
  storedWorkflowSchema,
  workflowParams,
  workflowRequestSchema,
  workflowSchema,
} from './definition-schemas.ts';
import { pageQuerySchema, pageSchema, plainDigits, toPageRequest } from './listing.ts';
import { readDefinition, readDraft } from './read-definition.ts';
import { definitionRules } from './request-notes.ts';

/** The workflow definitions and their versions, under `/workflows`. */
export function workflowsResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes, newId, mountPath } = options;
  const { workflows, limits } = orchestrator;
  const { validate } = workflows;
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const idempotent = createIdempotent(options);
  const maxSteps = limits.maxWorkflowSteps;
  const rules = definitionRules(maxSteps);
  app.use('/workflows/:id', methodsOfDefinitions);
  // `POST /workflows/validate` is served by the path of a definition: Hono's fast router, which serves all requests,
  // has no fixed text beside a parameter. The type keeps the path that clients use.
  const path: string = definitionPath;
  const validating = { ...endpoint(validateRoute, { takesAnyJson: true }), path } as typeof validateRoute;
  return app
    .openapi(validating, async (c) => {
      const body: unknown = c.req.valid('json');
      const read = await readDefinition(body, { maxSteps, notes: rules.notes(body), validate });
      const check = 'draft' in read ? await validate(read.draft) : read.check;
      return jsonResponse(c, toValidation(check), 200);
    })
    .openapi(idempotentEndpoint(createWorkflowRoute, { rules, takesAnyJson: true }), async (c) => {
      const draft = await readDraft(c.req.valid('json'), { maxSteps, notes: c.get('notes'), validate });
      const respond = (workflow: WorkflowDefinition) => {
        const Location = resourcePath(mountPath(c, createWorkflowRoute.path), 'workflows', workflow.id);
        return jsonResponse(c, toWorkflow(workflow), 201, { Location, ...versionTag(workflow.version) });
      };
      return idempotent(c, {
        createRecordIds: newId,
        handle: async (id) => respond(await workflows.create(draft, id)),
        async replay(id) {
          const workflow = await findRecord(workflows.get(id));
          return workflow && { response: respond(workflow) };
        },
      });
    })
    .openapi(endpoint(listWorkflowsRoute), (c) => {
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'workflows',
        path: routePath(c, mountPath, listWorkflowsRoute),
        toItem: toWorkflow,
        list: () => workflows.list(page),
      });
    })
    .openapi(endpoint(getWorkflowRoute, conditionalDocs), async (c) => {
      const { id } = c.req.valid('param');
      const workflow = await workflows.get(id);
      return unlessCurrentVersion(c, id, workflow.version, (headers) =>
        jsonResponse(c, toWorkflow(workflow), 200, headers),
      );
    })
    .openapi(endpoint(replaceWorkflowRoute, { rules, takesAnyJson: true, ...replaceDocs }), async (c) => {
      const ifMatch = ifMatchVersion(c, 'a definition');
      const draft = await readDraft(c.req.valid('json'), { maxSteps, notes: c.get('notes'), validate });
      const { id } = c.req.valid('param');
      const key = keyOfReference(id);
      if (key === undefined) {
        const workflow = await workflows.replace(id, draft, { ifMatch });
        return jsonResponse(c, toWorkflow(workflow), 200, versionTag(workflow.version));
      }
      const { definition, outcome } = await workflows.put(key, draft, { ifMatch });
      const body = { ...toWorkflow(definition), changed: outcome !== 'unchanged' };
      const tag = versionTag(definition.version);
      if (outcome !== 'created') return jsonResponse(c, body, 200, tag);
      const Location = resourcePath(mountPath(c, replaceWorkflowRoute.path), 'workflows', definition.id);
      return jsonResponse(c, body, 201, { ...tag, Location });
    })
    .openapi(endpoint(deleteWorkflowRoute), async (c) => {
      await workflows.delete(c.req.valid('param').id);
      return noContentResponse(c);
    })
    .openapi(endpoint(listVersionsRoute), (c) => {
      const { id } = c.req.valid('param');
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'versions',
        path: routePath(c, mountPath, listVersionsRoute),
        toItem: toWorkflow,
        list: () => workflows.versions(id, page),
      });
    })
    .openapi(endpoint(getVersionRoute, conditionalDocs), async (c) => {
      const { id, n } = c.req.valid('param');
      const workflow = await workflows.getVersion(id, toVersion(n));
      return unlessCurrentVersion(c, id, workflow.version, (headers) =>
        jsonResponse(c, toWorkflow(workflow), 200, headers),
      );
    });
}

const methodsOfDefinitions = checkMethods((c) => {
  if (c.req.param('id') !== 'validate') return 'DELETE, GET, HEAD, PUT';
  c.set('route', validateRoute.path);
  return 'POST';
});

/**
 * Responds 304 when `If-None-Match` has the tag of a version, and else as `respond`. Never 304 under `key:<key>`:
 * another definition, which has the key by now, may have a version of the same number.
 */
async function unlessCurrentVersion<R extends Response>(
  c: Context<AppEnv>,
  reference: string,
  version: number,
  respond: (headers: ResponseHeaders) => Awaitable<R>,
): Promise<R> {
  const tag = tagOfVersion(version);
  if (keyOfReference(reference) === undefined) return unlessCurrent(c, tag, respond);
  return respond({ ETag: tag, 'Cache-Control': 'private, no-cache' });
}

/** Parses the number in the path, which is a text there. Throws 422. */
function toVersion(text: unknown): number {
  const parsed = versionNumber.safeParse(text);
  if (parsed.success) return parsed.data;
  const detail = 'must be an integer in plain decimal digits';
  throw new HttpError(422, `n: ${detail}`, { issues: [{ pointer: 'n', detail }] });
}

/** The most errors of a response. */
const MAX_ERRORS = 100;

function toValidation({ issues, warnings, layers }: DefinitionCheck): z.input<typeof validationSchema> {
  return {
    valid: issues.length === 0,
    errors: issues.slice(0, MAX_ERRORS).map(toRequestIssue),
    warnings: [...warnings],
    layers: layers.map((layer) => [...layer]),
  };
}

/** The schema `WorkflowValidation` of the OpenAPI document. */
const validationSchema = z
  .object({
    valid: z.boolean().describe('Whether `POST /workflows` would store the definition'),
    errors: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer into the body; empty for the body as a whole'),
          detail: z.string().describe('What is wrong there'),
        }),
      )
      .openapi({ description: 'Why it is not valid; at most the first 100 issues' }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'Possible mistakes in the definition that do not prevent a run' }),
    layers: z.array(z.array(z.string())).openapi({
      description: 'Step ids by layer; empty where the dependencies are not valid, or a step has no id',
    }),
  })
  .openapi('WorkflowValidation');

const definitionPath = '/workflows/{id}';

const validateRoute = actionRoute('/workflows/validate', {
  operationId: 'validateWorkflow',
  tag: 'Workflows',
  summary: 'Check a workflow definition',
  description:
    'Checks everything that `POST /workflows` checks and stores nothing. The answer to JSON is 200, also where the definition is not valid.',
  body: [workflowRequestSchema, 'The definition'],
  answers: { 200: answer(validationSchema, 'What is wrong with the definition') },
});

const createWorkflowRoute = creationRoute('/workflows', {
  operationId: 'createWorkflow',
  tag: 'Workflows',
  summary: 'Create a workflow definition',
  description:
    'Wrong members, duplicate step ids, dependencies on unknown steps, cycles, and expressions and schemas that are not valid are rejected, with all issues together. It is version 1; `PUT /workflows/{id}` stores the next one.',
  body: [workflowRequestSchema, 'The definition'],
  answer: [workflowSchema, 'The stored definition'],
  location: 'Path of the definition',
});

const listWorkflowsRoute = listRoute('/workflows', {
  operationId: 'listWorkflows',
  tag: 'Workflows',
  summary: 'List workflow definitions, newest first',
  description: 'The newest version of each. A workflow that is changed keeps its place.',
  query: pageQuerySchema,
  page: [pageSchema('workflows', workflowSchema), 'A page of definitions'],
});

const getWorkflowRoute = getRoute(definitionPath, {
  operationId: 'getWorkflow',
  tag: 'Workflows',
  summary: 'Get a workflow definition',
  description:
    'The newest version. Its `ETag` is its `version` in quotes, for `If-Match` of `PUT` as well as for `If-None-Match`.',
  params: workflowParams,
  answer: [workflowSchema, 'The definition', taggedHeaders],
});

const replaceWorkflowRoute = replaceRoute(definitionPath, {
  operationId: 'replaceWorkflow',
  tag: 'Workflows',
  summary: 'Store a new version of a workflow definition',
  description:
    'Executions that are created from then on have the new version; those that were created before keep theirs, also when they are retried or rerun. The newest 100 versions are kept. Under `key:<key>` it makes the definition where there is none, and stores nothing where nothing differs from the newest version.',
  params: workflowParams,
  body: [workflowRequestSchema, 'The complete definition'],
  answers: {
    200: answer(storedWorkflowSchema, 'The stored version', versionHeaders),
    201: answer(
      storedWorkflowSchema,
      'The definition is new, under its key',
      versionHeaders.extend(locationHeader('Path of the definition').shape),
    ),
  },
  conflict: [
    'Another definition has the key, or the collection is full',
    'the key "answer-an-order-question" is that of another workflow',
  ],
});

const replaceDocs = matchDocs(
  '`ETag` of the definition as the caller has seen it, which is its `version` in quotes: where another version is the newest one, the response is 412. `*` is the same as no header: the last caller wins.',
);

const deleteWorkflowRoute = deleteRoute(definitionPath, {
  operationId: 'deleteWorkflow',
  tag: 'Workflows',
  summary: 'Delete a workflow definition',
  description: 'With all its versions. Its executions stay stored until their retention ends.',
  params: workflowParams,
});

const listVersionsRoute = listRoute('/workflows/{id}/versions', {
  operationId: 'listWorkflowVersions',
  tag: 'Workflows',
  summary: 'List the versions of a workflow definition, newest first',
  description: 'Each one is complete. `total` is how many are kept.',
  params: workflowParams,
  query: pageQuerySchema,
  page: [pageSchema('versions', workflowSchema), 'A page of versions'],
});

const versionNumber = plainDigits(0);

const getVersionRoute = getRoute('/workflows/{id}/versions/{n}', {
  operationId: 'getWorkflowVersion',
  tag: 'Workflows',
  summary: 'Get a version of a workflow definition',
  description:
    'A version never changes. 404 where the workflow has none of that number, or no longer keeps it.',
  params: workflowParams.extend({
    n: versionNumber.openapi({
      param: { description: '`version` of the definition' },
      type: 'integer',
      minimum: 1,
      example: 1,
    }),
  }),
  answer: [workflowSchema, 'The version', taggedHeaders],
  errors: [422],
});
