import { describe, expect, test } from 'vitest';
import type { PlaybookDefinition } from '../../../../src/adapters/playbook/definition.ts';
import type { ToolOutcome } from '../../../../src/domain/message/message.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { assessed, fits, type ModelReplies, modelWith } from '../../../support/llm/fake-model.ts';
import { spyTool } from '../../../support/llm/model-places.ts';
import { outcomeOf } from '../stage-inputs.ts';
import { llmRig, type More, type Rig } from './llm-rig.ts';

const workshop: PlaybookDefinition = {
  company: { name: 'Tannenhof Cycles', signature: 'Tannenhof Cycles, Lindau', style: 'Warm and short.' },
  intents: [
    {
      name: 'repair',
      description: 'Asks how far a repair is.',
      examples: ['How far is my repair?', 'Is my bike ready?', 'repair state please'],
      tool: { name: 'job', input: { customer: '${{ customer.id }}' } },
      replies: { en: 'Your bike is {{ tool.state }}, and costs {{ tool.price_eur }} euros.' },
    },
    {
      name: 'opening_hours',
      description: 'Asks when the shop is open.',
      examples: ['When are you open?', 'opening hours please', 'Are you open on Sunday?'],
      replies: { en: 'We are open from 9 to 5.' },
    },
  ],
};

const tools = [spyTool('job', 'read')];
const job = (toolName: string): ToolOutcome => outcomeOf(toolName, { state: 'ready', price_eur: 45 });

const written = (reply: string, more: JsonObject = {}): JsonObject => ({
  reply,
  used: ['c1'],
  left_open: [],
  ...more,
});

const good = 'Your bike is ready, and it costs 45 euros.';

async function answer(replies: ModelReplies, rig: Rig = {}, text = 'Is my bike ready?', more: More = {}) {
  const model = modelWith({ classifier: assessed('repair'), responder: written(good), ...replies });
  const own = llmRig(model, { playbook: workshop, tools, ...rig });
  const decided = await own.run(text, job, more);
  return {
    ...decided,
    model,
    observer: own.observer,
    purposes: model.requests.map(({ purpose }) => purpose),
  };
}

