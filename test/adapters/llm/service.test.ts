import { describe, expect, test } from 'vitest';
import { decomposeByKeywords } from '../../../src/adapters/decomposer/keyword.ts';
import { createLlmDecomposer } from '../../../src/adapters/decomposer/llm.ts';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { recordLogs } from '../../support/fakes.ts';
import { assessed, fits } from '../../support/llm/fake-model.ts';
import { purposeOf, startFakeProvider } from '../../support/llm/fake-provider.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';
import { byPurpose, failure, inTurn } from '../../support/llm/provider-replies.ts';
import { assessor } from '../stages/stage-inputs.ts';
import { connect } from './connect.ts';

const rules = createStagesOf(assessor, 0.45);

const refunds = 'We refund damaged items within 60 days.';

const message = { source: 'email', customerId: 'c-1', message: 'What is your refund policy?' };

/** An orchestrator that uses the model at an address everywhere. */
async function startService(baseUrl: string): Promise<Orchestrator> {
  const { model } = await connect(baseUrl, { random: () => 0, clock: defaultPorts().clock });
  const shared = { model, logger: recordLogs(), observer: recordModelUse() };
  const enabled = new Set(['classifier', 'planner', 'verifier', 'responder'] as const);
  const orchestrator: Orchestrator = createOrchestrator(
    defaultPorts({
      stages: createLlmStages({
        findArticles: () => [],
        assessor,
        ...shared,
        rules,
        enabled,
        tools: () => orchestrator.tools.list(),
        clock: systemClock,
      }),
      decompose: createLlmDecomposer({ ...shared, keyword: decomposeByKeywords }),
    }),
  );
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  return orchestrator;
}

function sourcesOf(trace: Trace): readonly string[] {
  return trace.timeline.flatMap((event) => (event.type === 'agent.decided' ? [event.source] : []));
}

describe('the service with a language model', () => {
  test('uses it in all five places, with three calls for an answered message', async () => {
    await using provider = await startFakeProvider(
      byPurpose({
        classifier: assessed('refund', { tool_calls: [{ tool_name: 'refund_policy', input: {} }] }),
        responder: { reply: refunds, used: ['c1'], left_open: [] },
        verifier: fits,
        decomposer: { subtasks: [{ agent_name: 'summary', text: 'Shorten this.' }] },
      }),
    );
    const service = await startService(provider.baseUrl);
    const damaged = 'My lamp arrived damaged. What is your refund policy?';
    const trace = await service.messages.process({ ...message, message: damaged });
    expect(sourcesOf(trace)).toEqual(['llm', 'llm', 'llm', 'llm']);
    expect(trace).toMatchObject({
      status: 'COMPLETED',
      intent: 'refund',
      confidence: 0.95,
      escalated: false,
      response: expect.stringContaining(refunds),
    });
    expect(provider.requests.map(purposeOf)).toEqual(['classifier', 'responder', 'verifier']);
    const routing = await service.agents.route({ goal: 'Shorten this.' });
    expect(routing).toMatchObject({ decomposition: 'llm', status: 'completed' });
    expect(provider.calls()).toBe(4);
  });

  test('uses it once for a message that a person gets', async () => {
    await using provider = await startFakeProvider(byPurpose({ classifier: assessed('refund') }));
    const service = await startService(provider.baseUrl);
    const trace = await service.messages.process({ ...message, message: 'My lawyer will sue you.' });
    expect(trace).toMatchObject({ status: 'COMPLETED', disposition: 'escalated', concerns: ['legal'] });
    expect(provider.calls()).toBe(1);
  });

  test('responds like the rules alone while the provider is down, with few calls for many messages', async () => {
    await using provider = await startFakeProvider(inTurn(failure(500)));
    const service = await startService(provider.baseUrl);
    const alone = createOrchestrator(defaultPorts({ stages: rules }));
    for (const tool of exampleTools) alone.tools.register(tool);
    const expected = await alone.messages.process(message);
    const traces = await service.messages.processBatch(Array.from({ length: 100 }, () => message));
    for (const trace of traces) {
      const { intent, confidence, escalated, response, status } = expected;
      expect(trace).toMatchObject({ intent, confidence, escalated, response, status });
      // There is no reply of a model to check.
      expect(sourcesOf(trace)).toEqual(['fallback', 'fallback', 'deterministic', 'fallback']);
    }
    expect(provider.calls()).toBeLessThan(100);
    const routing = await service.agents.route({ goal: 'Echo hello.' });
    expect(routing).toMatchObject({ decomposition: 'keyword', status: 'completed' });
  });
});
