import { fileURLToPath } from 'node:url';
import type { Request } from '../load/raw-http.ts';
import { sendJson } from '../load/send.ts';
import type { Server } from '../process/servers.ts';
import { sendAndExpectCompleted } from './requests.ts';

/** Settings of a service that has the tools of `bench/servers/step-tools.ts`. */
export const stepToolSettings = {
  EXTENSIONS: fileURLToPath(new URL('../../servers/step-tools.ts', import.meta.url)),
  MAX_WORKFLOW_STEPS: '10000',
};

/** A run as the service returns it. */
export interface RunResponse {
  readonly execution_id: string;
  readonly status: string;
  readonly duration_ms: number;
  readonly step_results: Readonly<Record<string, StepResponse>>;
}

interface StepResponse {
  readonly duration_ms: number;
  readonly output: { readonly began?: number; readonly pid?: number } | null;
}

/** A background run. */
export interface BackgroundRun {
  /** The path of its events. */
  readonly eventsPath: string;
  /** Waits for its end, without reading its events. Rejects unless it completed within 30 seconds. */
  completed(): Promise<RunResponse>;
}

/** A workflow whose runs first wait at the gate. */
export interface GatedWorkflow {
  start(): Promise<BackgroundRun>;
  /** Lets the run that waits at the gate, or comes to it next, continue. */
  openGate(): Promise<void>;
}

/** Creates a workflow of the step `gate` and a chain of `length` steps that each wait `ms` milliseconds. */
export async function createGatedWorkflow(
  service: Server,
  length: number,
  ms: number,
): Promise<GatedWorkflow> {
  const chain = Array.from({ length }, (_, index) => ({
    id: `step-${index}`,
    tool_name: 'bench_wait',
    static_input: { ms },
    depends_on: [index === 0 ? 'gate' : `step-${index - 1}`],
  }));
  const path = await createWorkflow(service, [{ id: 'gate', tool_name: 'bench_gate' }, ...chain]);
  const opener = await createWorkflow(service, [{ id: 'open', tool_name: 'bench_open_gate' }]);
  const openGate: Request = { method: 'POST', path: `${opener}/run`, body: {} };
  return {
    start: () => startInBackground(service, path),
    openGate: async () => void (await sendAndExpectCompleted(service, openGate)),
  };
}

/** Creates a workflow and returns its path. */
export async function createWorkflow(service: Server, steps: readonly object[]): Promise<string> {
  const body = { name: 'steps', steps };
  const { id } = await sendJson<{ id: string }>(service, { method: 'POST', path: '/workflows', body });
  return `/workflows/${id}`;
}

/** Starts a run of the workflow at `path`. */
export async function startInBackground(service: Server, path: string): Promise<BackgroundRun> {
  const start = { method: 'POST', path: `${path}/run`, body: { background: true } };
  const { execution_id: id } = await sendJson<RunResponse>(service, start);
  const eventsPath = `${path}/runs/${id}/events`;
  return {
    eventsPath,
    async completed() {
      // There is no event with such a number: the response comes with the end of the run.
      await sendJson(service, { method: 'GET', path: `${eventsPath}?after=999999&wait=30` });
      const run = await sendJson<RunResponse>(service, { method: 'GET', path: `/runs/${id}` });
      if (run.status !== 'COMPLETED') throw new Error(`the run ${id} is ${run.status}`);
      return run;
    },
  };
}
