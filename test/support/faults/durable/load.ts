import type { Random } from '../../../../src/adapters/evaluation/random.ts';
import { call } from '../calls.ts';
import { sleep } from '../fleet.ts';
import type { Cluster, Serving } from './cluster.ts';
import type { EffectLine } from './effect-log.ts';
import type { Findings } from './rig.ts';

/** The result of a step on the wire. */
export interface StepResponse {
  readonly step_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly output: { readonly mark?: string } | null;
  readonly error: string | null;
}

/** An execution on the wire, as far as it is looked at. */
export interface RunResponse {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly attempt: number;
  readonly recoveries: number;
  readonly recoveries_without_progress: number;
  readonly input: { readonly token?: string };
  readonly step_results: Readonly<Record<string, StepResponse>>;
}

/** A run whose start was acknowledged. */
export interface AcknowledgedRun {
  readonly id: string;
  readonly token: string;
  /** The record that was returned at its end, as JSON; undefined for a run in the background. */
  readonly ended: string | undefined;
  /** Results of ended steps that were read while it went on, as JSON. */
  readonly saved: Map<string, string>;
}

/** Callers that start runs and read them. */
export interface Load {
  readonly acknowledged: readonly AcknowledgedRun[];
  /** The work that each token was requested for, acknowledged or not. */
  readonly works: ReadonlyMap<string, Work>;
  /** Stops the callers; resolves when the last call has ended. */
  stop(): Promise<void>;
}

/** Options of {@link startLoad}. */
export interface LoadOptions {
  readonly random: Random;
  /** The number of callers that start one run after the other. */
  readonly callers: number;
  /** The mean time of a step, in milliseconds. */
  readonly stepMs: number;
  /** True where processes end in order: a call that they have begun must then be answered. False when absent. */
  readonly isRolling?: boolean;
}

const ends = ['COMPLETED', 'FAILED', 'CANCELLED'];
const stepEnds = [...ends, 'SKIPPED'];

/** A busy machine sends a request this much later than it was made, at most. */
const CROSSING_MS = 1_000;

/** A caller reads its run for this long, then starts the next one: the process of the run may be gone. */
const FOLLOWED_MS = 4_000;

