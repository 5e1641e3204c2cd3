import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent, RunSignal } from '../../src/domain/run/events.ts';
import { hasEnded, type RunSummary, type Wait } from '../../src/domain/run/run.ts';
import {
  append,
  claim,
  clearWake,
  newRow,
  phaseOf,
  type RowContext,
  type RunRow,
  release,
  signal,
  summaryOfRow,
} from '../../src/domain/run/run-row.ts';
import type { RunChange } from '../../src/domain/run/state.ts';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import { runsOf } from '../support/extent.ts';
import {
  CREATED_AT,
  type EventDraft,
  ended,
  endOf,
  newRun,
  numbered,
  running,
  stepStarted,
} from '../support/workflow/run-events.ts';

/** A run as the rules of `run-row.ts` have it, with all its events. */
interface ModelRun {
  readonly row: RunRow;
  readonly input: RunSummary['input'];
  readonly events: readonly RunEvent[];
}

const context: RowContext = { self: 'self', now: CREATED_AT, retentionMs: 1e12 };

const wait = (itemId: string): Wait => ({ kind: 'recovery', stepId: itemId, itemId, until: null });
const items = fc.constantFrom('item-1', 'item-2');
const waits = fc.subarray(['item-1', 'item-2']).map((ids) => ids.map(wait));
const wakes = fc.option(fc.nat({ max: 5 }).map((ms) => CREATED_AT + ms));

const cancel: RunSignal = { type: 'cancel', by: 'api', reason: null };
const decision = (itemId: string): RunSignal => {
  return { type: 'resolve', itemId, outcome: 'approved', by: 'ann', note: null, data: {}, output: null };
};

const goesOn = fc.record({ attempt: fc.constantFrom(1, 2), waitingFor: waits });
const changes: fc.Arbitrary<RunChange> = fc.oneof(
  goesOn.map(({ attempt, waitingFor }) => ({ ...running(attempt), waitingFor })),
  fc.record({ waitingFor: waits, wakeAt: wakes }).map((members) => {
    return { ...running(), ...members, status: 'WAITING' as const };
  }),
  fc
    .record({
      status: fc.constantFrom('COMPLETED' as const, 'FAILED' as const, 'CANCELLED' as const),
      wakeAt: wakes,
    })
    .map(({ status, wakeAt }) => ({ ...ended(status), wakeAt })),
);
const drafts = fc.array(
  fc.constantFrom<EventDraft>(stepStarted('step-0'), endOf(), {
    type: 'execution.cancel_requested',
    by: 'api',
    reason: null,
  }),
  { minLength: 1, maxLength: 3 },
);

const commands = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    isUnclaimed: fc.boolean(),
    status: fc.constantFrom('PENDING' as const, 'RUNNING' as const, 'COMPLETED' as const),
  }),
  fc.record({
    kind: fc.constant('append' as const),
    off: fc.constantFrom(0, 0, 0, 0, 1, -1),
    drafts,
    change: changes,
  }),
  fc.record({ kind: fc.constant('claim' as const) }),
  fc.record({ kind: fc.constant('release' as const) }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('resolve' as const), itemId: items }),
  fc.record({ kind: fc.constant('clear' as const) }),
  fc.record({ kind: fc.constant('delete' as const) }),
  fc.record({ kind: fc.constant('due' as const), before: fc.nat({ max: 6 }) }),
);

