import { describe, expect, test } from 'vitest';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import type { Decision, ToolOutcome, Verdict } from '../../../../src/domain/message/message.ts';
import { parseVerdict } from '../../../../src/domain/message/stage-contract.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../../support/llm/fake-model.ts';
import { fixedRules, prepared, recordModelUse } from '../../../support/llm/model-places.ts';
import { assessor } from '../stage-inputs.ts';

const escalatedByRules: Decision<Verdict> = {
  value: { escalated: true, reasons: ['legal_action'] },
  source: 'deterministic',
  summary: 'Escalated: the message speaks of legal action.',
  data: { reasons: ['legal_action'] },
};

const outcome: ToolOutcome = {
  toolName: 'search',
  input: {},
  status: 'success',
  output: { status: 'packed' },
  attempts: 1,
  error: null,
  durationMs: 1,
};

async function verify(
  model: FakeModel,
  byRules = fixedRules.verify,
  outcomes: readonly ToolOutcome[] = [],
): Promise<Decision<Verdict>> {
  const stages = createLlmStages({
    assessor,
    model: model.ask,
    rules: { ...fixedRules, verify: byRules },
    enabled: new Set(['verifier']),
    tools: () => [],
    logger: recordLogs(),
    observer: recordModelUse(),
  });
  const message = prepared('Where is it?');
  const classification = { intent: 'shipping', confidence: 0.9 } as const;
  return stages.verify({ message, classification, outcomes }, { signal: new AbortController().signal });
}

describe('a verdict with a language model', () => {
  test('keeps an escalation of the rules without asking the model', async () => {
    const model = obedientModel(() => ({ escalate: false, reasons: [] }));
    expect(await verify(model, () => escalatedByRules)).toEqual(escalatedByRules);
    expect(model.requests).toEqual([]);
  });

  test.each([
    ['what the rules do not answer', { escalated: false, reasons: ['bounce'], disposition: 'no_reply' }],
    ['thanks and greetings', { escalated: false, reasons: ['small_talk'], disposition: 'answered' }],
  ] as const)('keeps %s without asking the model', async (_name, value) => {
    const model = obedientModel(() => ({ escalate: true, reasons: ['sensitive'] }));
    const byRules = { ...escalatedByRules, value };
    expect(await verify(model, () => byRules)).toEqual(byRules);
    expect(model.requests).toEqual([]);
  });

  test('of the model is one that the pipeline accepts', async () => {
    const model = obedientModel(() => ({ escalate: true, reasons: ['sensitive'] }));
    const { value } = await verify(model, () => ({
      ...escalatedByRules,
      value: { escalated: false, reasons: ['answerable'], disposition: 'answered', concerns: [] },
    }));
    expect(parseVerdict(value)).toEqual({
      escalated: true,
      reasons: ['sensitive'],
      disposition: 'escalated',
      concerns: [],
    });
  });

  test.each([
    ['question', { reasons: ['question_asked'] }, []],
    ['fixed_text', { reasons: ['answerable'] }, []],
    ['tool_outputs', { reasons: ['answerable'] }, [outcome]],
    ['not_found', { reasons: ['not_found'] }, [{ ...outcome, output: null, notFound: true }]],
  ] as const)('is asked for with the kind of the reply: %s', async (kind, { reasons }, outcomes) => {
    const model = obedientModel(() => ({ escalate: false, reasons: [] }));
    const value = { escalated: false, reasons: [...reasons] };
    await verify(model, () => ({ ...escalatedByRules, value }), outcomes);
    expect(model.requests[0]?.data).toMatchObject({ message: 'Where is it?', reply: kind });
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
