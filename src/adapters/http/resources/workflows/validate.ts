import { createRoute, z } from '@hono/zod-openapi';
import type { DefinitionCheck } from '../../../../domain/workflow/checks/definition.ts';
import { validationExample, workflowRequestExample } from '../../docs/examples.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { toRequestIssue } from '../../error-body.ts';
import { checkMethods } from '../../middleware/methods.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { jsonResponse } from '../../response.ts';
import { readDefinition } from './read-definition.ts';
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
    layers: z.array(z.array(z.string())).openapi({
      description: 'Step ids by layer; empty where the dependencies are not valid, or a step has no id',
    }),
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
 * `POST /workflows/validate`. It is served by the path of a definition: Hono's fast router, which serves all requests,
 * has no fixed text beside a parameter.
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
    const { validate } = workflows;
    const read = await readDefinition(body, { maxSteps: limits.maxWorkflowSteps, notes, validate });
    const check = 'draft' in read ? await validate(read.draft) : read.check;
    return jsonResponse(c, respond(check), 200);
  });
}

function respond({ issues, warnings, layers }: DefinitionCheck): z.input<typeof validationSchema> {
  return {
    valid: issues.length === 0,
    errors: issues.slice(0, MAX_ERRORS).map(toRequestIssue),
    warnings: [...warnings],
    layers: layers.map((layer) => [...layer]),
  };
}
