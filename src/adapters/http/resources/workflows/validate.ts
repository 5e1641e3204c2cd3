import { createRoute, z } from '@hono/zod-openapi';
import { validationExample, workflowRequestExample } from '../../docs/examples.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { type RequestIssue, toRequestIssue } from '../../error-body.ts';
import { checkMethods } from '../../middleware/methods.ts';
import { checkBody, createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { jsonResponse } from '../../response.ts';
import { toWorkflowDraft } from './definition-mapping.ts';
import { definitionRules, workflowRequestSchema } from './workflow-schemas.ts';

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
    layers: z
      .array(z.array(z.string()))
      .openapi({ description: 'Step ids by layer; empty where the dependencies are not valid' }),
  })
  .openapi('WorkflowValidation');

const validateWorkflowRoute = createRoute({
  method: 'post',
  path: '/workflows/validate',
  operationId: 'validateWorkflow',
  tags: ['Workflows'],
  summary: 'Check a workflow definition',
  description:
    'Checks everything that `POST /workflows` checks and stores nothing. The answer to JSON is 200, also where the definition is not valid.',
  request: {
    body: { ...jsonContent(workflowRequestSchema, 'The definition', workflowRequestExample), required: true },
  },
  responses: {
    200: jsonContent(validationSchema, 'What is wrong with the definition', validationExample),
    ...errorResponses(400, 413, 415, 422, 503),
  },
});

/** What is served at the path of a definition. */
const methodsOfDefinitions = checkMethods((c) => {
  if (c.req.param('id') !== 'validate') return 'DELETE, GET, HEAD, PUT';
  c.set('route', validateWorkflowRoute.path);
  return 'POST';
});

/** The most errors of a response. */
const MAX_ERRORS = 100;

/**
 * `POST /workflows/validate`. It is served by the path of a definition: Hono's fast router, which serves all requests, has
 * no fixed text beside a parameter.
 */
export function validateWorkflowResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { workflows, limits } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  app.use('/workflows/:id', methodsOfDefinitions);
  const rules = definitionRules(limits.maxWorkflowSteps);
  const path: string = '/workflows/{id}';
  // The type keeps the path that clients use.
  const served = {
    ...endpoint(validateWorkflowRoute, { takesAnyJson: true }),
    path,
  } as typeof validateWorkflowRoute;
  return app.openapi(served, async (c) => {
    const body: unknown = c.req.valid('json');
    const notes = rules.notes(body);
    const checked = checkBody(workflowRequestSchema, body, rules);
    if ('issues' in checked) {
      return jsonResponse(c, respond(checked.issues, notes, []), 200);
    }
    const { issues, warnings, layers } = await workflows.validate(toWorkflowDraft(checked.data, notes));
    return jsonResponse(c, respond(issues.map(toRequestIssue), warnings, layers), 200);
  });
}

function respond(
  errors: readonly RequestIssue[],
  warnings: readonly string[],
  layers: readonly (readonly string[])[],
): z.input<typeof validationSchema> {
  return {
    valid: errors.length === 0,
    errors: errors.slice(0, MAX_ERRORS),
    warnings: [...warnings],
    layers: layers.map((layer) => [...layer]),
  };
}
