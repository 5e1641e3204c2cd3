import type { Request } from '../load/raw-http.ts';
import { repeatToLength, ticketText } from './text.ts';

/** The longest message or goal, in characters. */
export const MAX_MESSAGE_LENGTH = 32_768;

/** The largest part of a body, in bytes: 1 MiB in all, less what surrounds it. */
export const MAX_PAYLOAD_BYTES = 1_024 * 1_024 - 1_024;

/** A request of the largest size that is valid. */
export interface LargeInput {
  readonly name: string;
  readonly request: Request;
}

const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body });

const messageBody = (message: string) => ({ customer_id: 'customer-42', message });

/** The largest messages, batches and evaluations. */
export function largestMessages(): LargeInput[] {
  const message = (text: string) => post('/messages', messageBody(text));
  return [
    { name: 'message of 32,768 characters of text', request: message(ticketText(MAX_MESSAGE_LENGTH)) },
    { name: 'message of 32,768 letters', request: message(repeatToLength('x', MAX_MESSAGE_LENGTH)) },
    { name: 'message of 16,384 words', request: message(repeatToLength('a b c d ', MAX_MESSAGE_LENGTH)) },
    { name: 'message of 16,384 full stops', request: message(repeatToLength('. ', MAX_MESSAGE_LENGTH)) },
    {
      name: 'message in a body of 1 MiB',
      request: post('/messages', {
        ...messageBody('Where is my order A-1234?'),
        ignored: repeatToLength('x', MAX_PAYLOAD_BYTES),
      }),
    },
    { name: 'batch of 31 messages of 32,768 characters', request: postBatch(31, MAX_MESSAGE_LENGTH) },
    { name: 'batch of 100 messages of 10,240 characters', request: postBatch(100, 10_240) },
    { name: 'evaluation of 5,000 tickets', request: post('/evaluation', { size: 5_000 }) },
  ];
}

/** A batch of `count` messages. */
export function postBatch(count: number, characters: number): Request {
  return post('/messages/batch', {
    messages: Array.from({ length: count }, () => messageBody(ticketText(characters))),
  });
}

/** The largest routed goals. */
export function largestGoals(): LargeInput[] {
  const route = (agent: string, payload: object) =>
    post('/agents/route', { goal: 'Largest', subtasks: [{ agent_name: agent, payload }] });
  const clauses = repeatToLength('Summarize the text; then echo it. ', MAX_MESSAGE_LENGTH);
  const pipelines = Array.from({ length: 100 }, () => ({
    agent_name: 'support_pipeline',
    payload: { message: ticketText(10_000) },
  }));
  const zeros = new Array<number>(MAX_PAYLOAD_BYTES / 2).fill(0);
  const keys = Object.fromEntries(Array.from({ length: 80_000 }, (_, key) => [`k${key}`, 0]));
  return [
    { name: 'goal of 32,768 characters to decompose', request: post('/agents/route', { goal: clauses }) },
    // Such a large number makes the service search all of them for infinite ones.
    {
      name: '1 MiB of JSON 64 levels deep',
      request: route('echo', { deep: createDeepJson(), great: 1e300 }),
    },
    { name: '1 MiB of single digits', request: route('echo', { zeros }) },
    { name: 'object of 80,000 keys', request: route('echo', keys) },
    {
      name: '1 MiB of text to summarize',
      request: route('summary', { text: ticketText(MAX_PAYLOAD_BYTES) }),
    },
    {
      name: '1 MiB of one-letter sentences to summarize',
      request: route('summary', { text: repeatToLength('A. B? ', MAX_PAYLOAD_BYTES) }),
    },
    {
      name: '100 subtasks for the pipeline, 10,000 characters each',
      request: post('/agents/route', { goal: 'Largest', subtasks: pipelines }),
    },
  ];
}

/**
 * Lists at the maximum depth of 64, of which the body, `subtasks`, the subtask, its payload and the outer list use
 * five.
 */
function createDeepJson(): unknown {
  const one = `${'['.repeat(59)}${']'.repeat(59)}`;
  const many = new Array<string>(Math.floor(MAX_PAYLOAD_BYTES / (one.length + 1))).fill(one);
  return JSON.parse(`[${many.join()}]`);
}
