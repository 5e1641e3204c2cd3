// The workflows of the demonstration, each of another shape.

import type { Definition } from '../client.ts';
import { findOrder, orderNumber } from './order.ts';

/** A list of lines, a bank that is busy, and a clean-up that always runs. */
export const order: Definition = {
  name: 'Demo: Book an order',
  description: 'Books each line, charges the customer, and frees the order whatever happened.',
  input_schema: { type: 'object', properties: { order_id: orderNumber }, required: ['order_id'] },
  steps: [
    findOrder,
    {
      id: 'book',
      tool_name: 'demo_book_line',
      depends_on: ['order'],
      foreach: { items: 'steps.order.lines', concurrency: 2 },
      static_input: { article: '${{ item.article }}', amount: '${{ item.amount }}' },
    },
    {
      id: 'charge',
      tool_name: 'demo_move_payment',
      depends_on: ['order', 'book'],
      retry: { max_attempts: 3, backoff_ms: 200, factor: 2, max_backoff_ms: 1_000 },
      static_input: { account: '$step.order.account', amount: '$step.order.total' },
    },
    {
      id: 'clean_up',
      tool_name: 'demo_release_order',
      depends_on: ['order', 'charge'],
      run_if: 'always',
      static_input: { order_id: '$input.order_id' },
    },
  ],
  output: {
    payment: '$step.charge.payment',
    bookings: '${{ steps.book.results.map(line, line.booking) }}',
  },
};

/** Takes some seconds, and may wait for a time. */
export const parcel: Definition = {
  name: 'Demo: Send a parcel',
  description: 'Picks, packs and labels a parcel, and ships it, not before a time if one is given.',
  input_schema: {
    type: 'object',
    properties: {
      order_id: orderNumber,
      seconds: { type: 'number', minimum: 0, maximum: 600, description: 'How long each task takes.' },
      not_before: { type: 'string', format: 'date-time' },
    },
    required: ['order_id', 'seconds'],
  },
  steps: [
    findOrder,
    ...['pick', 'pack', 'label', 'gift_wrap'].map((id) => ({
      id,
      tool_name: 'demo_work',
      depends_on: id === 'pick' ? ['order'] : ['pick'],
      ...(id === 'gift_wrap' ? { when: 'steps.order.total > 400' } : {}),
      static_input: { task: `${id} \${{ input.order_id }}`, seconds: '$input.seconds' },
    })),
    {
      id: 'van',
      kind: 'wait' as const,
      depends_on: ['pack', 'label', 'gift_wrap'],
      when: 'has(input.not_before)',
      until: 'input.not_before',
    },
    {
      id: 'ship',
      kind: 'agent' as const,
      agent_name: 'demo_warehouse',
      depends_on: ['pack', 'label', 'van'],
      static_input: { text: 'Ship order ${{ input.order_id }}' },
    },
  ],
  output: { parcel: '$step.ship.parcel' },
};

/** The child of {@link statements}. */
export const statement: Definition = {
  name: 'Demo: Statement of a customer',
  input_schema: {
    type: 'object',
    properties: { customer: { type: 'string' }, month: { type: 'string' } },
    required: ['customer', 'month'],
  },
  steps: [
    { id: 'account', tool_name: 'demo_read_account', static_input: { customer: '$input.customer' } },
    {
      id: 'send',
      tool_name: 'demo_send_letter',
      depends_on: ['account'],
      static_input: {
        to: '$step.account.address',
        text: 'Your balance of ${{ input.month }}: ${{ steps.account.balance }} EUR.',
        seconds: 0.1,
      },
    },
  ],
  output: { customer: '$input.customer', balance: '$step.account.balance' },
};

/** Runs `statement` for each customer, also when one fails. */
export function statements(statementId: string): Definition {
  return {
    name: 'Demo: Statements of a month',
    input_schema: {
      type: 'object',
      properties: {
        month: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$' },
        customers: { type: 'array', items: { type: 'string' }, maxItems: 50 },
      },
      required: ['month', 'customers'],
    },
    steps: [
      {
        id: 'statements',
        kind: 'workflow',
        workflow_id: statementId,
        foreach: { items: 'input.customers', concurrency: 4, on_item_error: 'continue' },
        static_input: { customer: '${{ item }}', month: '$input.month' },
      },
    ],
    output: {
      sent: '${{ steps.statements.count - steps.statements.failed }}',
      errors: '$step.statements.errors',
    },
  };
}

const systems = ['shop', 'bank', 'post', 'warehouse', 'archive', 'mail', 'search', 'prices'].flatMap((name) =>
  ['north', 'south', 'east', 'west', 'spare'].map((place) => `${name}-${place}`),
);

/** A wide one: forty checks at once, and a report. */
export const checks: Definition = {
  name: 'Demo: Nightly checks',
  description: 'Checks forty systems at the same time.',
  input_schema: {
    type: 'object',
    properties: { broken: { type: ['string', 'null'] } },
    required: ['broken'],
  },
  steps: [
    ...systems.map((system) => ({
      id: system,
      tool_name: 'demo_check_system',
      retry: { max_attempts: 2, backoff_ms: 50 },
      static_input: { system, broken: '$input.broken' },
    })),
    {
      id: 'report',
      kind: 'agent' as const,
      agent_name: 'echo',
      depends_on: systems,
      run_if: 'always' as const,
      static_input: { checked: systems.length },
    },
  ],
  output: { checked: systems.length },
};

const LAYERS = 30;
const WIDTH = 10;

/** A big one, of 300 steps in 30 layers. Each step needs two of the layer before. */
export const migration: Definition = {
  name: 'Demo: Move the archive',
  description: 'Copies 300 parts of an archive.',
  steps: Array.from({ length: LAYERS * WIDTH }, (_, index) => {
    const layer = Math.floor(index / WIDTH);
    const column = index % WIDTH;
    const before = [column, (column + 1) % WIDTH].map((place) => `part-${layer - 1}-${place}`);
    return {
      id: `part-${layer}-${column}`,
      tool_name: 'demo_copy_records',
      depends_on: layer === 0 ? [] : before,
      static_input: { part: `${layer}/${column}` },
    };
  }),
};

/** One step that may not be repeated, for runs whose process is lost. */
export const letter: Definition = {
  name: 'Demo: Tell a customer',
  description: 'Sends one letter, which cannot be taken back.',
  input_schema: {
    type: 'object',
    properties: { customer: { type: 'string' }, seconds: { type: 'number', minimum: 0, maximum: 600 } },
    required: ['customer', 'seconds'],
  },
  steps: [
    {
      id: 'mail',
      tool_name: 'demo_send_letter',
      static_input: { to: '$input.customer', text: 'Your parcel is on its way.', seconds: '$input.seconds' },
    },
  ],
  output: { sent_to: '$step.mail.sent_to' },
};
