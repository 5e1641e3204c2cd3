import { makeSyntheticTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';
import { type Request, UNIQUE_VALUE } from '../load/raw-http.ts';
import { sendJson } from '../load/send.ts';
import type { Server } from '../process/servers.ts';
import { type Dag, toDraft } from './dag.ts';

/** The message of workloads that repeat one message. */
export const sampleMessage = {
  source: 'email',
  customer_id: 'customer-42',
  message: 'I want a refund for my broken blender, please.',
};

/** A request that posts a message. */
export interface PostMessage extends Request {
  readonly body: typeof sampleMessage;
}

export const postMessage: PostMessage = { method: 'POST', path: '/messages', body: sampleMessage };

/** The same with another `Idempotency-Key` each time. */
export const postMessageOnce: Request = { ...postMessage, headers: { 'Idempotency-Key': UNIQUE_VALUE } };

/** Different synthetic customer messages, the same in every run. */
export function mixedMessages(count: number): PostMessage[] {
  return makeSyntheticTickets(1, count).map((ticket, number) => ({
    ...postMessage,
    body: { ...sampleMessage, customer_id: `customer-${number}`, message: ticket.message },
  }));
}

/** The message in the form of the core. */
export function toCustomerMessage(body: typeof sampleMessage): CustomerMessage {
  return { source: body.source, customerId: body.customer_id, message: body.message };
}

/** A goal of ten subtasks for the `echo` agent. */
export const routeTenSubtasks: Request = {
  method: 'POST',
  path: '/agents/route',
  body: {
    goal: 'Measure ten subtasks',
    subtasks: Array.from({ length: 10 }, (_, number) => ({ agent_name: 'echo', payload: { number } })),
  },
};

/** Creates a workflow whose steps call `refund_policy`, and returns the request that runs it. */
export async function createRunRequest(service: Server, dag: Dag): Promise<Request> {
  const { name, steps } = toDraft(dag, 'refund_policy');
  const body = {
    name,
    steps: steps.map(({ id, dependsOn }) => ({ id, tool_name: 'refund_policy', depends_on: dependsOn })),
  };
  const { id } = await sendJson<{ id: string }>(service, { method: 'POST', path: '/workflows', body });
  return { method: 'POST', path: `/workflows/${id}/run`, body: {} };
}

/** Sends a request and returns the response. Rejects unless its status is `completed`. */
export async function sendAndExpectCompleted<Shape extends { readonly status: string }>(
  service: Server,
  request: Request,
): Promise<Shape> {
  const reply = await sendJson<Shape>(service, request);
  if (reply.status.toLowerCase() === 'completed') return reply;
  throw new Error(`${request.method} ${request.path} ended as ${reply.status}`);
}

/** Fills the store of traces in memory to its capacity. */
export async function fillTraces(service: Server, headers: Request['headers'] = {}): Promise<void> {
  const messages = mixedMessages(100).map(({ body }) => body);
  for (let batch = 0; batch < 101; batch++) {
    await sendJson(service, { method: 'POST', path: '/messages/batch', body: { messages }, headers });
  }
}
