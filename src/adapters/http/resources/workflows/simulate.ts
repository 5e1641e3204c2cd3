import { createRoute, z } from '@hono/zod-openapi';
import type { SimulatedRun } from '../../../../application/runs/simulate/simulate.ts';
import { stepStatuses } from '../../../../domain/run/run.ts';
import { simulatedExecutionExample, simulationRequestExample } from '../../docs/examples-runs.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { streamJson } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { toExecutionResponse } from '../runs/run-responses.ts';
import { executionSchema, stepResultSchema } from '../runs/run-schemas.ts';
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

const simulatedStepSchema = stepResultSchema.extend({
  why: z
    .object({
      expression: z
        .string()
        .describe('Its `when`, or `run_if: …`, the rule for the steps that it depends on'),
      value: z
        .union([z.literal(false), z.record(z.string(), z.enum(stepStatuses))])
        .describe('`false`; for `run_if` the statuses of the steps by which it has decided'),
    })
    .optional()
    .describe('Why it was skipped; only with `SKIPPED`'),
});

const simulatedExecutionSchema = executionSchema
  .extend({
    step_results: z.record(z.string(), simulatedStepSchema).describe('What became of each step, by its id'),
    simulated: z.literal(true).describe('It is recorded nowhere, and its times are simulated ones'),
  })
  .openapi('SimulatedExecution');

const simulateRoute = createRoute({
  method: 'post',
  path: '/workflows/{id}/simulate',
  operationId: 'simulateWorkflow',
  tags: ['Workflows'],
  summary: 'Run a workflow without touching anything',
  description:
    'Runs the definition with its conditions, policies and templates, but calls no tool or agent, asks no person, and records nothing. Waits and delays take no real time. A step without a mock gets an output from the output schema of its tool, or fails; an approval without one is approved; child workflows are simulated too. A skipped step tells `why`.',
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
  const response = toExecutionResponse(run);
  const results: Record<string, z.input<typeof simulatedStepSchema>> = response.step_results;
  for (const { stepId, why } of run.stepResults) {
    const result = results[stepId];
    if (result !== undefined && why !== undefined) results[stepId] = { ...result, why };
  }
  return { ...response, step_results: results, actions: [], simulated: true };
}
