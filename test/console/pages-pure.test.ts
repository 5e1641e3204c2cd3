import { describe, expect, it } from 'vitest';
import { describeEvent, isTold, mergeEvents, SHOWN } from '../../console/pages/overview/describe-event.ts';
import {
  escalatedShare,
  messagesPerMinute,
  type Stats,
  sumOf,
  windowOf,
  windows,
} from '../../console/pages/overview/stats.ts';
import {
  cheapest,
  interval,
  lowestWithin,
  matrixOf,
  outcomesOf,
} from '../../console/pages/quality/figures.ts';
import { type Clause, markGoal, numberAgents } from '../../console/pages/routing/mark-goal.ts';
import { limitsOf } from '../../console/pages/system/limits.ts';
import type { EventResponse } from '../../src/entries/client.ts';

const messages = { answered: 0, escalated: 0, draft: 0, no_reply: 0, failed: 0 };

// Only these members matter.
const stats = (step_seconds: number, ...answered: number[]): Stats =>
  ({
    step_seconds,
    series: answered.map((count) => ({ messages: { ...messages, answered: count } })),
  }) as Stats;

describe('The figures of the overview', () => {
  it('count messages a minute over the last five minutes of whole steps', () => {
    expect(messagesPerMinute(stats(60, 100, 1, 2, 3, 4, 5, 999))).toBe(3);
    expect(messagesPerMinute(stats(60, 6, 999))).toBe(6);
    expect(messagesPerMinute(stats(360, 12, 18, 999))).toBe(3);
    expect(messagesPerMinute(stats(60, 7))).toBeNull();
    expect(messagesPerMinute(stats(60))).toBeNull();
  });

  it('have no share of no messages, and count those that failed as for a person', () => {
    expect(escalatedShare(messages)).toBeNull();
    expect(escalatedShare({ ...messages, answered: 5, draft: 1, escalated: 3, failed: 1 })).toBe(0.4);
    expect(sumOf({})).toBe(0);
  });

  it('are of an hour where the address names no time that there is', () => {
    expect(windows.map(([name]) => windowOf(new URLSearchParams({ window: name })))).toEqual([
      '15m',
      '1h',
      '6h',
      '24h',
    ]);
    for (const query of ['', 'window=', 'window=2y', 'window=__proto__', 'window=constructor']) {
      expect(windowOf(new URLSearchParams(query))).toBe('1h');
    }
  });
});

/** An event as it comes from the feed, also of a type or with texts that no console knows yet. */
function event(type: string, data: object = {}, kind = 'execution', id = 'r1'): EventResponse {
  return { type, data, subject: { kind, id }, at: '2026-11-22T10:00:00.000Z', seq: 1 } as EventResponse;
}

describe('An event in one line', () => {
  it('tells beginnings, ends and what people do, and not each step', () => {
    const told = [
      'execution.created',
      'execution.failed',
      'message.finished',
      'inbox.claimed',
      'schedule.fired',
    ];
    const untold = [
      'step.started',
      'tool.called',
      'stage.finished',
      'execution.started',
      'message.escalated',
    ];
    expect(told.filter((type) => isTold(event(type)))).toEqual(told);
    expect(untold.filter((type) => isTold(event(type)))).toEqual([]);
  });

  it('leads to its record, with any id', () => {
    const hrefOf = (kind: string, id: string) => describeEvent(event('x.y', {}, kind, id)).href;
    expect(hrefOf('execution', 'r1')).toBe('#/runs/r1');
    expect(hrefOf('message', 'javascript:alert(1)')).toBe('#/messages/javascript%3Aalert(1)');
    expect(hrefOf('workflow', '../a?b#c')).toBe('#/workflows/..%2Fa%3Fb%23c');
    expect(hrefOf('schedule', 's1')).toBe('#/automation/s1');
    expect(hrefOf('of the future', 'x')).toBeUndefined();
  });

  it('has words, a glyph and a tone for each outcome', () => {
    const finished = (data: object) =>
      describeEvent(
        event('message.finished', { intent: 'billing', duration_ms: 12, status: 'COMPLETED', ...data }),
      );
    expect(finished({ disposition: 'answered' })).toMatchObject({
      tone: 'good',
      glyph: '✓',
      text: 'message answered: billing, 12 ms',
    });
    expect(finished({ disposition: 'escalated' })).toMatchObject({ tone: 'warn', glyph: '!' });
    expect(finished({ disposition: 'no_reply' }).text).toBe('message no reply: billing, 12 ms');
    expect(finished({ disposition: 'answered', status: 'FAILED' })).toMatchObject({
      tone: 'bad',
      text: 'message failed: billing, 12 ms',
    });
    expect(describeEvent(event('execution.failed', { error: '<b>no</b>' })).text).toBe(
      'run failed: <b>no</b>',
    );
    expect(describeEvent(event('execution.waiting', { for: ['a', 'b'] })).text).toBe('run waits for a, b');
  });

  it('says the type of an event that it does not know', () => {
    expect(describeEvent(event('parcel.was_lost'))).toMatchObject({ text: 'parcel was lost', tone: 'calm' });
  });
});

