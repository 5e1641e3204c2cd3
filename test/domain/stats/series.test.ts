import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrchestrationEvent } from '../../../src/domain/events.ts';
import { countEvent } from '../../../src/domain/stats/count-event.ts';
import {
  addCount,
  addCounts,
  type Counter,
  type Counts,
  counters,
  MINUTE_MS,
  namedCounts,
  noCounts,
} from '../../../src/domain/stats/counters.ts';
import { escalatedShare, seriesOf, spanOf, tallyOf } from '../../../src/domain/stats/series.ts';
import { inboxEvent, messageFinished, routingFinished, toolExecuted } from '../../support/stats-events.ts';
import { numbered } from '../../support/workflow/run-events.ts';

function counted(...events: readonly OrchestrationEvent[]): Counts {
  const counts = noCounts();
  for (const event of events) countEvent(event, (counter) => addCount(counts, counter));
  return counts;
}

const sum = (...all: readonly Counts[]): Record<string, number> => {
  const counts = noCounts();
  for (const each of all) addCounts(counts, each);
  return namedCounts(counts);
};

const anyCounts = fc
  .array(fc.tuple(fc.constantFrom(...counters), fc.nat(1_000_000)), { maxLength: 40 })
  .map((entries) => {
    const counts = noCounts();
    for (const [counter, by] of entries) addCount(counts, counter, by);
    return counts;
  });

describe('counts', () => {
  test('are the same in whatever order they are added up', () => {
    fc.assert(
      fc.property(anyCounts, anyCounts, anyCounts, (a, b, c) => {
        const left = noCounts();
        addCounts(left, a);
        addCounts(left, b);
        const right = noCounts();
        addCounts(right, b);
        addCounts(right, c);
        expect(sum(left, c)).toEqual(sum(a, right));
        expect(sum(a, b)).toEqual(sum(b, a));
        expect(sum(a, noCounts())).toEqual(namedCounts(a));
      }),
    );
  });

  test('ignore a counter that is unknown', () => {
    const counts = noCounts();
    for (const name of ['messages.sent', 'latency.100000', '__proto__', '']) addCount(counts, name);
    expect(namedCounts(counts)).toEqual({});
  });

  test('have every counter of a group in their tally', () => {
    const counts = noCounts();
    const grouped = counters.filter((name) => !name.startsWith('latency.'));
    for (const [index, counter] of grouped.entries()) addCount(counts, counter, index + 1);
    const { latencyMs: _, ...groups } = tallyOf(counts);
    const named = Object.entries(groups).flatMap(([group, members]) =>
      Object.entries(members).map(([name, count]) => [`${group}.${name}`, count]),
    );
    expect(Object.fromEntries(named)).toEqual(namedCounts(counts));
  });
});

describe('the counters of an event', () => {
  test.each([
    ['answered', 'messages.answered'],
    ['escalated', 'messages.escalated'],
    ['no_reply', 'messages.no_reply'],
    ['draft', 'messages.draft'],
  ] as const)('are those of a message that is %s', (disposition, counter) => {
    const counts = namedCounts(counted(messageFinished({ disposition, durationMs: 5 })));
    expect(counts).toEqual({ [counter]: 1, [latencyOf(counts)]: 1 });
  });

  test('have a failed message as failed alone', () => {
    const failed = counted(messageFinished({ status: 'FAILED', disposition: 'escalated', escalated: true }));
    expect(tallyOf(failed).messages).toEqual({ answered: 0, escalated: 0, no_reply: 0, draft: 0, failed: 1 });
  });

  test('tell tool calls that fail from those that find nothing or are cancelled', () => {
    const counts = counted(
      toolExecuted({ status: 'success' }),
      toolExecuted({ status: 'error' }),
      toolExecuted({ status: 'error', notFound: true }),
      toolExecuted({ status: 'error', cancelled: true }),
    );
    expect(tallyOf(counts).tools).toEqual({ calls: 4, errors: 1, not_found: 1 });
  });

  test('count runs by what their logs have', () => {
    const end = { error: null, durationMs: 1 } as const;
    const stop = { error: 'no', durationMs: 1 } as const;
    const events = numbered(1, [
      { type: 'execution.started', attempt: 1 },
      { type: 'step.failed', stepId: 'a', attempts: 1, durationMs: 1, error: 'no', startedAt: 1 },
      { type: 'execution.completed', ...end },
      { type: 'execution.failed', ...stop },
      { type: 'execution.cancelled', ...stop },
    ]);
    const run = { runId: 'r', workflowId: 'w' };
    const counts = counted(
      { type: 'run.appended', ...run, events },
      { type: 'run.finished', ...run, status: 'FAILED', error: 'no', cancelledBy: null, durationMs: 1 },
      { type: 'step.finished', runId: 'r', stepId: 'a', kind: 'tool', status: 'FAILED', ...stop },
    );
    expect(tallyOf(counts).runs).toEqual({ started: 1, completed: 1, failed: 1, cancelled: 1 });
    expect(tallyOf(counts).steps).toEqual({ failed: 1 });
  });

  test('count routed goals and items of the inbox', () => {
    const counts = counted(
      routingFinished('completed'),
      routingFinished('partial'),
      routingFinished('failed'),
      inboxEvent('inbox.opened'),
      inboxEvent('inbox.claimed'),
      inboxEvent('inbox.released', 'lapsed'),
      inboxEvent('inbox.resolved', 'answered'),
      inboxEvent('inbox.resolved', 'withdrawn'),
      inboxEvent('inbox.expired'),
      { type: 'inbox.overdue', itemId: 'i', itemKind: 'escalation' },
    );
    expect(tallyOf(counts).routes).toEqual({ completed: 1, partial: 1, failed: 1 });
    expect(tallyOf(counts).inbox).toEqual({ opened: 1, resolved: 1, expired: 1, withdrawn: 1, overdue: 1 });
  });
});

