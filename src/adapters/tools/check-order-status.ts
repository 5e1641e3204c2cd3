import { z } from 'zod';
import { ToolError } from '../../domain/tool-error.ts';
import { defineTool } from './define-tool.ts';

const carriers = ['DHL', 'UPS', 'FedEx', 'DPD'] as const;

interface Progress {
  readonly status: string;
  /** The days until delivery, from and to. */
  readonly minDays: number;
  readonly maxDays: number;
}

/** The states of an order. */
const progress: readonly [Progress, ...Progress[]] = [
  { status: 'processing', minDays: 4, maxDays: 7 },
  { status: 'packed', minDays: 3, maxDays: 5 },
  { status: 'shipped', minDays: 2, maxDays: 4 },
  { status: 'in_transit', minDays: 1, maxDays: 3 },
  { status: 'out_for_delivery', minDays: 0, maxDays: 1 },
  { status: 'delivered', minDays: 0, maxDays: 0 },
];

/** Looks up an order of a fictional shop: the status depends only on the id. */
export const checkOrderStatus = defineTool({
  name: 'check_order_status',
  description: 'Looks up how far an order is: its status, its carrier and in how many days it should arrive.',
  effect: 'read',
  input: z.object({
    order_id: z.string().trim().min(1).max(64).describe('The id of the order, for example A-1234.'),
  }),
  fromMessage: ['order_id'],
  output: z.object({
    order_id: z.string().describe('The id as it was given.'),
    status: z.enum(progress.map(({ status }) => status)),
    carrier: z.enum(carriers),
    eta_days: z.int().min(0).describe('The days until delivery.'),
  }),
  execute: ({ order_id }) => {
    if (order_id.toLowerCase().startsWith('missing')) {
      throw new ToolError(`order ${JSON.stringify(order_id)} not found`, { notFound: true });
    }
    const hash = hashOf(order_id);
    const { status, minDays, maxDays } = pick(progress, hash);
    return {
      order_id,
      status,
      carrier: pick(carriers, hash >>> 8),
      eta_days: minDays + ((hash >>> 16) % (maxDays - minDays + 1)),
    };
  },
});

function pick<T>(choices: readonly [T, ...T[]], hash: number): T {
  return choices[hash % choices.length] ?? choices[0];
}

/** FNV-1a over the text's code units, as an unsigned number of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // Mixes the last characters into all bits, so that similar ids have different hashes.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