const clause = (agent_name: string, text: unknown, ...matched: string[]): Clause => ({
  agent_name,
  payload: { text },
  matched,
});

describe('The newest events of the overview', () => {
  const at = (second: number, id: string): EventResponse =>
    ({
      type: 'message.finished',
      seq: 1,
      at: new Date(second * 1_000).toISOString(),
      subject: { kind: 'message', id },
      data: {},
    }) as EventResponse;
  const idsOf = (events: readonly EventResponse[]) => events.map(({ subject }) => subject.id).join('');

  it('are those that were heard and those that were read, each once, the newest first', () => {
    expect(idsOf(mergeEvents([at(3, 'c'), at(1, 'a')], [at(4, 'd'), at(3, 'c'), at(2, 'b')]))).toBe('dcba');
    expect(idsOf(mergeEvents([at(3, 'c')], [at(2, 'b')]))).toBe('cb');
  });

  it('are never more than fit', () => {
    const many = Array.from({ length: 100 }, (_, second) => at(second, `${second}`));
    const merged = mergeEvents(many.slice(0, 50), many);
    expect(merged).toHaveLength(SHOWN);
    expect(merged[0]?.subject.id).toBe('99');
  });
});

describe('A goal that shows who got what', () => {
  const goal = 'Where is my order? Then echo this. And sing.';

  /** The goal with the agents of its pieces, its words in capitals, and what nobody takes in braces. */
  const drawn = (clauses: readonly Clause[], unassigned: readonly string[] = []): string =>
    markGoal(goal, clauses, unassigned)
      .map(({ text, agents, isWord, isUnassigned }) => {
        const shown = isWord ? text.toUpperCase() : text;
        return isUnassigned ? `{${shown}}` : agents.length === 0 ? shown : `[${agents.join()}:${shown}]`;
      })
      .join('');

  it('is cut by clauses and by the words that decided', () => {
    const clauses = [clause('support', 'Where is my order?', 'Order'), clause('echo', 'echo this.', 'echo')];
    expect(drawn(clauses, ['And sing.'])).toBe(
      '[support:Where is my ][support:ORDER][support:?] Then [echo:ECHO][echo: this.] {And sing.}',
    );
  });

  it('keeps each character, whatever the clauses say', () => {
    const texts = [
      goal,
      '',
      ' ',
      'order? Then',
      'is my order? Then echo',
      'nowhere',
      7,
      null,
      { a: 1 },
      'sing.',
    ];
    const clauses = texts.map((text, index) => clause(`agent ${index}`, text, 'order', '', 'e', 'İ'));
    const pieces = markGoal(goal, clauses, ['Then', '', 'nowhere']);
    expect(pieces.map(({ text }) => text).join('')).toBe(goal);
    expect(pieces.every(({ text }) => text !== '')).toBe(true);
    expect(markGoal('', clauses, ['a'])).toEqual([]);
  });

  it('names each of several agents for a text that they share', () => {
    expect(drawn([clause('a', 'my order'), clause('b', 'my order'), clause('a', 'my order')])).toBe(
      'Where is [a,b:my order]? Then echo this. And sing.',
    );
  });

  it('has a number and a tone for each agent, also for many', () => {
    const many = Array.from({ length: 20 }, (_, index) => clause(`agent ${index}`, ''));
    const numbers = numberAgents([...many, ...many]);
    expect([...numbers.values()].map(({ number }) => number)).toEqual(many.map((_, index) => index + 1));
    expect(numbers.get('agent 6')?.tone).toBe(numbers.get('agent 0')?.tone);
  });
});

