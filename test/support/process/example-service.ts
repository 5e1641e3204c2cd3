import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { root } from '../docs/pages.ts';
import { bodyOf, postJson, type Service, startService } from './service.ts';

/** An execution, as far as the tests of examples read it. */
export interface Execution {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly version: number;
  readonly status: string;
  readonly parent_execution_id: string | null;
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly waiting_for: readonly {
    readonly kind: string;
    readonly step_id: string;
    readonly item_id?: string;
  }[];
  readonly step_results: Readonly<Record<string, StepResult>>;
}

/** A result of a step, as far as the tests of examples read it. */
export interface StepResult {
  readonly status: string;
  readonly attempts: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
}

/**
 * Starts the service with the extension of an example, which is a path from the root of the repository; in `folder`,
 * which stays, or in one of its own.
 */
export function startExample(
  extension: string,
  settings: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Service> {
  return startService({ EXTENSIONS: join(root, extension), ...settings }, folder);
}

/** Stores a definition, which must have no warnings; resolves to its id. */
export async function define(service: Service, definition: unknown): Promise<string> {
  const reply = await postJson(`${service.baseUrl}/workflows`, definition);
  const { id, warnings, ...rest } = await bodyOf<{ id: string; warnings: readonly string[] }>(reply);
  expect({ status: reply.status, warnings, rest }).toMatchObject({ status: 201, warnings: [] });
  return id;
}

/** Runs a workflow, and waits up to `waitSeconds` for its end or its next wait. */
export async function runWorkflow(
  { baseUrl }: Service,
  id: string,
  input: unknown,
  waitSeconds = 20,
): Promise<Execution> {
  const reply = await postJson(
    `${baseUrl}/workflows/${id}/run`,
    { input },
    { Prefer: `wait=${waitSeconds}` },
  );
  return bodyOf<Execution>(reply);
}

/** Reads an execution. */
export async function executionOf({ baseUrl }: Service, id: string): Promise<Execution> {
  return bodyOf<Execution>(await fetch(`${baseUrl}/runs/${id}`));
}

/** The execution once it has ended, as its events say. */
export async function endOf(service: Service, { workflow_id, execution_id }: Execution): Promise<Execution> {
  const events = `${service.baseUrl}/workflows/${workflow_id}/runs/${execution_id}/events`;
  // The stream ends with the run.
  await (await fetch(events, { headers: { Accept: 'text/event-stream' } })).text();
  return executionOf(service, execution_id);
}

/** The statuses of all steps. */
export function statusesOf({ step_results }: Execution): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(step_results).map(([id, { status }]) => [id, status]));
}
