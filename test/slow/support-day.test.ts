import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createRandom } from '../../src/adapters/evaluation/random.ts';
import { intents } from '../../src/domain/message/message.ts';
import { root } from '../support/docs/pages.ts';
import { runToEnd, startService } from '../support/process/service.ts';

/** A message of the day, and how a person would judge it. */
interface DayMessage {
  readonly text: string;
  /** The customer's intent; undefined where it is none. */
  readonly intent: string | undefined;
  /** True where a person has to see it. */
  readonly needsPerson: boolean;
}

/** The events of a day. */
interface DayReport {
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
async function runSupportDay(baseUrl: string, messages: readonly DayMessage[]): Promise<DayReport> {
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

/** The messages of the day, and those that the figures are measured on. */
const OF_THE_DAY = 300;
const HELD_OUT = 100;

const ownText = z.object({ text: z.string(), intents: z.array(z.string()), person: z.boolean() });
const judgedText = z.object({ text: z.string(), intent: z.string().nullish(), expect: z.string() });

const examplesPage = z.object({
  examples: z.array(z.object({ example_id: z.string(), intent: z.string() })),
  next_cursor: z.string().nullable(),
});

/**
 * Messages with a person's judgement: those of the file that SUPPORT_DAY_MESSAGES names, with `text`, `intent` and
 * `expect` a line, else the texts that the built-in model was trained on.
 */
async function readMessages(): Promise<readonly DayMessage[]> {
  const file = process.env['SUPPORT_DAY_MESSAGES'];
  if (file !== undefined) {
    return (await linesOf(file)).map((line) => {
      const { text, intent, expect: wanted } = judgedText.parse(line);
      return { text, intent: intent ?? undefined, needsPerson: wanted === 'escalate' };
    });
  }
  const folder = join(root, 'training/texts');
  const files = (await readdir(folder)).sort().map((name) => join(folder, name));
  const lines = (await Promise.all(files.map(linesOf))).flat();
  return lines.map((line) => {
    const { text, intents: wishes, person } = ownText.parse(line);
    return { text, intent: wishes[0], needsPerson: person };
  });
}

async function linesOf(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8');
  return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
}

/** A cell of CSV. */
function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The messages in another order, which is always the same; each text once. */
function shuffle(messages: readonly DayMessage[]): readonly DayMessage[] {
  const random = createRandom(7);
  const once = [...new Map(messages.map((message) => [message.text, message])).values()];
  return once
    .map((message) => ({ message, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ message }) => message);
}

test('a day of a support team becomes test data and a classifier', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'support-day-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const known: readonly string[] = intents;
  const usable = shuffle(await readMessages()).filter(
    ({ intent }) => intent === undefined || known.includes(intent),
  );
  const day = usable.slice(0, OF_THE_DAY);
  const heldOut = usable
    .slice(OF_THE_DAY)
    .filter(({ intent }) => intent !== undefined)
    .slice(0, HELD_OUT);
  const settings = { TRACE_BACKEND: 'sqlite', SQLITE_PATH: path('day.db'), RATE_LIMIT_REQUESTS: '1000000' };
  const service = await startService(settings);
  onTestFinished(service.stop);
  const { baseUrl } = service;
  const get = async (at: string, accept = 'application/json') =>
    fetch(`${baseUrl}${at}`, { headers: { accept } });
  const post = async (at: string, body: unknown) =>
    fetch(`${baseUrl}${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const report = await runSupportDay(baseUrl, day);

  const resolved = [...report.resolvedBy.values()].flat();
  expect(report.refused).toBe(0);
  expect(new Set(resolved).size).toBe(resolved.length);
  expect(new Set(resolved)).toEqual(report.items);
  const { items } = z.object({ items: z.array(z.unknown()) }).parse(await (await get('/inbox')).json());
  expect(items).toEqual([]);

  const examples: { example_id: string; intent: string }[] = [];
  const proposed = '/datasets/inbox/examples?status=proposed&limit=200';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response = await get(cursor === '' ? proposed : `${proposed}&cursor=${cursor}`);
    const page: z.output<typeof examplesPage> = examplesPage.parse(await response.json());
    examples.push(...page.examples);
    cursor = page.next_cursor;
  }
  // Messages without an intent that anybody knows give no example.
  expect(examples.length).toBeGreaterThan(resolved.length / 2);
  const byIntent = Map.groupBy(examples, ({ intent }) => intent);
  let accepted = 0;
  for (const { example_id: id, intent } of examples) {
    // A classifier cannot learn an intent from one message.
    const isEnough = (byIntent.get(intent)?.length ?? 0) > 1;
    const decision = isEnough ? 'accept' : 'reject';
    expect((await post(`/datasets/inbox/examples/${id}/${decision}`, { by: 'lead' })).status).toBe(200);
    if (isEnough) accepted += 1;
  }

  const before = z
    .object({
      classification_accuracy: z.number(),
      escalation_accuracy: z.number(),
      total_tickets: z.number(),
    })
    .parse(await (await post('/evaluation', { dataset_id: 'inbox' })).json());
  expect(before.total_tickets).toBe(accepted);

  const exported = await (await get('/datasets/inbox/examples', 'text/csv')).text();
  expect(exported).toMatch(/^message,intent,/);
  // A message that was answered without a person is no example of the inbox: it comes from the records of the team.
  const answered = day.flatMap(({ text, intent }) =>
    intent === undefined || exported.includes(csvCell(text))
      ? []
      : [`${csvCell(text)},${csvCell(intent)},,,\r\n`],
  );
  await writeFile(path('tickets.csv'), exported + answered.join(''));
  const tickets = heldOut.map(({ text, intent, needsPerson }) =>
    JSON.stringify({ message: text, expected_intent: intent, expected_escalated: needsPerson }),
  );
  await writeFile(path('held-out.jsonl'), tickets.join('\n'));

  const trained = await runToEnd({}, folder, ['train', 'tickets.csv', '--out', 'model.json']);
  expect(trained.code, trained.stderr).toBe(0);
  const evaluated = [];
  for (const model of [[], ['--model', 'model.json']]) {
    const args = ['evaluate', ...model, '--tickets', 'held-out.jsonl'];
    evaluated.push(await runToEnd({}, folder, args));
  }
  expect(evaluated.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  if (process.env['SUPPORT_DAY_MESSAGES'] !== undefined) {
    const figures = { dispositions: report.dispositions, items: report.items.size, joined: report.joined };
    const reports = [trained, ...evaluated].map(({ stdout }) => stdout);
    process.stdout.write(`${JSON.stringify({ ...figures, before })}\n${reports.join('\n')}\n`);
  }
});
