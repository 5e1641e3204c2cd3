import { describe, expect, test } from 'vitest';
import { loadBuiltInPlaybook } from '../../../src/adapters/playbook/built-in.ts';
import { messageItem, priorityOf } from '../../../src/domain/inbox/message-item.ts';
import type { Concern } from '../../../src/domain/message/message.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { OPENED_AT, timeAfter } from '../../support/inbox.ts';
import { sampleTrace } from '../../support/sqlite/traces.ts';

const builtIn = loadBuiltInPlaybook();
const playbook = {
  ...builtIn,
  dueAt: (openedAt: number, priority: number) => openedAt + priority * 1_000,
};

function itemOf(changes: Partial<Trace>, reasons: readonly string[] = []) {
  const trace = sampleTrace('trace-1', { completedAt: timeAfter(0), ...changes });
  return messageItem({ itemId: 'item-1', trace, reasons, playbook, expiryMs: 60_000 });
}

const prepared = (text: string) => ({ text, setApart: [], language: 'en', automatic: false }) as const;

describe('the item of a message', () => {
  test('is open, of version 1, and about its trace', () => {
    const changes = { customerId: 'customer-7', conversationId: 'thread-1', prepared: prepared('Hello') };
    expect(itemOf(changes, ['low_confidence'])).toEqual({
      itemId: 'item-1',
      kind: 'escalation',
      status: 'open',
      priority: 4,
      title: 'Hello',
      excerpt: 'Hello',
      reasons: ['low_confidence'],
      draft: null,
      subject: { kind: 'message', id: 'trace-1', stepId: null },
      customerId: 'customer-7',
      conversationId: 'thread-1',
      assignee: null,
      claimedUntil: null,
      openedAt: timeAfter(0),
      dueAt: timeAfter(4_000),
      expiresAt: timeAfter(60_000),
      isOverdue: false,
      endedAt: null,
      resolution: null,
      payload: null,
      responseSchema: null,
      notes: [],
      version: 1,
      lastSeq: 1,
    });
  });

  test('is a draft with the reply for a message whose reply is one', () => {
    const draft = { disposition: 'draft', escalated: false, response: 'Your kettle is on its way.' } as const;
    expect(itemOf(draft)).toMatchObject({ kind: 'draft', draft: 'Your kettle is on its way.' });
    expect(itemOf({ response: 'A colleague will answer.' })).toMatchObject({
      kind: 'escalation',
      draft: null,
    });
  });

  test('names concerns and reasons, each once', () => {
    const { reasons } = itemOf({ concerns: ['legal'] }, ['legal', 'low_confidence', 'low_confidence']);
    expect(reasons).toEqual(['legal', 'low_confidence']);
  });

  test('is due by its priority and the hours of the playbook, from the end of the message on', () => {
    expect(itemOf({ completedAt: timeAfter(50) }, ['human_requested'])).toMatchObject({
      priority: 3,
      openedAt: timeAfter(50),
      dueAt: timeAfter(3_050),
      expiresAt: timeAfter(60_050),
    });
    const { dueAt } = messageItem({
      itemId: 'i',
      trace: sampleTrace('t', { completedAt: timeAfter(0) }),
      reasons: [],
      playbook: builtIn,
      expiryMs: 1,
    });
    expect(Date.parse(dueAt ?? '')).toBe(builtIn.dueAt(OPENED_AT, 4));
  });
});

describe('the title of an item', () => {
  test.each<[string, Partial<Trace>, string]>([
    ['its subject', { subject: 'My order', prepared: prepared('Hello') }, 'My order'],
    ['its text without a subject', { prepared: prepared('Hello') }, 'Hello'],
    ['its text with a blank subject', { subject: ' \n ', prepared: prepared('Hello') }, 'Hello'],
    ['one line', { prepared: prepared('Hello,\r\n\r\nmy\tkettle \u2028 broke\u0000\u001b[2J.') }, ''],
    ['what was sent without a newest text', { message: '> a quote', prepared: prepared('') }, '> a quote'],
    ['a standard text without any', { message: '  ', prepared: prepared('') }, 'A message without text'],
  ])('is %s', (_, changes, title) => {
    expect(itemOf(changes).title).toBe(title === '' ? 'Hello, my kettle broke [2J.' : title);
  });

  test('has at most 80 characters, and splits none', () => {
    const { title } = itemOf({ prepared: prepared('😀'.repeat(200)) });
    expect(title).toBe(`${'😀'.repeat(39)}…`);
    const spread = itemOf({ prepared: prepared(`a${' '.repeat(318)}😀 and so on`) });
    expect(spread.title.isWellFormed()).toBe(true);
  });
});

describe('the excerpt of an item', () => {
  test('is the beginning of the newest text, at most 500 characters', () => {
    const { excerpt } = itemOf({ message: 'with > a quote', prepared: prepared('x\n'.repeat(5_000)) });
    expect(excerpt).toHaveLength(500);
    expect(excerpt?.startsWith('x\nx\n')).toBe(true);
    expect(itemOf({ message: 'only > a quote', prepared: prepared('') }).excerpt).toBe('only > a quote');
  });
});

describe('the priority of a message', () => {
  const of = (concerns: readonly Concern[], reasons: readonly string[] = []) =>
    priorityOf({ concerns }, reasons, playbook);

  test('is that of its most urgent concern in the playbook', () => {
    expect(of(['press'])).toBe(playbook.concerns.press.priority);
    expect(of(['press', 'self_harm'])).toBe(playbook.concerns.self_harm.priority);
    expect(of(['self_harm', 'press'])).toBe(playbook.concerns.self_harm.priority);
    expect(playbook.concerns.self_harm.priority).toBe(1);
  });

  test('follows the playbook', () => {
    const legal = { ...playbook.concerns.legal, priority: 5 } as const;
    const own = { ...playbook, concerns: { ...playbook.concerns, legal } };
    expect(priorityOf({ concerns: ['legal'] }, ['human_requested'], own)).toBe(5);
  });

  test('without a concern is 3 where somebody waits urgently, and 4 otherwise', () => {
    expect(of([], ['human_requested'])).toBe(3);
    expect(of([], ['low_confidence', 'upset_customer'])).toBe(3);
    expect(of([], ['pipeline_failed'])).toBe(3);
    expect(of([], ['low_confidence'])).toBe(4);
    expect(of([])).toBe(4);
  });
});
