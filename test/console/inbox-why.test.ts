import { describe, expect, it } from 'vitest';
import { noteChanges, withChange } from '../../console/pages/inbox/logic/changes.ts';
import type { Item, Trace } from '../../console/pages/inbox/logic/types.ts';
import { choicesOf, coarse, isOverdue, slaShare, whyOf } from '../../console/pages/inbox/logic/why.ts';
import type { EventResponse } from '../../src/entries/client.ts';

const stage = {
  sequence: 1,
  timestamp: '2026-11-22T19:00:00.000Z',
  source: 'deterministic',
  summary: '',
} as const;

const trace: Trace = {
  trace_id: '01a2034f-0000-7000-9665-84593dd40e01',
  source: 'email',
  customer_id: 'customer-7',
  message: 'You billed me twice.',
  subject: null,
  conversation_id: null,
  locale: null,
  metadata: null,
  prepared: null,
  status: 'COMPLETED',
  intent: 'billing',
  confidence: 0.31,
  escalated: true,
  disposition: 'escalated',
  concerns: ['legal'],
  response: '',
  error: null,
  cost: null,
  currency: null,
  created_at: '2026-11-22T19:00:00.000Z',
  completed_at: '2026-11-22T19:00:00.000Z',
  duration_ms: 1,
  otel_trace_id: null,
  item_id: 'item-1',
  state_transitions: [],
  tool_calls: [],
  agent_decisions: [
    {
      ...stage,
      agent: 'classifier',
      data: {
        wishes: ['billing', 'refund'],
        evidence: { intent: ['billed', 'twice'] },
        alternatives: [{ intent: 'complaint', confidence: 0.29 }, { intent: 7 }, null],
      },
    },
    {
      ...stage,
      agent: 'verifier',
      data: { threshold: 0.45, reasons: ['legal'], explanations: ['the message speaks of legal action'] },
    },
  ],
};

describe('what the trace of an item says', () => {
  it('is the intents to choose from, the most likely first, each once', () => {
    expect(choicesOf(trace)).toEqual([
      { intent: 'billing', confidence: 0.31 },
      { intent: 'complaint', confidence: 0.29 },
      { intent: 'refund', confidence: null },
    ]);
    expect(choicesOf(null)).toEqual([]);
    expect(choicesOf({ ...trace, intent: 'unknown', agent_decisions: [] })).toEqual([]);
  });

  it('is why it is here; a reason without an explanation stands alone', () => {
    expect(whyOf({ reasons: ['legal', 'person_holds'], trace })).toEqual({
      reasons: [
        { name: 'legal', text: 'the message speaks of legal action' },
        { name: 'person_holds', text: null },
      ],
      confidence: 0.31,
      threshold: 0.45,
      evidence: ['billed', 'twice'],
      source: 'deterministic',
    });
    expect(whyOf({ reasons: ['legal'], trace: null })).toMatchObject({ confidence: null, threshold: null });
  });
});

const item: Item = {
  item_id: 'item-1',
  kind: 'escalation',
  status: 'open',
  priority: 2,
  title: 'You billed me twice.',
  reasons: ['legal'],
  subject: { kind: 'message', id: trace.trace_id },
  customer_id: 'customer-7',
  conversation_id: null,
  excerpt: null,
  draft: null,
  assignee: null,
  claimed_until: null,
  opened_at: '2026-11-22T19:00:00.000Z',
  due_at: '2026-11-22T21:00:00.000Z',
  resolved_at: null,
  resolution: null,
  payload: null,
  response_schema: null,
  notes: [],
  version: 1,
};

describe('the time of an item', () => {
  const at = (time: string): number => Date.parse(`2026-11-22T${time}Z`);

  it('is the share that it has used, up to its end', () => {
    expect(slaShare(item, at('20:00:00'))).toBe(0.5);
    expect(slaShare({ ...item, resolved_at: '2026-11-22T19:30:00Z' }, at('23:00:00'))).toBe(0.25);
    expect(slaShare({ ...item, due_at: null }, at('20:00:00'))).toBeNull();
  });

  it('is over only while the item waits', () => {
    expect(isOverdue(item, at('20:59:59'))).toBe(false);
    expect(isOverdue(item, at('21:00:00'))).toBe(true);
    expect(isOverdue({ ...item, status: 'resolved' }, at('22:00:00'))).toBe(false);
  });

  it('is told in whole minutes', () => {
    expect([59_000, 60_000, 3_600_000 * 5 + 720_000, 86_400_000 * 3].map(coarse)).toEqual([
      '< 1 m',
      '1 m',
      '5 h 12 m',
      '3 d',
    ]);
  });
});

describe('a row of the queue', () => {
  const event = (type: 'inbox.claimed' | 'inbox.released' | 'inbox.resolved', by: string, outcome?: string) =>
    ({
      seq: 1,
      type,
      at: '2026-11-22T19:05:00.000Z',
      subject: { kind: 'inbox', id: 'item-1' },
      data: { item_kind: 'escalation', by, ...(outcome !== undefined && { outcome }) },
    }) satisfies EventResponse;

  it('follows what others do with its item, in its place', () => {
    const claimed = noteChanges(new Map(), [event('inbox.claimed', 'bob')]);
    expect(withChange(item, claimed.get('item-1'))).toMatchObject({ status: 'claimed', assignee: 'bob' });
    const released = noteChanges(claimed, [event('inbox.released', 'bob')]);
    expect(withChange(item, released.get('item-1'))).toBe(item);
    const resolved = noteChanges(released, [event('inbox.resolved', 'eve', 'answered')]);
    expect(withChange(item, resolved.get('item-1'))).toMatchObject({ status: 'resolved', assignee: 'eve' });
    const withdrawn = noteChanges(resolved, [event('inbox.resolved', 'service', 'withdrawn')]);
    expect(withChange(item, withdrawn.get('item-1'))).toMatchObject({ status: 'withdrawn' });
  });

  it('is the same where nothing has happened to its item', () => {
    const before = noteChanges(new Map(), [event('inbox.claimed', 'bob')]);
    expect(noteChanges(before, [])).toBe(before);
    expect(withChange(item, undefined)).toBe(item);
  });
});
