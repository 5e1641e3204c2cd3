import { z } from '@hono/zod-openapi';
import type { Mocks } from '../../../application/runs/simulate/mocks.ts';
import type { SimulatedRun } from '../../../application/runs/simulate/simulate.ts';
import { stepStatuses } from '../../../domain/run/run.ts';
import { MAX_WAIT_MS } from '../../../domain/workflow/definition.ts';
import { isPlainObject, type JsonObject } from '../../../lib/json/json.ts';
import { actionRoute, answer } from '../docs/routes.ts';
import { streamJson } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { workflowParams } from './definition-schemas.ts';
import { executionSchema, stepResultSchema, toExecution } from './executions.ts';
import { jsonObjectSchema, versionSchema } from './schemas.ts';
import { fromWire } from './wire.ts';

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
  const response = toExecution(run);
  const results: Record<string, z.input<typeof simulatedStepSchema>> = response.step_results;
  for (const { stepId, why } of run.stepResults) {
    const result = results[stepId];
    if (result !== undefined && why !== undefined) results[stepId] = { ...result, why };
  }
  return { ...response, step_results: results, actions: [], simulated: true };
}

/** The maximum length of the error of a mock, in characters. */
const MAX_ERROR = 500;

/** A mock as it is sent. */
export interface WireMock {
  readonly output?: JsonObject;
  readonly error?: string;
  readonly delay_ms?: number;
}

type WireMocks = Readonly<Record<string, WireMock | readonly WireMock[]>>;

/** The most steps that can have mocks, those of child workflows included. */
const MAX_MOCKS = 10_000;

/** The most issues of mocks that are reported: more would not fit into `detail`. */
const MAX_ISSUES = 100;

/**
 * `mocks` of a simulation: an object for each step, or a list of them. Reports the first 100 issues. A body can contain
 * very many mocks, for which zod's own schemas take too long.
 */
const mocksSchema = z
  .custom<WireMocks>(isPlainObject, { error: 'must be an object', abort: true })
  .superRefine((mocks, context) => {
    const count = Object.keys(mocks).length;
    if (count > MAX_MOCKS) {
      const message = `must have at most ${MAX_MOCKS} members, but there are ${count}`;
      return context.addIssue({ code: 'custom', path: [], message });
    }
    let issues = 0;
    for (const { path, mock } of eachMock(mocks)) {
      for (const [member, message] of Object.entries(mockIssues(mock))) {
        context.addIssue({ code: 'custom', path: member === '' ? path : [...path, member], message });
        if (++issues === MAX_ISSUES) return;
      }
    }
  });

const members = new Set(['output', 'error', 'delay_ms']);

/** The faults of a mock, by its members. */
function mockIssues(mock: unknown): Readonly<Record<string, string>> {
  if (!isPlainObject(mock)) return { '': 'must be an object' };
  const { output, error, delay_ms: delayMs } = mock;
  const isKnown = Object.keys(mock).every((member) => members.has(member));
  return {
    ...(isKnown ? {} : { '': 'may have output, error and delay_ms only' }),
    ...(output === undefined || isPlainObject(output) ? {} : { output: 'must be an object' }),
    ...(error === undefined || isErrorText(error)
      ? {}
      : { error: `must be a string of 1 to ${MAX_ERROR} characters` }),
    ...(delayMs === undefined || isDelay(delayMs)
      ? {}
      : { delay_ms: `must be an integer from 0 to ${MAX_WAIT_MS}` }),
  };
}

function isErrorText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ERROR;
}

function isDelay(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_WAIT_MS;
}

function* eachMock(mocks: WireMocks): Generator<{ readonly path: PropertyKey[]; readonly mock: WireMock }> {
  for (const [step, mock] of Object.entries(mocks)) {
    if (!isList(mock)) yield { path: [step], mock };
    else for (const [index, one] of mock.entries()) yield { path: [step, index], mock: one };
  }
}

function isList(mock: WireMock | readonly WireMock[]): mock is readonly WireMock[] {
  return Array.isArray(mock);
}

/** Valid mocks, as the core takes them. */
function toMocks(mocks: WireMocks): Mocks {
  const entries = Object.entries(mocks).map(([step, mock]) => [
    step,
    isList(mock) ? mock.map((one) => fromWire(one)) : fromWire(mock),
  ]);
  return Object.fromEntries(entries);
}

const mockDocs = {
  type: 'object' as const,
  additionalProperties: false,
  properties: {
    output: {
      type: 'object' as const,
      additionalProperties: true,
      description:
        'What the tool, agent or child workflow returns; the output of a wait; for an approval `approved`, and if wanted `data`, `note` and `decided_by`',
    },
    error: { type: 'string' as const, description: 'Why each attempt, the child or the wait fails' },
    delay_ms: {
      type: 'integer' as const,
      description: 'Milliseconds of simulated time that it takes; for a wait in place of its own time',
    },
  },
};

/** The documentation of {@link mocksSchema}. */
const mocksDocs = {
  type: 'object' as const,
  additionalProperties: { anyOf: [mockDocs, { type: 'array' as const, items: mockDocs }] },
  description:
    'What steps do, by step id; those of a child workflow by `<step>/<step of the child>`. For a step with `foreach`, an object counts for each item, and a list has one for each of the first items',
};

/** The body of `POST /workflows/{id}/simulate`. */
const simulationRequestSchema = z
  .object({
    input: jsonObjectSchema.default({}).openapi({ description: 'What `$input.<path>` refers to' }),
    mocks: mocksSchema.default({}).openapi(mocksDocs),
    version: versionSchema.openapi({
      description: 'Version of the definition; the newest one when absent',
    }),
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

const simulateRoute = actionRoute('/workflows/{id}/simulate', {
  operationId: 'simulateWorkflow',
  tag: 'Workflows',
  summary: 'Run a workflow without touching anything',
  description:
    'Runs the definition with its conditions, policies and templates, but calls no tool or agent, asks no person, and records nothing. Waits and delays take no real time. A step without a mock gets an output from the output schema of its tool, or fails; an approval without one is approved; child workflows are simulated too. A skipped step tells `why`.',
  params: workflowParams,
  body: [simulationRequestSchema, 'The input and the mocks'],
  isBodyOptional: true,
  answers: { 200: answer(simulatedExecutionSchema, 'The ended execution') },
});
