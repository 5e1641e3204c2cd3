import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResult, runLoad } from '../support/load/generator.ts';
import type { Request } from '../support/load/raw-http.ts';
import { sendJson } from '../support/load/send.ts';
import { type Server, startService } from '../support/process/servers.ts';
import type { Section } from '../support/report/section.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../support/report/target.ts';

/** Milliseconds until the provider answers a call. */
const DELAY_MS = 300;

/** Messages at once, as many as the service has calls of the model at once. */
const AT_ONCE = 32;

/** The most tokens of a message beside the part of its prompts that is the same for all messages. */
const MAX_TOKENS = 900;

export const llm: Section = {
  name: 'llm',
  title: 'Messages with a language model',
  async measure(quick) {
    await using provider = await startProvider();
    await using withModel = await startService({
      LLM_API_KEY: 'a-key-of-the-benchmarks',
      LLM_BASE_URL: provider.baseUrl,
    });
    await using without = await startService();
    const targets: TargetResult[] = [];
    const rows: string[][] = [];
    for (const workload of workloads) {
      const { name, maxCalls } = workload;
      const used = await usageOf(withModel, workload);
      const calls = atMost(`${name} message, calls`, used.calls, maxCalls);
      const tokens = atMost(`${name} message, tokens beside the same prompt`, used.fresh, MAX_TOKENS);
      targets.push(calls, tokens);
      const times = await measureMessage(withModel, workload, {
        messages: quick ? 15 : 100,
        ms: quick ? 3_000 : 20_000,
      });
      const plain = await measureMessage(without, workload, { messages: quick ? 500 : 5_000, ms: 1_000 });
      const usage = [used.calls, used.input, used.fresh, used.output].map(integer);
      rows.push([
        ...[`${name}, with a model`, ...usage, ...timesOf(times)],
        decimal(times.alone.p50Ms - used.calls * DELAY_MS, 1),
        [calls, tokens].map(targetCell).join('; '),
      ]);
      rows.push([
        ...[`${name}, without`, '0', '0', '0', '0', ...timesOf(plain)],
        ...[decimal(plain.alone.p50Ms, 1), ''],
      ]);
    }
    return { targets, blocks: [explanation, markdownTable(head, rows, ['target'])] };
  },
};

const explanation = `\`POST /messages\` of a service whose provider of a language model answers each call after ${DELAY_MS} ms, and of the same service without a model; log in a file, traces in memory. Latencies are those of one message at a time, the rate that of ${AT_ONCE} at once. The provider counts four characters as a token, and the instructions, which are the same for all messages, as cached.`;

const head = [
  'Message',
  'calls',
  'tokens in',
  'of them not cached',
  'tokens out',
  'p50 ms',
  'p99 ms',
  'per second',
  'CPU ms a message',
  'p50 ms without the provider',
  'target',
];

/** A message, with the reply of the model to each kind of call about it. */
interface Workload {
  readonly name: string;
  readonly request: Request;
  readonly disposition: string;
  readonly maxCalls: number;
  readonly replies: Readonly<Record<string, object>>;
}

/** The reply of a model that says this of a message, and nothing else. */
function assessed(intent: string, concerns: readonly object[], toolCalls: readonly object[]): object {
  return {
    intent,
    other_intents: [],
    concerns,
    person: { needed: false, reason: 'none' },
    language: 'en',
    entities: {},
    missing: [],
    tool_calls: toolCalls,
    sure: 'certain',
  };
}

function messageRequest(message: string): Request {
  return {
    method: 'POST',
    path: '/messages',
    body: { source: 'email', customer_id: 'customer-42', message },
  };
}

const workloads: readonly Workload[] = [
  {
    name: 'answered',
    request: messageRequest('I want a refund for my broken blender, please.'),
    disposition: 'answered',
    maxCalls: 3,
    replies: {
      classifier: assessed('refund', [], [{ tool_name: 'refund_policy', input: {} }]),
      responder: {
        reply: 'Thank you for your message. We are sorry that the blender is broken.',
        used: ['c1'],
        left_open: [],
      },
      verifier: { fits: true, unsupported: [], unanswered: [] },
    },
  },
  {
    name: 'escalated',
    request: messageRequest('You billed me twice and nobody answers. Fix it or my lawyer will.'),
    disposition: 'escalated',
    maxCalls: 1,
    replies: { classifier: assessed('billing', [{ name: 'legal', words: 'my lawyer will' }], []) },
  },
];

/** The replies to calls that no workload should need: they decide nothing. */
const otherReplies: Readonly<Record<string, object>> = {
  second_look: { raised: false, words: '' },
  decomposer: { subtasks: [], unassigned: [] },
};

