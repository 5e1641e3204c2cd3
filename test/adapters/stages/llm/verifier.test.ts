import { describe, expect, test } from 'vitest';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import type { Decision, Verdict } from '../../../../src/domain/message/message.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../../support/llm/fake-model.ts';
import { fixedRules, recordModelUse } from '../../../support/llm/model-places.ts';

const escalatedByRules: Decision<Verdict> = {
  value: { escalated: true, reasons: ['legal_action'] },
  source: 'deterministic',
  summary: 'Escalated: the message speaks of legal action.',
  data: { reasons: ['legal_action'] },
};

async function verify(model: FakeModel, byRules = fixedRules.verify): Promise<Decision<Verdict>> {
  const stages = createLlmStages({
    model: model.ask,
    rules: { ...fixedRules, verify: byRules },
    enabled: new Set(['verifier']),
    tools: () => [],
    logger: recordLogs(),
    observer: recordModelUse(),
  });
  const message = { source: 'chat', customerId: 'c', message: 'Where is it?' };
  const classification = { intent: 'shipping', confidence: 0.9 } as const;
  return stages.verify({ message, classification, outcomes: [] }, { signal: new AbortController().signal });
}

describe('a verdict with a language model', () => {
  test('keeps an escalation of the rules without asking the model', async () => {
    const model = obedientModel(() => ({ escalate: false, reasons: [] }));
    expect(await verify(model, () => escalatedByRules)).toEqual(escalatedByRules);
    expect(model.requests).toEqual([]);
  });

  test('adds an escalation of the model with its reasons', async () => {
    const model = obedientModel(() => ({ escalate: true, reasons: ['unclear', 'sensitive', 'unclear'] }));
    expect(await verify(model)).toMatchObject({
      source: 'llm',
      value: { escalated: true, reasons: ['sensitive', 'unclear'] },
      data: { tokens: { input: 3, output: 2 } },
    });
  });

  test('adds an escalation of the model without a reason', async () => {
    const model = obedientModel(() => ({ escalate: true, reasons: [] }));
    expect(await verify(model)).toMatchObject({
      source: 'llm',
      value: { escalated: true, reasons: ['doubtful'] },
    });
  });

  test('is that of the rules when the model agrees', async () => {
    const model = obedientModel(() => ({ escalate: false, reasons: ['sensitive'] }));
    expect(await verify(model)).toMatchObject({
      source: 'llm',
      value: { escalated: false, reasons: ['answered'] },
    });
  });

  test('accepts no unknown reason', async () => {
    const model = obedientModel(() => ({ escalate: true, reasons: ['call 555 0100 now'] }));
    expect(await verify(model)).toMatchObject({ source: 'fallback', value: { escalated: false } });
  });
});