describe('a reply of a language model', () => {
  test('is written from what the tools brought, checked, and sent with the greeting and the signature', async () => {
    const { reply, verdict, purposes } = await answer({});
    expect(purposes).toEqual(['classifier', 'responder', 'verifier']);
    expect(verdict).toMatchObject({
      source: 'llm',
      value: { disposition: 'answered' },
      data: { fits: true, calls: 1 },
    });
    expect(reply).toMatchObject({ source: 'llm', data: { used: ['c1'], left_open: 0, calls: 1 } });
    expect(String(reply.value).split('\n\n')).toEqual([
      'Hello,',
      good,
      expect.stringContaining('Tannenhof Cycles, Lindau'),
    ]);
  });

  test('sees the company, its style, the sources with their ids, and what the rules would reply', async () => {
    const { model } = await answer({});
    const request = model.requests.find(({ purpose }) => purpose === 'responder');
    expect(request?.instructions).toContain('Warm and short.');
    expect(request?.data).toMatchObject({
      sources: [{ id: 'c1', tool: 'job', output: { state: 'ready', price_eur: 45 } }],
      our_text: expect.stringContaining('Your bike is ready, and costs 45 euros.'),
    });
  });

  test('that greets and signs itself gets no second greeting and signature', async () => {
    const own = `Hi Ada,\n\n${good}\n\nBest, Tannenhof Cycles, Lindau`;
    const { reply } = await answer({ responder: written(own) });
    expect(reply.value).toBe(own);
  });

  test('that leaves something open goes to a person as a draft', async () => {
    const { verdict, reply, purposes } = await answer({
      responder: written(good, { left_open: ['whether it can be delivered'] }),
    });
    expect(verdict.value).toMatchObject({
      escalated: true,
      disposition: 'escalated',
      reasons: ['left_open'],
      draft: expect.stringContaining(good),
    });
    expect(reply.value).not.toContain(good);
    expect(purposes).toEqual(['classifier', 'responder']);
  });

  test.each([
    ['does not fit', { ...fits, fits: false, unanswered: ['the price'] }],
    ['states what no source supports', { ...fits, unsupported: ['it is ready'] }],
    ['leaves a question open', { ...fits, unanswered: ['whether it can be delivered'] }],
  ])('that %s goes to a person as a draft', async (_name, verifier) => {
    const { verdict, reply } = await answer({ verifier });
    expect(verdict).toMatchObject({
      source: 'llm',
      value: {
        disposition: 'escalated',
        reasons: ['reply_does_not_fit'],
        draft: expect.stringContaining(good),
      },
    });
    expect(reply.value).not.toContain(good);
  });

  test('that states what no source has is told to the model once, and the next one is sent', async () => {
    const { reply, model } = await answer({ responder: [written('It costs 99 euros.'), written(good)] });
    const [, again] = model.requests.filter(({ purpose }) => purpose === 'responder');
    expect(again?.data).toMatchObject({
      refused: { reply: 'It costs 99 euros.', because: expect.stringContaining('99') },
    });
    expect(reply).toMatchObject({ source: 'llm', data: { refused: expect.any(Array), calls: 2 } });
    expect(reply.value).toContain(good);
  });

  test('refused twice is written by the rules, where they would answer the same from the same sources', async () => {
    const { reply, observer } = await answer({ responder: written('It costs 99 euros.') });
    expect(reply).toMatchObject({ source: 'fallback', data: { reason: 'unsafe_reply' } });
    expect(reply.value).toContain('Your bike is ready, and costs 45 euros.');
    expect(observer.fallbacks).toEqual([{ stage: 'responder', reason: 'unsafe_reply' }]);
  });

  test('refused twice goes to a person, where the rules read another wish', async () => {
    const { verdict } = await answer({ responder: written('It costs 99 euros.') }, {}, 'When are you open?');
    expect(verdict.value).toMatchObject({
      disposition: 'escalated',
      reasons: ['reply_missing'],
      draft: expect.stringContaining('99 euros'),
    });
  });

  test.each([
    ['nothing', written('')],
    ['too much', written('y'.repeat(8_193))],
    ['no text', { reply: 7 }],
  ])('with %s is written by the rules', async (_name, responder) => {
    const { reply } = await answer({ responder });
    expect(reply).toMatchObject({ source: 'fallback', data: { reason: 'bad_reply' } });
  });

  test('that nobody could check is sent: the guard has read it', async () => {
    const { verdict, reply } = await answer({ verifier: { fits: 'well' } });
    expect(verdict).toMatchObject({ source: 'fallback', value: { disposition: 'answered' } });
    expect(reply.value).toContain(good);
  });

  test('is checked only where the verifier uses the model, and written only where the responder does', async () => {
    const unchecked = await answer({}, { stages: ['classifier', 'planner', 'responder'] });
    expect(unchecked.purposes).toEqual(['classifier', 'responder']);
    expect(unchecked.verdict.source).toBe('deterministic');
    const byRules = await answer({}, { stages: ['classifier', 'planner', 'verifier'] });
    expect(byRules.purposes).toEqual(['classifier', 'verifier']);
    expect(byRules.reply.source).toBe('deterministic');
    expect(byRules.model.requests[1]?.data['reply']).toContain('Your bike is ready');
  });

  test('of fixed text is checked as well', async () => {
    const { purposes, verdict } = await answer(
      { classifier: assessed('opening_hours'), verifier: { ...fits, fits: false } },
      {},
      'When are you open?',
    );
    expect(purposes).toEqual(['classifier', 'verifier']);
    expect(verdict.value.reasons).toEqual(['reply_does_not_fit']);
  });

  test('costs nothing more for a message that a person gets', async () => {
    const { purposes } = await answer({
      classifier: assessed('repair', { person: { needed: true, reason: 'needs_person' } }),
    });
    expect(purposes).toEqual(['classifier']);
  });

  test('tells what its tokens cost, where the price is known', async () => {
    const price = { input: 1, cachedInput: 0.5, output: 2, currency: 'USD' };
    const { classification } = await answer({}, { price });
    expect(classification.data).toMatchObject({ cost: expect.any(Number), currency: 'USD' });
    expect((await answer({})).classification.data['cost']).toBeUndefined();
  });
});
