import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/domain/run/events.ts';
import { hasEnded, type RunSummary, runStatuses } from '../../../src/domain/run/run.ts';
import type { RunChange } from '../../../src/domain/run/state.ts';
import type { AppendOutcome, RunFilter, RunLog } from '../../../src/ports/storage/run-log.ts';
import { memoryRunLog } from '../../support/memory.ts';
import {
  CREATED_AT,
  type EventDraft,
  ended,
  everyEvent,
  newRun,
  numbered,
  running,
} from '../../support/workflow/run-events.ts';

/** A run of the model. */
interface ModelRun {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly isSignalled: boolean;
  /** The step of the test in which it ended, or null. */
  readonly endedAt: number | null;
}

const MAX_RECORDS = 2;
const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const changes = fc.constantFrom<RunChange>(
  running(),
  running(2),
  ended(),
  ended('FAILED'),
  ended('CANCELLED'),
);
const filters: fc.Arbitrary<RunFilter> = fc.record({
  statuses: fc.option(fc.subarray([...runStatuses]), { nil: undefined }),
  since: fc.option(fc.nat({ max: 60 }).map(timeOf), { nil: undefined }),
  until: fc.option(fc.nat({ max: 60 }).map(timeOf), { nil: undefined }),
});

const commands = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), id: names, status: fc.constantFrom(...runStatuses) }),
  fc.record({
    kind: fc.constant('append' as const),
    id: names,
    // 0: the right number.
    off: fc.constantFrom(0, 0, 0, 0, -1, 1),
    drafts: fc.array(fc.constantFrom(...everyEvent()), { maxLength: 6 }),
    change: changes,
  }),
  fc.record({ kind: fc.constant('delete' as const), id: names }),
  fc.record({ kind: fc.constant('signal' as const), id: names }),
  fc.record({
    kind: fc.constant('read' as const),
    id: names,
    filter: filters,
    after: fc.nat({ max: 20 }),
    limit: fc.integer({ min: 1, max: 9 }),
  }),
);

function timeOf(step: number): number {
  return CREATED_AT + 1_000 * step;
}

/** A naive run log: everything in one list, oldest first. */
function createModel() {
  let runs: ModelRun[] = [];
  const find = (id: string) => runs.find(({ summary }) => summary.runId === id);
  const replace = (run: ModelRun) => {
    runs = runs.map((known) => (known.summary.runId === run.summary.runId ? run : known));
  };
  const evict = () => {
    while (runs.filter(({ endedAt }) => endedAt !== null).length > MAX_RECORDS) {
      const first = runs
        .filter(({ endedAt }) => endedAt !== null)
        .toSorted((one, other) => Number(one.endedAt) - Number(other.endedAt))[0];
      if (first === undefined) return;
      runs = runs.filter((run) => run !== first);
    }
  };
  return {
    find,
    create(summary: RunSummary, events: readonly RunEvent[], step: number) {
      if (find(summary.runId) !== undefined) return;
      runs.push({ summary, events, isSignalled: false, endedAt: hasEnded(summary.status) ? step : null });
      evict();
    },
    append(
      id: string,
      after: number,
      events: readonly RunEvent[],
      change: RunChange,
      step: number,
    ): AppendOutcome {
      const run = find(id);
      if (run === undefined || events.length === 0) return 'appended';
      if (run.events.length !== after) return 'conflict';
      const isRecorded = events.some(({ type }) => type === 'execution.cancel_requested');
      if (run.isSignalled && !isRecorded && hasEnded(change.status)) return 'signalled';
      replace({
        summary: { ...run.summary, ...change },
        events: [...run.events, ...events],
        isSignalled: run.isSignalled && !isRecorded,
        endedAt: hasEnded(change.status) ? step : null,
      });
      evict();
      return 'appended';
    },
    delete(id: string) {
      const isFound = find(id)?.endedAt != null;
      if (isFound) runs = runs.filter(({ summary }) => summary.runId !== id);
      return isFound;
    },
    signal(id: string) {
      const run = find(id);
      if (run === undefined) return undefined;
      if (run.endedAt !== null) return 'ended';
      replace({ ...run, isSignalled: true });
      return 'sent';
    },
    list: ({ statuses = [], since = 0, until = Number.POSITIVE_INFINITY }: RunFilter): RunSummary[] =>
      runs
        .map(({ summary }) => summary)
        .filter(({ createdAt }) => Date.parse(createdAt) >= since && Date.parse(createdAt) < until)
        .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
        .toReversed(),
  };
}

async function listAllOf(log: RunLog, filter: RunFilter, limit: number): Promise<RunSummary[]> {
  const items: RunSummary[] = [];
  let cursor: number | null | undefined;
  while (cursor !== null) {
    const page = await log.listAll(filter, { limit, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

test('a run log in memory does what a list of runs would do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { maxLength: 60 }), async (sequence) => {
      const log = memoryRunLog({ maxRows: MAX_RECORDS });
      const model = createModel();
      for (const [step, command] of sequence.entries()) {
        const { id } = command;
        const known = model.find(id);
        const lastSeq = known?.events.length ?? 0;
        if (command.kind === 'create') {
          const createdAt = new Date(timeOf(step)).toISOString();
          const workflowId = `workflow-${step % 2}`;
          const run = newRun(id, { status: command.status, createdAt, workflowId });
          await log.create(run);
          model.create(run.summary, run.events, step);
        } else if (command.kind === 'append') {
          const after = lastSeq + command.off;
          const events = numbered(after + 1, command.drafts satisfies readonly EventDraft[]);
          const expected = model.append(id, after, events, command.change, step);
          expect(await log.append(id, after, events, command.change)).toBe(expected);
        } else if (command.kind === 'delete') {
          expect(await log.delete(id)).toBe(model.delete(id));
        } else if (command.kind === 'signal') {
          const signal = { type: 'cancel', by: 'api', reason: null } as const;
          expect(await log.signal(id, signal)).toBe(model.signal(id));
        } else {
          const { after, limit, filter } = command;
          expect(await log.read(id, after, limit)).toEqual(
            known && {
              events: known.events.slice(after, after + limit),
              lastSeq,
              ended: known.endedAt !== null,
            },
          );
          const listed = model.list(filter);
          expect(await listAllOf(log, filter, limit)).toEqual(listed);
          const ofWorkflow = listed.filter(({ workflowId }) => workflowId === 'workflow-1');
          expect(await log.list('workflow-1', filter, { limit, offset: 1 })).toEqual({
            total: ofWorkflow.length,
            limit,
            offset: 1,
            items: ofWorkflow.slice(1, 1 + limit),
          });
        }
        expect((await log.get(id))?.events).toEqual(model.find(id)?.events);
        expect(await log.summary(id)).toEqual(model.find(id)?.summary);
      }
    }),
    { numRuns: 200 },
  );
});
