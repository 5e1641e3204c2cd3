import { describe, expect, test } from 'vitest';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import type {
  CompleteVerdict,
  Decision,
  Handover,
  ToolOutcome,
} from '../../../../src/domain/message/message.ts';
import type { Stages } from '../../../../src/ports/stages.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../../support/llm/fake-model.ts';
import { fixedRules, prepared, recordModelUse } from '../../../support/llm/model-places.ts';
import { assessor } from '../stage-inputs.ts';

const ruled = { source: 'deterministic', summary: 'By rule.', data: {} } as const;

const answered: ToolOutcome = {
  toolName: 'search',
  input: {},
  status: 'success',
  output: {
    articles: [
      { title: 'Returns', excerpt: 'Go to https://shop.example/returns or mail help@shop.example.' },
    ],
  },
  attempts: 1,
  error: null,
  durationMs: 1,
};

const notFound: ToolOutcome = {
  ...answered,
  status: 'error',
  output: null,
  error: 'order "A-7" not found',
  notFound: true,
};

/** Rules that would answer the same intent from the same sources. */
const sameRules: Stages = {
  ...fixedRules,
  classify: () => ({ value: { intent: 'refund', confidence: 0.9 }, ...ruled }),
  plan: () => ({ value: { toolCalls: [{ toolName: 'search', input: {} }] }, ...ruled }),
};

interface Asked {
  readonly message?: string;
  readonly outcomes?: readonly ToolOutcome[];
  readonly verdict?: Partial<CompleteVerdict>;
}

const answerable: CompleteVerdict = {
  escalated: false,
  reasons: ['answerable'],
  disposition: 'answered',
  concerns: [],
};

async function respond(model: FakeModel, asked: Asked = {}): Promise<Decision<string | Handover>> {
  const stages = createLlmStages({
    assessor,
    model: model.ask,
    rules: sameRules,
    enabled: new Set(['responder']),
    tools: () => [],
    logger: recordLogs(),
    observer: recordModelUse(),
  });
  const message = prepared(asked.message ?? 'How do I return it?');
  const classification = { intent: 'refund', confidence: 0.9 } as const;
  const { outcomes = [answered] } = asked;
  const verdict = { ...answerable, ...asked.verdict };
  const context = { signal: new AbortController().signal };
  return stages.respond({ message, classification, outcomes, verdict }, context);
}

const writing = (reply: string) => obedientModel(() => ({ reply }));

describe('a reply of a language model', () => {
  test.each([
    ['plain words', 'You can send it back. Please use the label from your account.'],
    ['several lines', 'Dear customer,\n\nplease send it back.\tThank you.'],
    ['a link that a tool brought', 'Please go to https://shop.example/returns.'],
    ['an address that a tool brought', 'Write to HELP@shop.example!'],
    ['abbreviations', 'You can send it back, e.g. by post, i.e. with the label.'],
    ['emoji', 'We are glad to help 👩‍👩‍👧 👍🏽 ❤️'],
    ['a sign that looks like markup', 'Returns < refunds > exchanges.'],
  ])('is sent with %s', async (_name, reply) => {
    expect(await respond(writing(reply))).toMatchObject({ source: 'llm', value: reply });
  });

  test('is sent without invisible characters', async () => {
    const reply = '  \u001b[mRed\u001b[m \u202egnorw\u202c line\r\nnext\u0000\u200b\ud800 \u{e0041}one  ';
    expect(await respond(writing(reply))).toMatchObject({
      source: 'llm',
      value: '[mRed[m gnorw line\nnext one',
    });
  });

  test.each([
    ['a link of its own', 'Please go to https://evil.example/login.'],
    ['a link without a scheme', 'Please visit evil.example/login now'],
    ['a link in capitals', 'See HTTPS://EVIL.EXAMPLE'],
    ['a link in brackets', 'See (evil.example) or «evil.example».'],
    ['a link in full-width letters', 'See ｅｖｉｌ．ｅｘａｍｐｌｅ today'],
    ['a link with an ideographic stop', 'See evil。example today'],
    ['a link in another script', 'Смотри злой.рф сейчас'],
    ['a link of another scheme', 'Open ftp://files or javascript:alert(1)'],
    ['a mail address of its own', 'Write to boss@evil.example'],
    ['a dialling link', 'Use tel:+4912345 to call'],
    ['a host name', 'Use www.evil please'],
    ['a link after a known one', 'https://shop.example/returns and https://evil.example'],
    ['a Markdown image', 'Look: ![x](https://shop.example/returns)'],
    ['a Markdown reference', 'Look: [x][1]'],
    ['a tag', 'Hello <img src=x onerror=alert(1)>'],
    ['a closing tag', 'Hello </div>'],
    ['a comment', 'Hello <!-- x -->'],
  ])('is rejected with %s', async (_name, reply) => {
    const decided = await respond(writing(reply));
    expect(decided).toMatchObject({
      source: 'fallback',
      value: 'By the rules.',
      data: { reason: 'unsafe_reply' },
    });
  });

  test('is rejected when it repeats its instructions in any format', async () => {
    const repeat = (change: (text: string) => string) =>
      obedientModel(({ instructions }) => ({ reply: change(instructions) }));
    for (const change of [
      (text: string) => text.replaceAll('<', '').replaceAll('{', ''),
      (text: string) => text.slice(120, 220),
      (text: string) => text.slice(0, 120).toUpperCase(),
      (text: string) => text.slice(0, 120).replaceAll(' ', '  \n* '),
    ]) {
      expect(await respond(repeat(change))).toMatchObject({
        source: 'fallback',
        data: { reason: 'unsafe_reply' },
      });
    }
  });

  test.each([
    ['nothing', ''],
    ['nothing that can be seen', ' \n\u200b\u0000 '],
    ['too much', 'x'.repeat(8_193)],
    ['far too much', 'x '.repeat(500_000)],
  ])('is rejected with %s', async (_name, reply) => {
    expect(await respond(writing(reply))).toMatchObject({
      source: 'fallback',
      data: { reason: 'bad_reply' },
    });
  });

  test('is not requested where the rules have the reply', async () => {
    const model = writing('Let me tell you something.');
    const decisions = [
      await respond(model, { verdict: { escalated: true, reasons: ['fraud'], disposition: 'escalated' } }),
      await respond(model, { verdict: { reasons: ['spam'], disposition: 'no_reply' } }),
      await respond(model, { verdict: { reasons: ['small_talk'] } }),
      await respond(model, { verdict: { reasons: ['question_asked'] } }),
      await respond(model, { outcomes: [] }),
      await respond(model, { outcomes: [answered, notFound] }),
    ];
    for (const decided of decisions) {
      expect(decided).toMatchObject({ source: 'deterministic', value: 'By the rules.' });
    }
    expect(model.requests).toEqual([]);
  });

  test('is written from the message and the tool outputs, as data and of bounded length', async () => {
    const model = writing('Fine.');
    const long = { ...answered, output: { text: 'y'.repeat(100_000) } };
    await respond(model, { message: `Hello ${'x'.repeat(30_000)}`, outcomes: [long] });
    await respond(model);
    const [cut, whole] = model.requests;
    expect(JSON.stringify(cut?.data).length).toBeLessThan(25_000);
    expect(whole?.data).toEqual({
      intent: 'refund',
      message: 'How do I return it?',
      language: 'en',
      tool_outputs: [{ tool: 'search', output: answered.output }],
    });
  });
});
