// The tools of the demonstration: an invented shop with its orders, its bank, its post and its warehouse. What a call
// returns, how long it takes and whether it fails depends on its input alone, and on which attempt it is.

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool, ToolError } from '../../../src/entries/tools.ts';

/** A number from 0 to `below` - 1 that is always the same for the same text. */
export function numberOf(text: string, below: number): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 8) % below;
}

const line = z.object({ article: z.string(), amount: z.number() });
const done = z.object({ done: z.string() });
const orderId = z.string().min(1).max(64).describe('The number of the order, such as A-1234.');

/** The account of an order, which decides what the bank does: `busy` answers at the third attempt, `closed` never. */
const accounts = ['good', 'good', 'good', 'good', 'busy', 'closed'] as const;
const articles = [
  'desk lamp',
  'oak shelf',
  'kettle',
  'office chair',
  'rain jacket',
  'coffee grinder',
] as const;
const states = ['processing', 'packed', 'shipped', 'in_transit', 'out_for_delivery', 'delivered'] as const;

/** Takes the place of the example tool with this name. Order numbers with E are those of a system that is away. */
const checkOrderStatus = defineTool({
  name: 'check_order_status',
  description: 'Demo: looks up where an order is.',
  effect: 'read',
  retry: { maxAttempts: 2, backoffMs: 20, factor: 2, maxBackoffMs: 50 },
  input: z.object({ order_id: orderId }),
  output: z.object({ order_id: z.string(), status: z.enum(states), carrier: z.string(), eta_days: z.int() }),
  async execute({ order_id }, { signal }) {
    await sleep(5 + numberOf(order_id, 60), undefined, { signal });
    if (/^E-/i.test(order_id)) throw new ToolError('the order system does not answer');
    if (/^missing/i.test(order_id)) throw new ToolError(`there is no order ${order_id}`, { notFound: true });
    const status = states[numberOf(order_id, states.length)] ?? 'processing';
    return { order_id, status, carrier: 'Demo Post', eta_days: 1 + numberOf(order_id, 5) };
  },
});

const findOrder = defineTool({
  name: 'demo_find_order',
  description: 'Demo: returns the lines of an order, its total and its account.',
  effect: 'read',
  input: z.object({ order_id: orderId }),
  output: z.object({
    customer: z.string(),
    account: z.enum(accounts),
    lines: z.array(line),
    total: z.number(),
  }),
  async execute({ order_id }, { signal }) {
    await sleep(10 + numberOf(order_id, 80), undefined, { signal });
    if (order_id.startsWith('missing'))
      throw new ToolError(`there is no order ${order_id}`, { notFound: true });
    const lines = Array.from({ length: 1 + numberOf(order_id, 4) }, (_, index) => ({
      article: articles[numberOf(`${order_id}/${index}`, articles.length)] ?? articles[0],
      amount: 20 + 10 * numberOf(`${index}/${order_id}`, 30),
    }));
    const account = /-(busy|closed)$/.exec(order_id)?.[1] ?? 'good';
    return {
      customer: `demo-${100 + numberOf(order_id, 80)}`,
      account: accounts.find((known) => known === account) ?? 'good',
      lines,
      total: lines.reduce((sum, { amount }) => sum + amount, 0),
    };
  },
});

const rateRisk = defineTool({
  name: 'demo_rate_risk',
  description: 'Demo: says how likely a refund is a fraud, from 0 to 100.',
  effect: 'read',
  input: z.object({ customer: z.string(), amount: z.number() }),
  output: z.object({ risk: z.int().min(0).max(100) }),
  async execute({ customer, amount }, { signal }) {
    await sleep(80 + numberOf(customer, 200), undefined, { signal });
    return { risk: numberOf(`${customer}/${amount}`, 60) };
  },
});