/** The use of the model's calls for one message. `fresh` are the tokens of the input that were not cached. */
interface Usage {
  readonly calls: number;
  readonly input: number;
  readonly fresh: number;
  readonly output: number;
}

/** Sends the message once, and reads what it used. Rejects where it ends in another way than its workload wants. */
async function usageOf(service: Server, { name, request, disposition }: Workload): Promise<Usage> {
  const { trace_id } = await sendJson<{ trace_id: string }>(service, request);
  const trace = await sendJson<Trace>(service, { method: 'GET', path: `/trace/${trace_id}` });
  const isByModel = trace.agent_decisions.every(({ source }) => source !== 'fallback');
  if (trace.disposition !== disposition || !isByModel) {
    const summaries = trace.agent_decisions.map(({ summary }) => summary).join(' ');
    throw new Error(`the message to be ${name} was ${trace.disposition}: ${summaries}`);
  }
  const sum = (read: (data: StageData) => number | undefined): number =>
    trace.agent_decisions.reduce((total, { data }) => total + (read(data) ?? 0), 0);
  const input = sum(({ tokens }) => tokens?.input);
  return {
    calls: sum(({ calls }) => calls),
    input,
    fresh: input - sum(({ tokens }) => tokens?.cached_input),
    output: sum(({ tokens }) => tokens?.output),
  };
}

interface StageData {
  readonly calls?: number;
  readonly tokens?: { readonly input: number; readonly cached_input: number; readonly output: number };
}

interface Trace {
  readonly disposition: string;
  readonly agent_decisions: readonly {
    readonly source: string;
    readonly summary: string;
    readonly data: StageData;
  }[];
}

/** The times of a message alone and of many at once, with the CPU time of the service for one of these. */
interface MessageTimes {
  readonly alone: LoadResult;
  readonly atOnce: LoadResult;
  readonly cpuMs: number;
}

/** Measures one message at a time, and then many at once; rejects where one of them fails. */
async function measureMessage(
  server: Server,
  { name, request }: Workload,
  { messages, ms }: { readonly messages: number; readonly ms: number },
): Promise<MessageTimes> {
  // The first of them let V8 compile what is used.
  await runLoad(server.port, [request], { connections: AT_ONCE, ms: 1_000 });
  const alone = await runLoad(server.port, [request], { connections: 1, requests: messages });
  const before = await server.cpuMs();
  const atOnce = await runLoad(server.port, [request], { connections: AT_ONCE, ms });
  const cpuMs = ((await server.cpuMs()) - before) / atOnce.requests;
  const failures = alone.failures + atOnce.failures;
  if (failures > 0) throw new Error(`${failures} requests of the ${name} message failed`);
  return { alone, atOnce, cpuMs };
}

function timesOf({ alone, atOnce, cpuMs }: MessageTimes): readonly string[] {
  return [decimal(alone.p50Ms, 1), decimal(alone.p99Ms, 1), integer(atOnce.perSecond), decimal(cpuMs, 2)];
}

/** A provider on the loopback interface. */
interface Provider extends AsyncDisposable {
  /** The value for `LLM_BASE_URL`. */
  readonly baseUrl: string;
}

/** Starts a provider in this process: it waits most of the time. */
async function startProvider(): Promise<Provider> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const answer = request.url?.endsWith('/chat/completions')
      ? complete(JSON.parse(body) as Completion)
      : { object: 'list', data: [] };
    if (body !== '') await sleep(DELAY_MS);
    response.writeHead(answer === undefined ? 400 : 200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(answer ?? { error: { message: 'nothing is known about this', type: 'error' } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The part of a request to the provider that is read. */
interface Completion {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly response_format?: { readonly json_schema?: { readonly name: string } };
}

/** The completion with the reply of the workload whose message the request has; undefined where there is none. */
function complete({ messages, response_format }: Completion): object | undefined {
  const purpose = response_format?.json_schema?.name ?? '';
  const texts = messages.map(({ content }) =>
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  const last = texts.at(-1) ?? '';
  const workload = workloads.find(({ request }) => last.includes(textOf(request)));
  const reply = workload?.replies[purpose] ?? otherReplies[purpose];
  if (reply === undefined) return undefined;
  const content = JSON.stringify(reply);
  const prompt_tokens = tokensIn(texts.join(''));
  const completion_tokens = tokensIn(content);
  return {
    id: 'completion',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens: tokensIn(texts.slice(0, -1).join('')) },
    },
  };
}

function textOf({ body }: Request): string {
  return (body as { readonly message: string }).message;
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}
