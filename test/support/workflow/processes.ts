import { expect } from 'vitest';
import type { Limits } from '../../../src/domain/limits.ts';
import { defaultRecoveryPolicy, type RecoveryPolicy } from '../../../src/domain/run/recover.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { ToolContext } from '../../../src/ports/tool.ts';
import { createFakeClock, settle } from '../fake-clock.ts';
import { countingIds } from '../fakes.ts';
import { testPorts } from '../ports.ts';
import { callTool, createTestEngine } from './engine.ts';
import { createSharedLog } from './shared-log.ts';

/** A call of one of the tools. */
interface Call {
  readonly process: string;
  readonly input: JsonObject;
  readonly context: ToolContext;
  readonly end: () => void;
}

/**
 * Processes that share one log, one inbox and one clock. The tools `read` and `write` wait until the test ends their
 * calls.
 */
export function setUpProcesses({
  recovery = defaultRecoveryPolicy,
  limits = {},
}: {
  recovery?: RecoveryPolicy;
  limits?: Partial<Limits>;
} = {}) {
  const clock = createFakeClock();
  const { open, shared } = createSharedLog();
  const calls: Call[] = [];
  const { inbox } = testPorts().ports;
  const newId = countingIds();

  function start(name: string) {
    const process = open();
    const engine = createTestEngine({ ports: { runs: process.log, clock, inbox, newId }, limits, recovery });
    for (const effect of ['read', 'write'] as const) {
      const execute = (input: JsonObject, context: ToolContext) =>
        new Promise<JsonObject>((resolve) =>
          calls.push({ process: name, input, context, end: () => resolve({ ...input, by: name }) }),
        );
      engine.tool(effect, execute, effect);
    }
    return { ...engine, process };
  }

  const first = start('first');
  const second = start('second');
  const { workflows } = first;
  return {
    clock,
    shared,
    inbox,
    calls,
    first,
    second,
    workflows,
    start,
    /** The calls as process and step. */
    called: () => calls.map(({ process, input }) => `${process} ${input['step']}`),
    async endAll() {
      for (const { end } of calls) end();
      await settle();
      await clock.advance(100);
    },
    async recordOf(runId: string) {
      return second.control.get(runId);
    },
    async typesOf(runId: string) {
      const stored = await shared.get(runId);
      return stored?.events.map(({ type }) => type) ?? expect.fail();
    },
  };
}

/** The processes of {@link setUpProcesses}. */
export type Processes = ReturnType<typeof setUpProcesses>;

/** A step that calls one of the tools. */
export const step = (id: string, tool: 'read' | 'write' = 'read', dependsOn: readonly string[] = []) =>
  callTool(id, tool, { step: id }, dependsOn);

/** Starts a run of those steps in the background of the first process. */
export async function startRun({ first }: Processes, ...steps: readonly Step[]) {
  const { id } = await first.define(...steps);
  const { runId } = await first.workflows.run(id, { background: true });
  await settle();
  return runId;
}
