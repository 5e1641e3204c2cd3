import { z } from 'zod';
import { ToolError } from '../../domain/tool-error.ts';
import { defineTool } from './define-tool.ts';

const carriers = ['DHL', 'UPS', 'FedEx', 'DPD'] as const;

interface Progress {
  readonly status: string;
  /** Days within which the order is then due. */
  readonly soonest: number;
  readonly latest: number;
}

/** How far an order may be. */
const stages: readonly [Progress, ...Progress[]] = [
  { status: 'processing', soonest: 4, latest: 7 },
  { status: 'packed', soonest: 3, latest: 5 },
  { status: 'shipped', soonest: 2, latest: 4 },
  { status: 'in_transit', soonest: 1, latest: 3 },
  { status: 'out_for_delivery', soonest: 0, latest: 1 },
  { status: 'delivered', soonest: 0, latest: 0 },
];

/** Looks up an order of a shop that exists only here: the same id always has the same status. */
export const checkOrderStatus = defineTool({
  name: 'check_order_status',
  description: 'Looks up how far an order is: its status, its carrier and in how many days it should arrive.',
  effect: 'read',
  input: z.object({
    order_id: z.string().trim().min(1).max(64).describe('The id of the order, for example A-1234.'),
  }),
  execute: ({ order_id }) => {
    if (order_id.toLowerCase().startsWith('missing')) {
      throw new ToolError(`order ${JSON.stringify(order_id)} not found`, { permanent: true });
    }
    const hash = hashOf(order_id);
    const { status, soonest, latest } = pick(stages, hash);
    return {
      order_id,
      status,
      carrier: pick(carriers, hash >>> 8),
      eta_days: soonest + ((hash >>> 16) % (latest - soonest + 1)),
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
  // The last steps spread the final characters over all bits, so that neighbouring ids differ in more than a few.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
