import { expect } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json/json.ts';
import { createTestApp, jsonOf, type TestApp } from './app.ts';

/** The result of an agent call, by any way. */
export interface Answer {
  readonly status: string;
  readonly output: JsonObject | null;
  readonly error: string | null;
}

/** The steps that call the agent; each gets the payload by other templates. */
export const ways = ['as_written', 'from_the_input', 'handed_on'];

/** The app with the stages and tools of the service, in memory. */
export function serviceApp(): TestApp {
  const stages = createRuleBasedStages({ escalationThreshold: 0.45 });
  return createTestApp({ ports: { stages }, tools: exampleTools });
}

/** Escapes the strings of a value, so that a step's input has no templates. */
function escaped(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.startsWith('$') ? `$${value}` : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, escaped(member)]);
  return Array.isArray(value) ? value.map(escaped) : Object.fromEntries(entries);
}

/** An input with a template for each member of the payload. */
export function referring(payload: JsonObject, from: string): JsonObject {
  return Object.fromEntries(Object.keys(payload).map((key) => [key, `${from}.${key}`]));
}

async function byRoute(app: TestApp, agent: string, payload: JsonObject): Promise<Answer> {
  const subtasks = [{ agent_name: agent, payload }];
  const response = await app.post('/agents/route', { goal: 'the same', subtasks });
  expect(response.status).toBe(200);
  const { status, results } = await jsonOf<{ status: string; results: Answer[] }>(response);
  const result = results[0] ?? expect.fail();
  expect({ status, results: results.length }).toEqual({ status: result.status, results: 1 });
  return answer(result);
}

async function byWorkflow(app: TestApp, agent: string, payload: JsonObject): Promise<Answer[]> {
  const [asWritten, fromTheInput, handedOn] = ways;
  const ask = (id: string | undefined, static_input: JsonValue) => ({
    ...{ id, kind: 'agent', agent_name: agent, depends_on: ['up'], static_input },
  });
  const steps = [
    { ...ask('up', referring(payload, '$input')), agent_name: 'echo', depends_on: [] },
    ask(asWritten, escaped(payload)),
    ask(fromTheInput, referring(payload, '$input')),
    ask(handedOn, referring(payload, '$step.up')),
  ];
  const created = await app.post('/workflows', { name: 'the same', steps });
  const { id } = await jsonOf(created);
  expect(created.status).toBe(201);
  const response = await app.post(`/workflows/${id}/run`, { input: payload });
  expect(response.status).toBe(200);
  const run = await jsonOf<{ status: string; step_results: Record<string, Answer> }>(response);
  const answers = ways.map((way) => answer(run.step_results[way] ?? expect.fail()));
  const isCompleted = answers.every(({ status }) => status === 'completed');
  expect(run.status).toBe(isCompleted ? 'COMPLETED' : 'FAILED');
  await app.request(`/workflows/${id}`, { method: 'DELETE' });
  return answers;
}

/** The result of a subtask or a step. */
export function answer({ status, output, error }: Answer): Answer {
  return { status: status.toLowerCase(), output, error };
}

/** Calls an agent with a payload in every way: by a route, and in each step of a workflow. */
export async function everyWay(app: TestApp, agent: string, payload: JsonObject): Promise<Answer[]> {
  const [route, steps] = await Promise.all([byRoute(app, agent, payload), byWorkflow(app, agent, payload)]);
  return [route, ...steps];
}

/** Compares the results as JSON text, including the order of keys. */
export function expectSame(answers: readonly unknown[]): void {
  const texts = answers.map((one) => JSON.stringify(one));
  expect(texts).toEqual(texts.map(() => texts[0]));
}

/** The result of a successful call. */
export function answerOf(output: JsonObject): Answer {
  return { status: 'completed', output, error: null };
}
