import { describe, expect, it } from 'vitest';
import { accountOf } from '../../console/pages/messages/account.ts';
import type { Trace } from '../../console/pages/messages/trace.ts';

type Decision = Trace['agent_decisions'][number];
type Data = Decision['data'];

/** A message with these data of its stages, which decided all by `source`. */
function traceWith(
  stages: { readonly [Stage in Decision['agent']]?: Data },
  source: Decision['source'] = 'llm',
) {
  const agent_decisions = (['classifier', 'planner', 'verifier', 'responder'] as const).flatMap((agent) => {
    const data = stages[agent];
    const timestamp = '2026-11-22T19:00:00.000Z';
    return data === undefined ? [] : [{ agent, source, summary: '', sequence: 1, timestamp, data }];
  });
  return { agent_decisions, cost: null, currency: null };
}

/** The points of the account, in their order, each line as one text. */
function told(trace: Parameters<typeof accountOf>[0]): readonly (readonly [string, readonly string[]])[] {
  const { judged, answered } = accountOf(trace);
  return [...judged, ...answered].map(({ name, lines }) => [
    name,
    lines.map(({ about, text }) => (about === undefined ? text : `${about}: ${text}`)),
  ]);
}

/** The sentences of the account of a message with this decision of one stage, about one point. */
function saysOf(
  name: string,
  stage: Decision['agent'],
  data: Data,
  source?: Decision['source'],
): readonly string[] | undefined {
  const points = told(traceWith({ [stage]: data }, source));
  return points.find(([own]) => own === name)?.[1];
}

describe('the account of a message', () => {
  it('tells everything that the stages tell, from the judge to the cost', () => {
    const stages = {
      classifier: {
        judge: 'llm',
        model: { sure: 'likely' },
        evidence: { intent: ['blocked'], injury: ['fell', 'bathroom'] },
        second_look: { concern: 'self_harm', raised: false },
        floor: { concerns: ['injury'], wants_person: true, machine_talk: null },
        built_in: {
          intent: 'lost_item',
          confidence: 0.62,
          concerns: ['fraud'],
          reasons: ['upset_customer'],
        },
        calls: 2,
        tokens: { input: 2_310, cached_input: 1_800, output: 85 },
        cost: 0.0021,
        currency: 'EUR',
      },
      verifier: { fits: false, unsupported: 1, unanswered: 2, calls: 1, tokens: { input: 9, output: 3 } },
      responder: { refused: ['number', 'link', 'number'], left_open: 1 },
    };
    const trace = { ...traceWith(stages), cost: 0.003456789, currency: 'EUR' };
    expect(told(trace)).toEqual([
      ['Judged by', ['the language model (likely)']],
      ['Evidence', ['intent: blocked', 'injury: fell, bathroom']],
      ['Second look', ['self harm: not raised']],
      ['Above the judge', ['injury: in unmistakable words', 'a person: asked for in unmistakable words']],
      ['Built-in opinion', ['lost item 62.0 %', 'concerns: fraud', 'reasons: upset customer']],
      ['Reply refused', ['the first reply: by the guard: number, link', 'left open: 1 question']],
      [
        'Check of the reply',
        ['it does not fit', 'without a source: 1 statement', 'not answered: 2 questions'],
      ],
      [
        'Tokens',
        [
          'classifier: 2 calls, 2,310 in, 1,800 of them cached, 85 out, 0.0021 EUR',
          'verifier: 1 call, 9 in, 3 out',
        ],
      ],
      ['Cost', ['0.003457 EUR']],
    ]);
  });

  it('has no points about which nothing is told, as of a message of an earlier version', () => {
    expect(told(traceWith({}))).toEqual([]);
    expect(told(traceWith({ classifier: {}, verifier: {}, responder: {} }, 'deterministic'))).toEqual([
      ['Judged by', ['rules and the trained model']],
    ]);
  });

  it.each<[string, Decision['source'], Data, string]>([
    ['built_in', 'deterministic', {}, 'the built-in model'],
    ['classifier', 'deterministic', {}, 'the classifier that was trained on own tickets'],
    [
      'built_in',
      'fallback',
      { reason: 'rate_limited' },
      'the built-in model, because the language model failed (rate limited)',
    ],
    [
      'built_in',
      'llm',
      { model: { sure: 'certain' } },
      'the built-in model, because the text speaks to the machine',
    ],
    ['a_jury', 'deterministic', {}, 'a jury'],
  ])('says that %s judged, of a decision by %s', (judge, source, more, words) => {
    expect(saysOf('Judged by', 'classifier', { judge, ...more }, source)).toEqual([words]);
  });

  it('tells a second look without a second word, and what a text says to the machine', () => {
    const second_look = { concern: 'fraud', raised: true, reason: 'timeout' };
    expect(saysOf('Second look', 'classifier', { second_look })).toEqual([
      'fraud: raised: it failed (timeout), the built-in model counts',
    ]);
    const talk = (machine_talk: string) =>
      saysOf('Above the judge', 'classifier', { floor: { machine_talk } });
    expect(talk('role')).toEqual(['speaks to the machine: an imitated role or marker']);
    expect(talk('constructor')).toEqual(['speaks to the machine: constructor']);
    expect(saysOf('Above the judge', 'classifier', { floor: {} })).toEqual(['nothing']);
  });

  it('tells apart a reply that was refused, refused again, never written and not checked', () => {
    const refused = ['deed'];
    expect(saysOf('Reply refused', 'responder', { refused })).toEqual([
      'the first reply: by the guard: deed',
    ]);
    expect(saysOf('Reply refused', 'responder', { refused, reason: 'unsafe_reply' })).toEqual([
      'the first and the mended reply: by the guard: deed',
    ]);
    expect(saysOf('Reply refused', 'responder', { reason: 'timeout', left_open: 0 })).toEqual([
      'the language model wrote none (timeout)',
    ]);
    expect(saysOf('Reply refused', 'responder', { left_open: 0 })).toBeUndefined();
    expect(saysOf('Check of the reply', 'verifier', { fits: true, unsupported: 0, unanswered: 0 })).toEqual([
      'it fits',
    ]);
    expect(saysOf('Check of the reply', 'verifier', { reason: 'timeout' })).toEqual([
      'the language model failed (timeout)',
    ]);
  });

  it('leaves out members of another type', () => {
    const odd = {
      judge: 'llm',
      model: 'big',
      evidence: { intent: [7, 'open'], x: 'y' },
      second_look: [true],
      built_in: { intent: 7 },
      calls: 'many',
      tokens: null,
      cost: '1',
    };
    expect(
      told(traceWith({ classifier: odd, responder: { refused: 'number' }, verifier: { fits: 'well' } })),
    ).toEqual([
      ['Judged by', ['the language model']],
      ['Evidence', ['intent: open']],
    ]);
  });
});
