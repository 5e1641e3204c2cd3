// The tools of the example: the books of an invented shop, and its bank. They keep everything in memory.

import { defineTool, type Extension, ToolError } from 'orchestration-service/tools';
import { z } from 'zod';

const lineShape = z.object({ article: z.string(), amount: z.number() });
type Line = z.infer<typeof lineShape>;

interface Order {
  readonly customer: string;
  readonly account: string;
  readonly lines: readonly Line[];
}

const orders: Readonly<Record<string, Order>> = {
  'A-1': { customer: 'Kim', account: 'good', lines: [{ article: 'lamp', amount: 80 }] },
  'A-2': {
    customer: 'Noor',
    account: 'good',
    lines: [
      { article: 'desk', amount: 420 },
      { article: 'chair', amount: 180 },
    ],
  },
  'A-3': { customer: 'Sam', account: 'busy', lines: [{ article: 'lamp', amount: 80 }] },
  'A-4': { customer: 'Alex', account: 'empty', lines: [{ article: 'shelf', amount: 120 }] },
};

const extension: Extension = ({ tools }) => {
  /** The orders that are being booked, each with the key of the step that opened it. */
  const locks = new Map<string, string>();
  /** The bookings by their keys. A repeat with the same key gets the same answer. */
  const bookings = new Map<string, number>();
  const payments = new Map<string, number>();
  const busySignals = new Map<string, number>();

  tools.register(
    defineTool({
      name: 'open_order',
      description: 'Looks an order up, and locks it until it is closed.',
      effect: 'idempotent',
      input: z.object({ order_id: z.string() }),
      output: z.object({
        lock: z.string(),
        customer: z.string(),
        account: z.string(),
        lines: z.array(lineShape),
        total: z.number(),
      }),
      execute({ order_id }, { idempotencyKey }) {
        const order = orders[order_id];
        if (order === undefined) throw new ToolError(`there is no order ${order_id}`, { notFound: true });
        const lock = locks.get(order_id) ?? idempotencyKey;
        if (lock !== idempotencyKey)
          throw new ToolError(`order ${order_id} is being booked`, { permanent: true });
        locks.set(order_id, lock);
        const total = order.lines.reduce((sum, { amount }) => sum + amount, 0);
        return { lock, customer: order.customer, account: order.account, lines: [...order.lines], total };
      },
    }),
  );

  tools.register(
    defineTool({
      name: 'book_line',
      description: 'Books one line of an order, once for each key.',
      effect: 'idempotent',
      input: lineShape,
      output: z.object({ booking: z.string() }),
      execute({ amount }, { idempotencyKey }) {
        bookings.set(idempotencyKey, amount);
        return { booking: idempotencyKey };
      },
    }),
  );

  tools.register(
    defineTool({
      name: 'charge_bank',
      description: 'Takes an amount from an account, once for each key.',
      effect: 'idempotent',
      input: z.object({ account: z.string(), amount: z.number() }),
      output: z.object({ payment: z.string() }),
      execute({ account, amount }, { idempotencyKey }) {
        if (account === 'empty') throw new ToolError('the account has no money', { permanent: true });
        // This bank answers each payment from a busy account at the third attempt.
        const busy = (busySignals.get(idempotencyKey) ?? 0) + 1;
        busySignals.set(idempotencyKey, busy);
        if (account === 'busy' && busy < 3) throw new ToolError('the bank is busy');
        payments.set(idempotencyKey, amount);
        return { payment: idempotencyKey };
      },
    }),
  );

  tools.register(
    defineTool({
      name: 'close_order',
      description: 'Frees an order for others.',
      effect: 'idempotent',
      input: z.object({ lock: z.string() }),
      output: z.object({ closed: z.boolean() }),
      execute({ lock }) {
        for (const [orderId, held] of locks) if (held === lock) locks.delete(orderId);
        return { closed: true };
      },
    }),
  );
};

export default extension;
