import { expect } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json/json.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { createTestApp, jsonOf, type TestApp } from './app.ts';

/** The result of an agent call: of a subtask or a step. */
export interface AgentResult {
  readonly status: string;
  readonly output: JsonObject | null;
  readonly error: string | null;
}

/** The steps that call the agent. Each has another form of input: constants, the run's input, a step's output. */
export const stepIds = ['constant', 'from_input', 'from_a_step'];

/** The app with the stages and tools of the service, in memory. */
export function serviceApp(tools: readonly Tool[] = exampleTools): TestApp {
  const stages = createRuleBasedStages({ escalationThreshold: 0.45 });
  return createTestApp({ ports: { stages }, tools });
}

/** Escapes all strings of a value, so that they are not templates. */
function escaped(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.startsWith('$') ? `$${value}` : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, escaped(member)]);
  return Array.isArray(value) ? value.map(escaped) : Object.fromEntries(entries);
}

/** A step input with a template for each member of the payload. */
export function withTemplates(payload: JsonObject, from: string): JsonObject {
  return Object.fromEntries(Object.keys(payload).map((key) => [key, `${from}.${key}`]));
}

async function byRoute(app: TestApp, agent: string, payload: JsonObject): Promise<AgentResult> {
  const subtasks = [{ agent_name: agent, payload }];
  const response = await app.post('/agents/route', { goal: 'the same', subtasks });
  expect(response.status).toBe(200);
  const { status, results } = await jsonOf<{ status: string; results: AgentResult[] }>(response);
  const result = results[0] ?? expect.fail();
  expect({ status, results: results.length }).toEqual({ status: result.status, results: 1 });
  return toResult(result);
}

async function byWorkflow(app: TestApp, agent: string, payload: JsonObject): Promise<AgentResult[]> {
  const [constant, fromInput, fromStep] = stepIds;
  const agentStep = (id: string | undefined, static_input: JsonValue) => ({
    id,
    kind: 'agent',
    agent_name: agent,
    depends_on: ['up'],
    static_input,
  });
  const steps = [
    { ...agentStep('up', withTemplates(payload, '$input')), agent_name: 'echo', depends_on: [] },
    agentStep(constant, escaped(payload)),
    agentStep(fromInput, withTemplates(payload, '$input')),
    agentStep(fromStep, withTemplates(payload, '$step.up')),
  ];
  const created = await app.post('/workflows', { name: 'the same', steps });
  const { id } = await jsonOf(created);
  expect(created.status).toBe(201);
  const response = await app.post(`/workflows/${id}/run`, { input: payload });
  expect(response.status).toBe(200);
  const run = await jsonOf<{ status: string; step_results: Record<string, AgentResult> }>(response);
  const results = stepIds.map((id) => toResult(run.step_results[id] ?? expect.fail()));
  const isCompleted = results.every(({ status }) => status === 'completed');
  expect(run.status).toBe(isCompleted ? 'COMPLETED' : 'FAILED');
  await app.request(`/workflows/${id}`, { method: 'DELETE' });
  return results;
}

/** Normalizes the result of a subtask or a step. */
export function toResult({ status, output, error }: AgentResult): AgentResult {
  return { status: status.toLowerCase(), output, error };
}

/** Calls an agent with a payload in every way: as a subtask, and as each step of a workflow. */
export async function callEveryWay(app: TestApp, agent: string, payload: JsonObject): Promise<AgentResult[]> {
  const [route, steps] = await Promise.all([byRoute(app, agent, payload), byWorkflow(app, agent, payload)]);
  return [route, ...steps];
}

/** Compares the results as JSON text, including the order of keys. */
export function expectSame(results: readonly unknown[]): void {
  const texts = results.map((result) => JSON.stringify(result));
  expect(texts).toEqual(texts.map(() => texts[0]));
}

/** The result of a successful call. */
export function completedResult(output: JsonObject): AgentResult {
  return { status: 'completed', output, error: null };
}
