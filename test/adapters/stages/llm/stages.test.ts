import { describe, expect, test } from 'vitest';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { obedientModel } from '../../../support/llm/fake-model.ts';
import { fixedRules, prepared, recordModelUse } from '../../../support/llm/model-places.ts';
import { assessor } from '../stage-inputs.ts';

describe('stages with a language model', () => {
  test('use the rules where they are not enabled', () => {
    const options = { model: obedientModel(() => null).ask, rules: fixedRules, tools: () => [] };
    const shared = { logger: recordLogs(), observer: recordModelUse() };
    expect(createLlmStages({ assessor, ...options, ...shared, enabled: new Set() })).toEqual(fixedRules);
    const { classify, ...others } = createLlmStages({
      assessor,
      ...options,
      ...shared,
      enabled: new Set(['classifier']),
    });
    expect(classify).not.toBe(fixedRules.classify);
    expect(others).toEqual({ plan: fixedRules.plan, verify: fixedRules.verify, respond: fixedRules.respond });
  });

  test('count no fallback when the caller disconnected', async () => {
    const observer = recordModelUse();
    const stages = createLlmStages({
      assessor,
      model: async () => ({ status: 'error', reason: 'interrupted', tokens: { input: 0, output: 0 } }),
      rules: fixedRules,
      enabled: new Set(['classifier']),
      tools: () => [],
      logger: recordLogs(),
      observer,
    });
    const message = prepared('Where is my order?');
    await stages.classify(message, { signal: AbortSignal.abort() });
    expect(observer.fallbacks).toEqual([]);
    expect(observer.costs).toEqual([]);
  });

  test('send only the beginning of a long message to the model', async () => {
    const model = obedientModel(() => ({ intent: 'spam', confidence: 1, concerns: [] }));
    const stages = createLlmStages({
      assessor,
      model: model.ask,
      rules: fixedRules,
      enabled: new Set(['classifier']),
      tools: () => [],
      logger: recordLogs(),
      observer: recordModelUse(),
    });
    const message = prepared('x'.repeat(32_768));
    await stages.classify(message, { signal: new AbortController().signal });
    expect(JSON.stringify(model.requests[0]?.data).length).toBeLessThan(8_100);
  });
});