const bookLine = defineTool({
  name: 'demo_book_line',
  description: 'Demo: books one line of an order, once for each key.',
  effect: 'idempotent',
  input: line,
  output: z.object({ booking: z.string() }),
  async execute({ article }, { idempotencyKey, signal }) {
    await sleep(20 + numberOf(article, 60), undefined, { signal });
    return { booking: `B-${numberOf(idempotencyKey, 1_000_000)}` };
  },
});

const movePayment = defineTool({
  name: 'demo_move_payment',
  description: 'Demo: takes or gives back an amount, once for each key.',
  effect: 'idempotent',
  input: z.object({ account: z.enum(accounts), amount: z.number() }),
  output: z.object({ payment: z.string() }),
  async execute({ account }, { attempt, idempotencyKey, signal }) {
    await sleep(60, undefined, { signal });
    if (account === 'closed') throw new ToolError('the account is closed', { permanent: true });
    if (account === 'busy' && attempt < 3) throw new ToolError('the bank is busy');
    return { payment: `P-${numberOf(idempotencyKey, 1_000_000)}` };
  },
});

const releaseOrder = defineTool({
  name: 'demo_release_order',
  description: 'Demo: frees an order for others. Harmless when repeated.',
  effect: 'idempotent',
  input: z.object({ order_id: orderId }),
  output: done,
  execute: ({ order_id }) => ({ done: order_id }),
});

const readAccount = defineTool({
  name: 'demo_read_account',
  description: 'Demo: returns the address and the balance of a customer.',
  effect: 'read',
  input: z.object({ customer: z.string() }),
  output: z.object({ address: z.string().nullable(), balance: z.number() }),
  async execute({ customer }, { signal }) {
    await sleep(10 + numberOf(customer, 40), undefined, { signal });
    const address = customer.endsWith('-moved') ? null : `${customer}@example.com`;
    return { address, balance: numberOf(customer, 400) - 100 };
  },
});

const sendLetter = defineTool({
  name: 'demo_send_letter',
  description: 'Demo: sends a letter. Each call sends one more.',
  effect: 'write',
  timeoutMs: 600_000,
  input: z.object({
    to: z.string().nullable(),
    text: z.string().max(500),
    seconds: z.number().min(0).max(600),
  }),
  output: z.object({ sent_to: z.string() }),
  async execute({ to, seconds }, { signal }) {
    if (to === null) throw new ToolError('the customer has no address', { permanent: true });
    await sleep(seconds * 1_000, undefined, { signal });
    return { sent_to: to };
  },
});

const work = defineTool({
  name: 'demo_work',
  description: 'Demo: does a task in the warehouse, which takes some seconds.',
  effect: 'idempotent',
  timeoutMs: 600_000,
  input: z.object({ task: z.string(), seconds: z.number().min(0).max(600) }),
  output: done,
  async execute({ task, seconds }, { signal }) {
    await sleep(seconds * 1_000, undefined, { signal });
    return { done: task };
  },
});

/** Fails for the system that the input calls broken. */
const checkSystem = defineTool({
  name: 'demo_check_system',
  description: 'Demo: checks one system of the shop.',
  effect: 'read',
  input: z.object({ system: z.string(), broken: z.string().nullable() }),
  output: z.object({ system: z.string(), latency_ms: z.int() }),
  async execute({ system, broken }, { signal }) {
    const latency = 5 + numberOf(system, 90);
    await sleep(latency, undefined, { signal });
    if (system === broken) throw new ToolError(`${system} does not answer`);
    return { system, latency_ms: latency };
  },
});

const copyRecords = defineTool({
  name: 'demo_copy_records',
  description: 'Demo: copies a part of the records to their new place.',
  effect: 'idempotent',
  input: z.object({ part: z.string() }),
  output: z.object({ part: z.string(), records: z.int() }),
  execute: ({ part }) => ({ part, records: 100 + numberOf(part, 900) }),
});

/** All of them. */
export const tools = [
  ...[checkOrderStatus, findOrder, rateRisk, bookLine, movePayment, releaseOrder],
  ...[readAccount, sendLetter, work, checkSystem, copyRecords],
];
