import { describe, expect, test } from 'vitest';
import { createLlmStages, type ModelStage } from '../../../../src/adapters/stages/llm/stages.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { assessed, type FakeModel, obedientModel } from '../../../support/llm/fake-model.ts';
import {
  fixedRules,
  placeClock,
  places,
  prepared,
  recordModelUse,
} from '../../../support/llm/model-places.ts';
import { assessor } from '../stage-inputs.ts';

const signal = new AbortController().signal;

function stagesWith(model: FakeModel, stages: readonly ModelStage[]) {
  return createLlmStages({
    findArticles: () => [],
    assessor,
    model: model.ask,
    rules: fixedRules,
    enabled: new Set(stages),
    tools: () => [],
    clock: placeClock,
    logger: recordLogs(),
    observer: recordModelUse(),
  });
}

const silent = obedientModel(() => null);

describe('stages with a language model', () => {
  test.each([
    ['nothing', []],
    ['classify', ['classifier']],
    ['plan', ['planner']],
    ['verify', ['verifier']],
  ] as const)('use the model only where they are enabled: %s', (used, enabled) => {
    const stages = stagesWith(silent, enabled);
    for (const name of ['classify', 'plan', 'verify', 'respond'] as const) {
      expect(stages[name] === fixedRules[name], name).toBe(name !== used);
    }
  });

  test('verify what the model writes, also where it does not check it', () => {
    const { classify, plan, verify, respond } = stagesWith(silent, ['responder']);
    expect({ classify, plan }).toEqual({ classify: fixedRules.classify, plan: fixedRules.plan });
    expect(verify).not.toBe(fixedRules.verify);
    expect(respond).not.toBe(fixedRules.respond);
  });

  test.each(places)('count no fallback of the $name when the caller disconnected', async (place) => {
    const observer = recordModelUse();
    const { source, value } = await place.run({
      model: async () => ({
        status: 'error',
        reason: 'interrupted',
        tokens: { input: 0, cachedInput: 0, output: 0 },
        calls: 0,
      }),
      logger: recordLogs(),
      observer,
      signal: AbortSignal.abort(),
    });
    expect({ source, value }).toEqual({ source: 'fallback', value: place.byRules });
    expect(observer.fallbacks).toEqual([]);
    expect(observer.costs).toEqual([]);
  });

  test('send only the beginning of a long message and of what it quotes to the model', async () => {
    const model = obedientModel(() => assessed('spam'));
    const quote = Array.from({ length: 400 }, (_, line) => `> line ${line} of an old mail`).join('\n');
    const message = prepared(`${'Where is it? '.repeat(2_000)}\n\n${quote}`, { subject: 's'.repeat(256) });
    await stagesWith(model, ['classifier']).classify(message, { signal });
    const [request] = model.requests;
    expect(JSON.stringify(request?.data).length).toBeLessThan(11_000);
    expect(request?.data).toHaveProperty('quoted');
  });
});