describe('a series', () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const noon = Date.UTC(2026, 0, 1, 12);
  const one = (counter: Counter): Counts => {
    const counts = noCounts();
    addCount(counts, counter);
    return counts;
  };

  test('ends with the step that is under way, and begins at a multiple of the step', () => {
    const span = spanOf(noon + 90_500, HOUR_MS, MINUTE_MS);
    expect(span).toEqual({ from: noon - 58 * MINUTE_MS, until: noon + 2 * MINUTE_MS, stepMs: MINUTE_MS });
    expect(spanOf(noon, HOUR_MS, HOUR_MS)).toMatchObject({ from: noon, until: noon + HOUR_MS });
    const { points } = seriesOf([], span);
    expect(points).toHaveLength(60);
    expect(points[0]?.at).toBe(span.from);
    expect(points.at(-1)?.at).toBe(noon + MINUTE_MS);
  });

  test('has each minute in its step, and nothing from outside', () => {
    const span = spanOf(noon + 9 * MINUTE_MS, 10 * MINUTE_MS, 5 * MINUTE_MS);
    const minutes = [-1, 0, 4, 5, 5, 9, 10].map((minute) => ({
      at: span.from + minute * MINUTE_MS,
      counts: one('tools.calls'),
    }));
    const { points, totals } = seriesOf(minutes, span);
    expect(points.map(({ tools }) => tools.calls)).toEqual([2, 3]);
    expect(totals.tools.calls).toBe(5);
  });

  test('has the percentiles of a step from all its minutes', () => {
    const span = spanOf(noon, 2 * MINUTE_MS, 2 * MINUTE_MS);
    const slow = counted(...Array.from({ length: 9 }, () => messageFinished({ durationMs: 1_000 })));
    const fast = counted(...Array.from({ length: 91 }, () => messageFinished({ durationMs: 1 })));
    const { points } = seriesOf(
      [
        { at: span.from, counts: slow },
        { at: span.from + MINUTE_MS, counts: fast },
      ],
      span,
    );
    const { p50, p95 } = points[0]?.latencyMs ?? expect.fail();
    expect(p50).toBeCloseTo(1, 0);
    expect(p95).toBeGreaterThan(900);
  });

  test('has the share of messages that a person must answer', () => {
    const counts = noCounts();
    expect(escalatedShare(tallyOf(counts))).toBeNull();
    addCount(counts, 'messages.answered', 6);
    addCount(counts, 'messages.draft', 2);
    addCount(counts, 'messages.escalated');
    addCount(counts, 'messages.failed');
    expect(escalatedShare(tallyOf(counts))).toBe(0.2);
  });
});

function latencyOf(counts: Readonly<Record<string, number>>): string {
  return Object.keys(counts).find((name) => name.startsWith('latency.')) ?? expect.fail();
}
