import { describe, expect, test } from 'vitest';
import { logEvents } from '../src/adapters/logging/log-events.ts';
import { createLogger } from '../src/adapters/logging/logger.ts';
import { createRuleBasedStages } from '../src/adapters/rule-based.ts';
import { createIds, systemClock } from '../src/adapters/shared/system.ts';
import { checkOrderStatus } from '../src/adapters/tools/check-order-status.ts';
import { defineTool } from '../src/adapters/tools/define-tool.ts';
import { FAILURE_REPLY } from './support/failure-reply.ts';
import { settle } from './support/fake-clock.ts';
import { createTestApp, jsonOf } from './support/http/app.ts';

const COUNT = 1_000;
const BATCH = 10;

/** The unique order id of a message. Every seventh order does not exist. */
const canary = (index: number) => `${index % 7 === 0 ? 'missing' : 'C'}-${String(1_000 + index)}`;

const canariesIn = (value: unknown) => [...new Set(JSON.stringify(value).match(/(?:missing|C)-\d{4}/g))];

/** The example tool with a delay, in which messages overtake each other, and a log line. */
const slowOrderStatus = defineTool({
  ...checkOrderStatus,
  input: checkOrderStatus.input,
  async execute(input, context) {
    const { order_id } = input as { order_id: string };
    for (let turn = Number(order_id.slice(-1)); turn > 0; turn--) await settle();
    context.logger.info('looking for an order', { order_id });
    return checkOrderStatus.execute(input, context);
  },
});

/** The transport of a message: ten messages share a batch or a route, or are sent alone. */
const transportOf = (index: number) => (['batch', 'route', 'alone'] as const)[Math.floor(index / BATCH) % 3];

/** The number in the request id of a message. */
const requestNumberOf = (index: number) => (transportOf(index) === 'alone' ? index : index - (index % BATCH));

interface MessageResponse {
  readonly trace_id: string;
  readonly status: string;
  readonly response: string;
}

type Line = Readonly<Record<string, unknown>>;

/** The app with the stages, clock and ids of the service, and its log lines. */
function createServiceApp() {
  const lines: Line[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const logger = createLogger({ level: 'debug', destination: { write, flush: () => Promise.resolve() } });
  const ports = {
    logger,
    clock: systemClock,
    newId: createIds(),
    events: logEvents(logger),
    stages: createRuleBasedStages({ escalationThreshold: 0.45 }),
  };
  return { lines, ...createTestApp({ ports, tools: [slowOrderStatus], http: { newId: ports.newId } }) };
}

const messageOf = (index: number) => ({
  customer_id: `customer of ${canary(index)}`,
  message: `Where is my order ${canary(index)}? It should be here by now.`,
});

/** Sends ten messages, and returns their responses. The request id has the number of the first message. */
async function sendTen(
  { post }: ReturnType<typeof createServiceApp>,
  first: number,
): Promise<MessageResponse[]> {
  const indices = Array.from({ length: BATCH }, (_, offset) => first + offset);
  const headers = (index: number) => ({ 'X-Request-Id': `request-${index}` });
  const checked = (reply: Response, index: number): Response => {
    expect(reply.headers.get('x-request-id')).toBe(`request-${index}`);
    return reply;
  };
  if (transportOf(first) === 'batch') {
    const body = { messages: indices.map(messageOf) };
    const reply = checked(await post('/messages/batch', body, headers(first)), first);
    return (await jsonOf<{ results: MessageResponse[] }>(reply)).results;
  }
  if (transportOf(first) === 'route') {
    const subtasks = indices.map((index) => ({ agent_name: 'support_pipeline', payload: messageOf(index) }));
    const reply = checked(await post('/agents/route', { goal: 'answer', subtasks }, headers(first)), first);
    return (await jsonOf<{ results: Subtask[] }>(reply)).results.map(responseOf);
  }
  const replies = indices.map(async (index) => {
    const reply = checked(await post('/messages', messageOf(index), headers(index)), index);
    const answer = await jsonOf<MessageResponse & Record<string, unknown>>(reply);
    expect(reply.headers.get('x-trace-id')).toBe(answer.trace_id);
    return answer;
  });
  return Promise.all(replies);
}

interface Subtask {
  readonly output: MessageResponse | null;
  readonly error: string | null;
}

/** The message response of a subtask. A failed subtask has the trace id in its error. */
function responseOf({ output, error }: Subtask): MessageResponse {
  if (output !== null) return output;
  const [, traceId = ''] = /\(trace ([\da-f-]{36})\)$/.exec(error ?? '') ?? [];
  return { trace_id: traceId, status: 'FAILED', response: FAILURE_REPLY };
}

/** The trace id of a line. The lines of a failed agent have it in their texts. */
function traceIdOf(line: Line): string {
  const [, traceId = ''] = /\(trace ([\da-f-]{36})\)/.exec(JSON.stringify(line)) ?? [];
  return String(line['trace_id'] ?? traceId);
}

describe('a thousand concurrent messages over HTTP', () => {
  test('do not mix their responses, traces and log lines', async () => {
    const app = createServiceApp();
    const firsts = Array.from({ length: COUNT / BATCH }, (_, batch) => batch * BATCH);
    const answers = (await Promise.all(firsts.map((first) => sendTen(app, first)))).flat();
    const own = answers.map((_, index) => canary(index));
    const isMissing = (index: number) => index % 7 === 0;

    expect(answers).toHaveLength(COUNT);
    expect(new Set(answers.map(({ trace_id }) => trace_id)).size).toBe(COUNT);
    expect(answers.map(canariesIn)).toEqual(own.map((one) => [one]));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
    const isNotFound = ({ response }: MessageResponse) => response.includes('We cannot find an order');
    expect(answers.map(isNotFound)).toEqual(own.map((_, index) => isMissing(index)));

    const traces = await Promise.all(
      answers.map(async ({ trace_id }) => jsonOf(await app.request(`/trace/${trace_id}`))),
    );
    expect(traces.map(canariesIn)).toEqual(own.map((one) => [one]));
    expect(traces.map(({ trace_id, response }) => ({ trace_id, response }))).toEqual(
      answers.map(({ trace_id, response }) => ({ trace_id, response })),
    );

    const indexOf = new Map(answers.map(({ trace_id }, index) => [trace_id, index]));
    const mixedUp = app.lines.filter((line) => {
      const index = indexOf.get(traceIdOf(line));
      if (index === undefined) return canariesIn(line).length > 0;
      const { request_id, ...fields } = line;
      const isOwn = canariesIn(fields).every((found) => found === canary(index));
      return !isOwn || request_id !== `request-${requestNumberOf(index)}`;
    });
    expect(mixedUp).toEqual([]);
    const requests = app.lines.filter(
      ({ msg, request_id }) => msg === 'request' && String(request_id).startsWith('request-'),
    );
    // The line of a request has a trace id only if the request had a single message.
    expect(new Map(requests.map(({ request_id, trace_id }) => [request_id, trace_id]))).toEqual(
      new Map(
        answers.map(({ trace_id }, index) => [
          `request-${requestNumberOf(index)}`,
          transportOf(index) === 'alone' ? trace_id : undefined,
        ]),
      ),
    );
    const traced = (text: string) =>
      app.lines.filter(({ msg }) => msg === text).map((line) => String(line['trace_id']));
    const ids = answers.map(({ trace_id }) => trace_id);
    expect(traced('looking for an order').sort()).toEqual([...ids].sort());
    expect(traced('message finished').sort()).toEqual([...ids].sort());
    expect(traced('tool executed').sort()).toEqual([...ids].sort());
    expect(traced('tool failed')).toEqual([]);
  });
});
