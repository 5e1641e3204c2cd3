import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import type { ConversationEntry } from '../../../src/domain/message/conversation.ts';
import type { PreparedMessage } from '../../../src/domain/message/prepared.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { recordLogs } from '../../support/fakes.ts';
import { assessed, fits } from '../../support/llm/fake-model.ts';
import { dataOf, messageOf, startFakeProvider } from '../../support/llm/fake-provider.ts';
import { prepared, recordModelUse, spyTool } from '../../support/llm/model-places.ts';
import { byPurpose } from '../../support/llm/provider-replies.ts';
import { assessor, context, outcomeOf } from '../stages/stage-inputs.ts';
import { connect } from './connect.ts';

const rules = createStagesOf(assessor, 0.45);

/** A tool that no intent states, so that the model chooses its input. */
const findParcel = spyTool('find_parcel', 'read', z.object({ parcel: z.string() }));

/** Stages that use the model at an address everywhere. */
async function connectStages(baseUrl: string) {
  const { model } = await connect(baseUrl, { random: () => 0, clock: defaultPorts().clock });
  const enabled = new Set(['classifier', 'planner', 'verifier', 'responder'] as const);
  const shared = { logger: recordLogs(), observer: recordModelUse() };
  return createLlmStages({
    findArticles: () => [],
    assessor,
    model,
    rules,
    enabled,
    tools: () => [...exampleTools, findParcel],
    clock: systemClock,
    ...shared,
  });
}

/** An entry of a conversation. */
function entryOf(from: ConversationEntry['from'], text: string, intent = 'order_status'): ConversationEntry {
  return {
    from,
    text,
    intent,
    at: '2026-01-14T09:00:00.000Z',
    traceId: 't',
    itemId: null,
    disposition: 'answered',
    reasons: ['answerable'],
  };
}

/** A message after some entries. */
function turnAfter(text: string, entries: readonly ConversationEntry[]): PreparedMessage {
  return { ...prepared(text), history: { entries, isHeld: false } };
}

/** A model that plans this call. */
const planOf = (tool_name: string, input: JsonObject) =>
  byPurpose({
    classifier: assessed('order_status', { tool_calls: [{ tool_name, input: { ...input } }] }),
    responder: { reply: 'Your order comes with tracking code 99123.', used: [], left_open: [] },
    verifier: fits,
  });

const classification = { intent: 'order_status', confidence: 0.97 } as const;

describe('a language model in a conversation', () => {
  test('sees the last entries, each cut, as data; and nothing of it without a conversation', async () => {
    await using provider = await startFakeProvider(planOf('check_order_status', {}));
    const stages = await connectStages(provider.baseUrl);
    const entries = Array.from({ length: 9 }, (_, at) => entryOf('customer', `${at} ${'x'.repeat(900)}`));
    await stages.classify(turnAfter('Where is my order?', entries), context);
    await stages.classify(prepared('Where is my order?'), context);
    const [system, other] = provider.requests.map((request) => messageOf(request, 'system'));
    expect(system).toContain('"conversation" is what was said before');
    expect(other).toBe(system);
    const [told, alone] = provider.requests.map((request) => JSON.stringify(dataOf(request)));
    const shown = [...(told ?? '').matchAll(/(\d) x{400,}/g)];
    expect(shown.map(([, at]) => at)).toEqual(['3', '4', '5', '6', '7', '8']);
    for (const [text] of shown) expect(text.length).toBeLessThanOrEqual(500);
    expect(alone).not.toContain('conversation');
  });

  test('cannot take a number that only a reply names', async () => {
    await using provider = await startFakeProvider(planOf('find_parcel', { parcel: 'A-7788' }));
    const stages = await connectStages(provider.baseUrl);
    const reply = entryOf('service', 'Thank you. Another customer has the parcel A-7788.');
    const plan = async (entries: readonly ConversationEntry[]) => {
      const message = turnAfter('Where is that order?', entries);
      const { value } = await stages.classify(message, context);
      return stages.plan({ message, classification: value, hasTool: () => true }, context);
    };
    const refused = await plan([reply]);
    expect(refused).toMatchObject({ source: 'fallback', data: { reason: 'bad_plan' } });
    const allowed = await plan([entryOf('customer', 'I mean parcel A-7788.'), reply]);
    expect(allowed.value.toolCalls).toEqual([{ toolName: 'find_parcel', input: { parcel: 'A-7788' } }]);
  });

  test('cannot state what only the conversation says', async () => {
    await using provider = await startFakeProvider(planOf('check_order_status', {}));
    const stages = await connectStages(provider.baseUrl);
    const said = [entryOf('customer', 'Hello'), entryOf('service', 'It has the tracking code 99123.')];
    const input = { order_id: 'A-1234' };
    const outcome = outcomeOf('check_order_status', { ...input, status: 'shipped' }, input);
    const decision = await stages.respond(
      {
        message: turnAfter('Where is my order A-1234?', said),
        classification,
        outcomes: [outcome],
        verdict: { escalated: false, reasons: ['answerable'], disposition: 'answered', concerns: [] },
      },
      context,
    );
    expect(decision).toMatchObject({ source: 'fallback', data: { reason: 'unsafe_reply' } });
    expect(decision.value).not.toContain('99123');
  });

  test('completes an earlier wish, and is not asked for a plan while a person holds the conversation', async () => {
    await using provider = await startFakeProvider(planOf('check_order_status', {}));
    const stages = await connectStages(provider.baseUrl);
    const service: Orchestrator = createOrchestrator(defaultPorts({ stages }));
    for (const tool of exampleTools) service.tools.register(tool);
    const shared = { source: 'chat', customerId: 'c-1', conversationId: 'talk' };
    const message = turnAfter('A-1234', [
      { ...entryOf('customer', 'Where is my order?'), reasons: ['question_asked'] },
    ]);
    const { value } = await stages.classify(message, context);
    const plan = await stages.plan({ message, classification: value, hasTool: () => true }, context);
    expect(plan.value.toolCalls).toEqual([{ toolName: 'check_order_status', input: { order_id: 'A-1234' } }]);
    await service.messages.process({ ...shared, message: 'I want to talk to a human' });
    const before = provider.calls();
    const held = await service.messages.process({ ...shared, message: 'Where is my order A-1234?' });
    expect(held.disposition).toBe('escalated');
    expect(provider.calls() - before).toBe(1);
  });
});
