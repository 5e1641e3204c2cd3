import { describe, expect, it } from 'vitest';
import {
  answeredElsewhere,
  decide,
  responseOf,
  unsentReplyOf,
  withDraft,
} from '../../console/pages/inbox/logic/decision.ts';

const escalation = { kind: 'escalation', draft: null, response_schema: null, version: 3 } as const;
const draft = { ...escalation, kind: 'draft', draft: 'Dear customer' } as const;
const approval = { ...escalation, kind: 'approval', response_schema: { type: 'object' } } as const;
const recovery = { ...escalation, kind: 'recovery' } as const;

describe('the decision about a message', () => {
  it('has the answer, the intent, the judgement and the version that was seen', () => {
    const filled = { response: 'Sorry', intent: 'billing', right: false, remark: ' asked the bank ' };
    expect(decide(escalation, filled, 'answered', 'ann')).toEqual({
      decision: {
        outcome: 'answered',
        by: 'ann',
        note: 'asked the bank',
        version: 3,
        intent: 'billing',
        escalation_right: false,
        response: 'Sorry',
      },
    });
  });

  it('needs an answer, unless the customer was answered elsewhere', () => {
    expect(decide(escalation, { response: '  ' }, 'answered', 'ann')).toMatchObject({ field: 'response' });
    const decision = answeredElsewhere(escalation, { intent: 'refund' }, 'ann');
    expect(decision).toEqual({ outcome: 'answered', by: 'ann', version: 3, intent: 'refund' });
  });

  it('leaves out an answer that only goes with another outcome', () => {
    const decided = decide(escalation, { response: 'Sorry' }, 'spam', 'ann');
    expect(decided).toEqual({ decision: { outcome: 'spam', by: 'ann', version: 3 } });
  });

  it('sends a draft as it is without repeating it, and a changed one in full', () => {
    expect(responseOf(draft, {})).toBe('Dear customer');
    expect(decide(draft, {}, 'answered', 'ann')).toEqual({
      decision: { outcome: 'answered', by: 'ann', version: 3 },
    });
    expect(decide(draft, { response: 'Dear Kim' }, 'answered', 'ann')).toMatchObject({
      decision: { response: 'Dear Kim' },
    });
    expect(decide(draft, { response: '' }, 'answered', 'ann')).toMatchObject({ field: 'response' });
  });

  it('of an escalated message neither begins with the reply that was not sent nor sends it', () => {
    const withReply = { ...escalation, draft: 'It costs 99 euros.' };
    expect(responseOf(withReply, {})).toBe('');
    expect(decide(withReply, {}, 'answered', 'ann')).toMatchObject({ field: 'response' });
    expect(decide(withReply, { response: withReply.draft }, 'answered', 'ann')).toMatchObject({
      decision: { response: 'It costs 99 euros.' },
    });
  });

  it('can take over the reply that was not sent: below what was written, and once', () => {
    expect(withDraft(' ', 'It is here.')).toBe('It is here.');
    const both = withDraft('Dear Kim,\n', 'It is here.');
    expect(both).toBe('Dear Kim,\n\nIt is here.');
    expect(withDraft(both, 'It is here.')).toBe(both);
  });

  it('offers such a reply for an escalated message that has one, and for nothing else', () => {
    expect(unsentReplyOf({ ...escalation, draft: 'It is here.' })).toBe('It is here.');
    for (const item of [escalation, { ...escalation, draft: ' ' }, draft, approval, recovery]) {
      expect(unsentReplyOf(item)).toBeNull();
    }
  });
});

describe('the decision about a step', () => {
  it('brings data with an approval that asks for some, and none with a rejection', () => {
    expect(decide(approval, { data: { reason: 'goodwill' } }, 'approved', 'ann')).toMatchObject({
      decision: { data: { reason: 'goodwill' } },
    });
    expect(decide(approval, { data: { reason: 'goodwill' } }, 'rejected', 'ann')).toEqual({
      decision: { outcome: 'rejected', by: 'ann', version: 3 },
    });
    expect(decide({ ...approval, response_schema: null }, {}, 'approved', 'ann')).toEqual({
      decision: { outcome: 'approved', by: 'ann', version: 3 },
    });
  });

  it('takes an output only as a JSON object, and only for a step that happened', () => {
    expect(decide(recovery, { output: '{"sent": true}' }, 'completed', 'ann')).toMatchObject({
      decision: { output: { sent: true } },
    });
    for (const output of ['[1]', 'null', '{']) {
      expect(decide(recovery, { output }, 'completed', 'ann')).toMatchObject({ field: 'output' });
    }
    expect(decide(recovery, { output: '{' }, 'retry', 'ann')).toEqual({
      decision: { outcome: 'retry', by: 'ann', version: 3 },
    });
  });
});
