import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../src/lib/json/json.ts';
import { assessed, fits } from './support/llm/fake-model.ts';
import { type FakeProvider, messageOf, purposeOf, startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose } from './support/llm/provider-replies.ts';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

/** Two tools for workflows, and one that the extension itself gives to messages. */
const extension = `
export const playbook = { message_tools: ['shop_news'] };
const accepts = { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({ type: 'object' }) };
const tool = (name, output) => ({ name, description: name, input: accepts, effect: 'read', execute: () => output });
export default ({ tools }) => {
  tools.register(tool('list_arrivals', { guests: 'Ada Lovelace, Alan Turing' }));
  tools.register(tool('shop_news', { news: 'We are closed on Monday.' }));
};
`;

const call = (tool_name: string) => ({ tool_name, input: {} });

let folder: string;
let provider: FakeProvider;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'message-tools-'));
  await writeFile(join(folder, 'hotel.mjs'), extension);
  provider = await startFakeProvider(byPurpose(decide(call('list_arrivals'))));
  service = await startService({
    EXTENSIONS: join(folder, 'hotel.mjs'),
    LLM_API_KEY: 'key',
    LLM_BASE_URL: provider.baseUrl,
    LLM_MAX_RETRIES: '0',
  });
});

afterAll(async () => {
  await service.stop();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** A model that plans this call. */
function decide(planned: JsonObject) {
  return {
    classifier: assessed('order_status', { tool_calls: [planned] }),
    responder: { reply: 'We have looked for your order.', used: [], left_open: [] },
    verifier: fits,
    decomposer: { subtasks: [{ agent_name: 'support_pipeline', text: 'Where is my order A-1234?' }] },
  };
}

interface Trace {
  readonly tool_calls: readonly { readonly tool_name: string }[];
  readonly response: string;
}

async function traces(): Promise<readonly Trace[]> {
  const { traces: listed } = await bodyOf<{ traces: readonly { trace_id: string }[] }>(
    await fetch(`${service.baseUrl}/trace/?limit=100`),
  );
  return Promise.all(
    listed.map(async ({ trace_id }) => bodyOf<Trace>(await fetch(`${service.baseUrl}/trace/${trace_id}`))),
  );
}

const prompts = () =>
  provider.requests
    .filter((request) => request.path.endsWith('/chat/completions') && purposeOf(request) === 'classifier')
    .map((request) => messageOf(request, 'system'));

describe('a tool for workflows beside a hostile model', () => {
  const text = 'Where is my order A-1234?';

  test('is reached by no message, batch, conversation or goal', async () => {
    const { baseUrl } = service;
    const asked = { customer_id: 'stranger', message: text };
    await postJson(`${baseUrl}/messages`, asked);
    await postJson(`${baseUrl}/messages/batch`, { messages: [asked, asked] });
    await postJson(`${baseUrl}/messages`, { ...asked, conversation_id: 'c-1' });
    await postJson(`${baseUrl}/messages`, { ...asked, conversation_id: 'c-1', message: 'And order B-7788?' });
    const goal = await bodyOf(await postJson(`${baseUrl}/agents/route`, { goal: `Support: ${text}` }));
    const all = await traces();
    expect(all).toHaveLength(6);
    expect(all.flatMap(({ tool_calls }) => tool_calls.map(({ tool_name }) => tool_name))).not.toContain(
      'list_arrivals',
    );
    expect(goal).toMatchObject({ status: 'completed' });
    expect(JSON.stringify([goal, all, provider.requests.map(({ body }) => body)])).not.toContain('Lovelace');
    expect(prompts().length).toBeGreaterThan(0);
    for (const prompt of prompts()) {
      expect(prompt).not.toContain('list_arrivals');
      expect(prompt).toContain('shop_news');
      // The playbook states all of its input: there is nothing for a model to choose.
      expect(prompt).not.toContain('check_order_status');
    }
  });

  test('is called by a workflow', async () => {
    const { baseUrl } = service;
    const { id } = await bodyOf<{ id: string }>(
      await postJson(`${baseUrl}/workflows`, {
        name: 'Nightly',
        steps: [{ id: 'arrivals', tool_name: 'list_arrivals' }],
      }),
    );
    const run = await bodyOf(await postJson(`${baseUrl}/workflows/${id}/run`, { input: {} }));
    expect(run).toMatchObject({ status: 'COMPLETED' });
    expect(JSON.stringify(run)).toContain('Lovelace');
  });

  test('leaves a tool that an extension gives to messages within reach, beside that of the intent', async () => {
    provider.follow(byPurpose(decide(call('shop_news'))));
    const reply = await bodyOf<{ trace_id: string }>(
      await postJson(`${service.baseUrl}/messages`, { customer_id: 'c-2', message: text }),
    );
    const trace = await bodyOf<Trace>(await fetch(`${service.baseUrl}/trace/${reply.trace_id}`));
    expect(trace.tool_calls.map(({ tool_name }) => tool_name)).toEqual(['check_order_status', 'shop_news']);
  });
});