describe('What thresholds mean', () => {
  // Without a threshold 20 % of the answers are wrong; a high one answers nothing.
  const thresholds = [
    { threshold: 0, coverage: 1, error_rate: 0.2, escalation_rate: 0 },
    { threshold: 0.5, coverage: 0.8, error_rate: 0.0625, escalation_rate: 0.2 },
    { threshold: 0.9, coverage: 0.2, error_rate: 0, escalation_rate: 0.8 },
  ];
  const outcomes = (wrong: number, person: number) => outcomesOf(thresholds, { wrong, person });

  it('is told for a thousand messages, each of which has one end', () => {
    const [none, half] = outcomes(4, 2);
    expect(none).toEqual({ threshold: 0, wrong: 200, person: 0, right: 800, cost: 800 });
    expect(half).toEqual({ threshold: 0.5, wrong: 50, person: 200, right: 750, cost: 600 });
    for (const { right, wrong, person } of outcomes(1, 1)) expect(right + wrong + person).toBeCloseTo(1_000);
  });

  it('finds the cheapest one, and the lowest of equal ones', () => {
    expect(cheapest(outcomes(4, 2))?.threshold).toBe(0.5);
    expect(cheapest(outcomes(1_000, 1))?.threshold).toBe(0.9);
    expect(cheapest(outcomes(0, 0))?.threshold).toBe(0);
    expect(cheapest([])).toBeUndefined();
  });

  it('finds the lowest one with at most so many wrong answers among all messages', () => {
    expect(lowestWithin(outcomes(1, 1), 0.05)?.threshold).toBe(0.5);
    expect(lowestWithin(outcomes(1, 1), 0.049)?.threshold).toBe(0.9);
    expect(lowestWithin(outcomes(1, 1).slice(0, 2), 0.01)).toBeUndefined();
  });

  it('has intervals that contain the share, and get narrower with more tickets', () => {
    const [low, high] = interval(0.5, 100);
    expect([low, high].map((end) => end.toFixed(3))).toEqual(['0.404', '0.596']);
    expect(interval(1, 1_000)[0]).toBeGreaterThan(interval(1, 10)[0]);
    for (const [from, to] of [interval(0, 5), interval(1, 5), interval(0.3, 1)]) {
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(1);
    }
    expect(interval(0, 0)).toEqual([0, 1]);
  });

  it('has the same intents as rows and columns, those with most tickets first', () => {
    const { intents, at, totalOf } = matrixOf({ b: { b: 1, c: 1 }, a: { a: 5 } });
    expect(intents).toEqual(['a', 'b', 'c']);
    expect([at('b', 'c'), at('c', 'b'), at('x', 'y'), totalOf('b'), totalOf('c')]).toEqual([1, 0, 0, 2, 0]);
  });
});

describe('The limits of a service', () => {
  it('are words with their units', () => {
    const limits = {
      max_body_bytes: 1_048_576,
      max_reply_bytes: 1_536,
      max_line_bytes: 100,
      run_timeout_ms: 90_000,
      max_steps: 10_000,
      queue_limit: null,
      rate_limit: { requests: 1_200, window_seconds: 60 },
    };
    expect(limitsOf(limits)).toEqual([
      ['max body', '1 MiB'],
      ['max reply', '1.5 KiB'],
      ['max line', '100 bytes'],
      ['run timeout', '1 m 30 s'],
      ['max steps', '10,000'],
      ['queue limit', 'none'],
      ['rate limit', '1,200 requests in 60 s'],
    ]);
  });
});
