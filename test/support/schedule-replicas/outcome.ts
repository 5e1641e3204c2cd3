import { hasEnded } from '../../../src/domain/run/run.ts';
import type { ScheduleEvent } from '../../../src/domain/schedule/schedule-events.ts';
import { until } from '../until.ts';
import type { Replica } from './replica.ts';

/** The events of replicas about a schedule. */
function eventsOf(replicas: readonly Replica[], id: string): readonly ScheduleEvent[] {
  return replicas
    .flatMap(({ events }) => events)
    .filter((event) => event.type === 'schedule.fired' || event.type === 'schedule.skipped')
    .filter(({ scheduleId }) => scheduleId === id);
}

/** The outcome of the fires of a schedule, over all replicas. */
export interface Outcome {
  /** The fire times, each as often as a run is told for it, in order: ISO 8601. */
  readonly fired: readonly string[];
  readonly skipped: readonly string[];
  /** The ids of the runs in the store, in order. */
  readonly stored: readonly string[];
  /** The ids of the runs that are told, in order. */
  readonly told: readonly string[];
  /** The ids of the runs whose step was called, once for each call, in order. */
  readonly called: readonly string[];
}

/** Reads the {@link Outcome} of a schedule whose workflow has no other runs. */
export async function outcomeOf(
  replicas: readonly Replica[],
  { scheduleId, workflowId }: { readonly scheduleId: string; readonly workflowId: string },
): Promise<Outcome> {
  const events = eventsOf(replicas, scheduleId);
  const fired = events.filter((event) => event.type === 'schedule.fired');
  const stored: string[] = [];
  for (let offset = 0; ; offset += 100) {
    const page = await replicas[0]?.log.list(workflowId, {}, { limit: 100, offset });
    if (page === undefined || page.items.length === 0) break;
    stored.push(...page.items.map(({ runId }) => runId));
  }
  const known = new Set(stored);
  const calls = replicas.flatMap((replica) => replica.calls.map((key) => key.split(':')[0] ?? key));
  return {
    fired: fired.map(({ dueAt }) => timeOf(dueAt)).toSorted(),
    skipped: events
      .filter((event) => event.type === 'schedule.skipped')
      .map(({ dueAt, reason }) => `${timeOf(dueAt)} ${reason}`),
    stored: stored.toSorted(),
    told: fired.map(({ runId }) => runId).toSorted(),
    called: calls.filter((runId) => known.has(runId)).toSorted(),
  };
}

/** The due time of a run, from milliseconds: `triggered` for null, a run that a client asked for. */
export function timeOf(dueAt: number | null): string {
  return dueAt === null ? 'triggered' : new Date(dueAt).toISOString();
}

/** Waits until a time has come by the clocks of the replicas, all fires are handled, and their runs have ended. */
export async function untilQuiet(replicas: readonly Replica[], time: number): Promise<void> {
  await until('the time has come', () => replicas.every(({ clock }) => clock.now() >= time));
  await until('all is done', async () => (await Promise.all(replicas.map(isQuiet))).every(Boolean), 30_000);
}

async function isQuiet({ store, log, clock }: Replica): Promise<boolean> {
  const { items } = await store.list({ limit: 100, offset: 0 });
  for (const stored of items) {
    if (stored.nextFireAt !== null && stored.nextFireAt <= clock.now()) return false;
    for (const { status, runId } of stored.fires) {
      const summary = status === 'started' ? await log.summary(runId) : undefined;
      if (summary === undefined || !hasEnded(summary.status)) return false;
    }
  }
  return true;
}