/** Starts the load on a cluster that is ready. */
export async function startLoad(cluster: Cluster, findings: Findings, options: LoadOptions): Promise<Load> {
  const { random, callers, stepMs, isRolling = false } = options;
  const acknowledged: AcknowledgedRun[] = [];
  const works = new Map<string, Work>();
  const definitions: { readonly id: string; readonly work: Work }[] = [];
  let stopped = false;

  /** Calls a process, and notes what no process may answer. Undefined unless it succeeded. */
  async function request(life: Serving, path: string, body?: unknown): Promise<unknown> {
    const from = Date.now();
    const { outcome, status, request: text, ...reply } = await call(life, path, body);
    findings.add('calls');
    findings.max('longest call, ms', Math.round(reply.to - reply.from));
    const wasDisturbed = life.killedAt !== undefined || life.exitedAt !== undefined || life.frozen.length > 0;
    const example = { text, status, body: reply.body, pid: life.pid };
    if (!wasDisturbed) findings.add('calls of processes that went on');
    if (!wasDisturbed && outcome === 'succeeded') findings.add('of these, answered 2xx');
    if (outcome === 'unavailable') findings.add('answers 503');
    if (outcome === 'unexpected') findings.violate(`a call was answered ${status}`, example);
    if (outcome === 'broken' && !wasDisturbed)
      findings.violate('a call of a process that went on broke', example);
    if (outcome === 'broken' && isRolling) {
      findings.add('connections refused or reset');
      // A request that crosses the signal may find the connection closed.
      if (life.killedAt !== undefined && from < life.killedAt - CROSSING_MS)
        findings.violate('a call was cut by an orderly shutdown', {
          ...example,
          from,
          killedAt: life.killedAt,
        });
    }
    return outcome === 'succeeded' ? reply.body : undefined;
  }

  /** A process that serves; waits for one. Undefined once the load is stopped. */
  async function pickServing(): Promise<Serving | undefined> {
    while (!stopped) {
      const serving = cluster.serving();
      if (serving.length > 0) return random.pick(serving);
      await sleep(20);
    }
    return undefined;
  }

  async function follow({ id, saved }: AcknowledgedRun): Promise<void> {
    const until = Date.now() + FOLLOWED_MS;
    while (!stopped && Date.now() < until) {
      await sleep(100 + random.next() * 300);
      const life = await pickServing();
      const body = life === undefined ? undefined : await request(life, `/runs/${id}`);
      if (body === undefined) continue;
      const { status, step_results } = body as RunResponse;
      for (const result of Object.values(step_results)) {
        if (stepEnds.includes(result.status)) saved.set(result.step_id, JSON.stringify(result));
      }
      if (ends.includes(status)) return;
    }
  }

  async function runOnce(): Promise<void> {
    const life = await pickServing();
    if (life === undefined) return;
    const { id: workflowId, work } = random.pick(definitions);
    const token = `t${works.size}`;
    works.set(token, work);
    const background = random.flip(0.75);
    const body = await request(life, `/workflows/${workflowId}/run`, { background, input: { token } });
    if (body === undefined) return;
    const { execution_id: id, status } = body as RunResponse;
    const ended = ends.includes(status) ? JSON.stringify(body) : undefined;
    const run = { id, token, ended, saved: new Map<string, string>() };
    acknowledged.push(run);
    if (ended === undefined) await follow(run);
  }

  async function caller(): Promise<void> {
    while (!stopped) {
      await runOnce();
      await sleep(20 + random.next() * 200);
    }
  }

  for (const work of createWorks(random, stepMs)) {
    const life = await pickServing();
    const created = life && (await request(life, '/workflows', definitionOf(work)));
    if (created === undefined) throw new Error('a workflow was not created');
    definitions.push({ id: (created as { id: string }).id, work });
  }
  const running = Promise.all(Array.from({ length: callers }, caller));
  return {
    acknowledged,
    works,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** A step of a workload. */
export interface WorkStep {
  readonly id: string;
  readonly effect: EffectLine['effect'];
  readonly isAgent: boolean;
  readonly dependsOn: readonly string[];
  readonly ms: number;
  /** True where it kills its process. */
  readonly isDeadly?: boolean;
}

/** A workflow of the workload. */
export interface Work {
  readonly name: string;
  readonly steps: readonly WorkStep[];
}

const COUNT = 20;

type Shape = (index: number) => readonly number[];

/** By the index of a step, the indexes of the steps that it depends on. */
const shapes: Readonly<Record<string, Shape>> = {
  chain: (index) => (index === 0 ? [] : [index - 1]),
  wide: () => [],
  fan: (index) =>
    index === 0 ? [] : index < COUNT - 1 ? [0] : Array.from({ length: COUNT - 2 }, (_, i) => i + 1),
  diamonds: (index) => {
    const base = index - (index % 4);
    const corners: readonly (readonly number[])[] = [
      index === 0 ? [] : [base - 1],
      [base],
      [base],
      [base + 1, base + 2],
    ];
    return corners[index % 4] ?? [];
  },
};

/** The share of `write` steps: none, where every run must complete, or some. */
const writeShares = { safe: 0, mixed: 0.12 } as const;

/**
 * Workflows of twenty steps of each shape, with and without steps that must not be repeated. `ms` is the mean time of a
 * step.
 */
function createWorks(random: Random, ms: number): readonly Work[] {
  return Object.entries(shapes).flatMap(([shape, dependsOn]) =>
    Object.entries(writeShares).map(([name, share]) => ({
      name: `${shape}, ${name}`,
      steps: Array.from({ length: COUNT }, (_, index): WorkStep => {
        const isAgent = random.flip(0.1);
        const effect = random.flip(share) ? 'write' : isAgent || random.flip(0.5) ? 'read' : 'idempotent';
        return {
          id: `s${index}`,
          effect,
          isAgent,
          dependsOn: dependsOn(index).map((before) => `s${before}`),
          ms: Math.round(ms * (0.4 + 1.2 * random.next())),
        };
      }),
    })),
  );
}

/**
 * The definition of a workflow: its steps log under the token in the input, with the mark of their first dependency.
 */
export function definitionOf({ name, steps }: Work): object {
  return {
    name,
    steps: steps.map(({ id, effect, isAgent, dependsOn, ms, isDeadly }) => ({
      id,
      depends_on: dependsOn,
      ...(isAgent ? { kind: 'agent', agent_name: `agent_${effect}` } : { tool_name: `act_${effect}` }),
      static_input: {
        token: '$input.token',
        step: id,
        ms,
        ...(isDeadly ? { deadly: true } : {}),
        ...(dependsOn[0] === undefined ? {} : { seen: `$step.${dependsOn[0]}.mark` }),
      },
    })),
  };
}

/** A step of a tool, after the one before it. */
export function toolStep(id: string, effect: WorkStep['effect'], ms: number, after?: string): WorkStep {
  return { id, effect, isAgent: false, dependsOn: after === undefined ? [] : [after], ms };
}

/** A chain of steps that may be repeated. */
export function chainOf(name: string, count: number, ms: number): Work {
  const steps = Array.from({ length: count }, (_, index) =>
    toolStep(
      `s${index}`,
      index % 2 === 0 ? 'read' : 'idempotent',
      ms,
      index === 0 ? undefined : `s${index - 1}`,
    ),
  );
  return { name, steps };
}