/** The rules of a row, applied to runs in a map. */
function createModel() {
  const runs = new Map<string, ModelRun>();
  const replace = (run: ModelRun, row: RunRow | undefined): void => {
    if (row !== undefined) runs.set(row.head.runId, { ...run, row });
  };
  return {
    find: (runId: string) => runs.get(runId),
    create(run: ReturnType<typeof newRun>, isUnclaimed: boolean) {
      const { runId, input } = run.summary;
      if (runs.has(runId)) return false;
      const row = newRow(run.summary, { lastSeq: run.events.length, definition: '', isUnclaimed }, context);
      runs.set(runId, { row, input, events: run.events });
      return true;
    },
    append(runId: string, expectedSeq: number, events: readonly RunEvent[], change: RunChange) {
      const run = runs.get(runId);
      if (run === undefined) return 'appended';
      const isOwned = run.row.owner === context.self;
      const appended = append(run.row, { expectedSeq, events, change, isOwned, mark: '' }, context);
      if (appended.outcome === 'appended') {
        runs.set(runId, { ...run, row: appended.row, events: [...run.events, ...events] });
      }
      return appended.outcome;
    },
    claim(runId: string) {
      const run = runs.get(runId);
      // A process must not claim a run that it runs.
      const claimed = run?.row.owner === null ? claim(run.row, false, context) : undefined;
      if (run === undefined || claimed === undefined) return undefined;
      replace(run, claimed.row);
      return { crashed: claimed.crashed, signals: claimed.row.signals, events: run.events };
    },
    release(runId: string) {
      const run = runs.get(runId);
      if (run !== undefined) replace(run, release(run.row, context));
    },
    signal(runId: string, added: RunSignal) {
      const run = runs.get(runId);
      if (run === undefined) return undefined;
      const row = signal(run.row, added);
      if (typeof row === 'string') return row;
      replace(run, row);
      return 'sent';
    },
    clear(runId: string) {
      const run = runs.get(runId);
      if (run !== undefined) replace(run, clearWake(run.row));
    },
    delete(runId: string) {
      const run = runs.get(runId);
      return run !== undefined && hasEnded(run.row.state.status) && runs.delete(runId);
    },
    due(before: number) {
      const due = [...runs.values()].flatMap(({ row }) => {
        const { wakeAt } = row.state;
        const isDue = phaseOf(row) === 'due' && wakeAt !== null && wakeAt < before;
        return isDue ? [{ runId: row.head.runId, wakeAt }] : [];
      });
      return due.sort((a, b) => a.wakeAt - b.wakeAt);
    },
  };
}

async function claimOf(log: RunLog, runId: string) {
  const claimed = await log.claim(runId);
  return claimed && { crashed: claimed.crashed, signals: claimed.signals, events: claimed.run.events };
}

/**
 * A run log does to every run what the rules of `domain/run/run-row.ts` say, over random histories of one process.
 */
export function runLogOracle(name: string, make: () => Promise<RunLog>): void {
  test(`${name} does to a run what the rules of a row say`, async () => {
    const log = await make();
    log.listen({
      onSignal: () => undefined,
      onLost: () => undefined,
      onAbandoned: async () => undefined,
    });
    let history = 0;
    const ids = fc.constantFrom('a', 'b', 'c');
    const history$ = fc.array(fc.tuple(ids, commands), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history$, async (sequence) => {
        const prefix = `history-${history++}`;
        const model = createModel();
        for (const [name, command] of sequence) {
          const runId = `${prefix} ${name}`;
          const lastSeq = model.find(runId)?.row.lastSeq ?? 0;
          switch (command.kind) {
            case 'create': {
              const run = newRun(runId, { status: command.status });
              const { isUnclaimed } = command;
              expect(await log.create({ ...run, isUnclaimed })).toBe(model.create(run, isUnclaimed));
              break;
            }
            case 'append': {
              // Nobody appends to a run that is free: it is claimed before.
              const known = model.find(runId);
              if (known !== undefined && phaseOf(known.row) === 'free') break;
              const after = lastSeq + command.off;
              const events = numbered(after + 1, command.drafts);
              const expected = model.append(runId, after, events, command.change);
              expect(await log.append(runId, after, events, command.change)).toBe(expected);
              break;
            }
            case 'claim':
              expect(await claimOf(log, runId)).toEqual(model.claim(runId));
              break;
            case 'release':
              await log.release(runId);
              model.release(runId);
              break;
            case 'cancel':
              expect(await log.signal(runId, cancel)).toBe(model.signal(runId, cancel));
              break;
            case 'resolve': {
              const added = decision(command.itemId);
              expect(await log.signal(runId, added)).toBe(model.signal(runId, added));
              break;
            }
            case 'clear':
              await log.clearWake(runId);
              model.clear(runId);
              break;
            case 'delete':
              expect(await log.delete(runId)).toBe(model.delete(runId));
              break;
            case 'due': {
              const before = CREATED_AT + command.before;
              const found = (await log.due(before, 10_000)).filter((due) =>
                due.runId.startsWith(`${prefix} `),
              );
              const times = found.map(({ wakeAt }) => wakeAt);
              expect(times).toEqual(times.toSorted((a, b) => a - b));
              expect(new Set(found.map(({ runId: id, wakeAt }) => `${id} ${wakeAt}`))).toEqual(
                new Set(model.due(before).map(({ runId: id, wakeAt }) => `${id} ${wakeAt}`)),
              );
              break;
            }
          }
          const run = model.find(runId);
          expect(await log.summary(runId)).toEqual(run && summaryOfRow(run.row, run.input));
          expect((await log.get(runId))?.events).toEqual(run?.events);
        }
      }),
      { numRuns: runsOf(60, 1_000) },
    );
  }, 600_000);
}
