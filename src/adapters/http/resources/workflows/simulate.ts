import { createRoute, z } from '@hono/zod-openapi';
import type { SimulatedRun } from '../../../../application/runs/simulate/simulate.ts';
import { simulatedExecutionExample, simulationRequestExample } from '../../docs/examples-runs.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { streamJson } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { toExecutionResponse } from '../runs/run-responses.ts';
import { executionSchema } from '../runs/run-schemas.ts';
import { jsonObjectSchema } from '../schemas.ts';
import { mocksDocs, mocksSchema, toMocks } from './mock-schemas.ts';
import { workflowParams } from './workflow-schemas.ts';

const versionError = { error: 'must be an integer of 1 or more' };

/** The body of `POST /workflows/{id}/simulate`. */
const simulationRequestSchema = z
  .object({
    input: jsonObjectSchema.default({}).openapi({ description: 'What `$input.<path>` refers to' }),
    mocks: mocksSchema.default({}).openapi(mocksDocs),
    version: z
      .number(versionError)
      .int(versionError)
      .min(1, versionError)
      .optional()
      .openapi({ description: 'Version of the definition; the newest one when absent' }),
  })
  .openapi('SimulationRequest');

const simulatedExecutionSchema = executionSchema
  .extend({ simulated: z.literal(true).describe('It is recorded nowhere, and its times are simulated ones') })
  .openapi('SimulatedExecution');

const simulateRoute = createRoute({
  method: 'post',
  path: '/workflows/{id}/simulate',
  operationId: 'simulateWorkflow',
  tags: ['Workflows'],
  summary: 'Run a workflow without touching anything',
  description:
    'Runs the definition with its conditions, policies and templates, but calls no tool or agent, asks no person, and records nothing. Waits and delays take no real time. A step without a mock gets an output from the output schema of its tool, or fails; an approval without one is approved; child workflows are simulated too.',
  request: {
    params: workflowParams,
    body: {
      ...jsonContent(simulationRequestSchema, 'The input and the mocks', simulationRequestExample),
      required: false,
    },
  },
  responses: {
    200: jsonContent(simulatedExecutionSchema, 'The ended execution', simulatedExecutionExample),
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

/** `POST /workflows/{id}/simulate`. */
export function simulateResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(simulateRoute), async (c) => {
    const { input, mocks, version } = c.req.valid('json');
    const request = { input, mocks: toMocks(mocks), version };
    const run = await orchestrator.workflows.simulate(c.req.valid('param').id, request);
    return streamJson(c, toSimulatedResponse(run), 'step_results', 200);
  });
}

/** Nothing can be done with what is recorded nowhere. */
function toSimulatedResponse(run: SimulatedRun): z.input<typeof simulatedExecutionSchema> {
  return { ...toExecutionResponse(run), actions: [], simulated: true };
}
