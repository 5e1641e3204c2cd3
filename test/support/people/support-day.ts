import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** A message of the day, and how a person would judge it. */
export interface DayMessage {
  readonly text: string;
  /** The customer's intent; undefined where it is none. */
  readonly intent: string | undefined;
  /** True where a person has to see it. */
  readonly needsPerson: boolean;
}

/** The events of a day. */
export interface DayReport {
  /** The number of messages by their dispositions. */
  readonly dispositions: Readonly<Record<string, number>>;
  /** The ids of the items that each worker resolved. */
  readonly resolvedBy: ReadonlyMap<string, readonly string[]>;
  /** Items that somebody else had resolved, or had, when a worker resolved them. */
  readonly refused: number;
  /** The ids of the items that messages belong to, each once. */
  readonly items: ReadonlySet<string>;
  /** Messages that joined an item that waited. */
  readonly joined: number;
}

const replySchema = z.object({
  trace_id: z.string(),
  disposition: z.string(),
  response: z.string(),
  item_id: z.string().nullable(),
});
const itemSchema = z.object({ trace: z.object({ metadata: z.object({ number: z.string() }) }) });

/** The number of conversations that write at the same time, and of people who answer. */
const CONVERSATIONS = 8;
const WORKERS = 5;

/**
 * A day of a support team: customers write in conversations of one to four messages, one after the other, while workers
 * take items, answer them, and say what was right. Ends when all messages were sent and nothing waits any more.
 */
export async function runSupportDay(baseUrl: string, messages: readonly DayMessage[]): Promise<DayReport> {
  const dispositions: Record<string, number> = {};
  const items = new Set<string>();
  const resolvedBy = new Map<string, string[]>();
  let joined = 0;
  let refused = 0;
  let isOver = false;

  async function post(path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async function converse(conversation: Conversation): Promise<void> {
    for (const [number, { text }] of conversation.messages) {
      const response = await post('/messages', {
        source: 'chat',
        customer_id: `customer-${conversation.number}`,
        conversation_id: `conversation-${conversation.number}`,
        message: text,
        // Secrets are masked in the stored text, so that it does not tell which message it is.
        metadata: { number: String(number) },
      });
      if (response.status !== 200) throw new Error(`a message was answered with ${response.status}`);
      const { disposition, item_id } = replySchema.parse(await response.json());
      dispositions[disposition] = (dispositions[disposition] ?? 0) + 1;
      if (item_id !== null) {
        if (items.has(item_id)) joined += 1;
        items.add(item_id);
      }
    }
  }

  async function work(by: string): Promise<void> {
    const own: string[] = [];
    resolvedBy.set(by, own);
    for (;;) {
      const response = await post('/inbox/next', { by });
      if (response.status === 204) {
        if (isOver) return;
        await sleep(5);
        continue;
      }
      const { item_id } = z.object({ item_id: z.string() }).parse(await response.json());
      const { trace } = itemSchema.parse(await (await fetch(`${baseUrl}/inbox/${item_id}`)).json());
      const label = messages[Number(trace.metadata.number)];
      if (label === undefined) throw new Error('an item is about a message that nobody has sent');
      const resolved = await post(`/inbox/${item_id}/resolve`, {
        by,
        outcome: 'answered',
        response: `This is ${by}: we have looked into it.`,
        intent: label.intent,
        escalation_right: label.needsPerson,
      });
      if (resolved.status === 200) own.push(item_id);
      else refused += 1;
    }
  }

  const waiting = toConversations(messages);
  const writing = Array.from({ length: CONVERSATIONS }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await converse(next);
  });
  const working = Array.from({ length: WORKERS }, (_, index) => work(`worker-${index + 1}`));
  await Promise.all(writing).finally(() => {
    isOver = true;
  });
  await Promise.all(working);
  return { dispositions, resolvedBy, refused, items, joined };
}

interface Conversation {
  readonly number: number;
  /** With their places among all messages. */
  readonly messages: readonly (readonly [number, DayMessage])[];
}

/** Conversations of 1, 2, 3, 4, 1, 2 … messages. */
function toConversations(messages: readonly DayMessage[]): Conversation[] {
  const conversations: Conversation[] = [];
  for (let from = 0; from < messages.length; ) {
    const number = conversations.length + 1;
    const length = (number % 4) + 1;
    conversations.push({ number, messages: [...messages.entries()].slice(from, from + length) });
    from += length;
  }
  return conversations;
}
