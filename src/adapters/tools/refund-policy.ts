import { z } from 'zod';
import type { JsonObject } from '../../lib/json/json.ts';
import { defineTool } from './define-tool.ts';

const refundReasons = ['change_of_mind', 'damaged', 'wrong_item', 'not_received'] as const;

/** The policy for each reason. */
const policies = {
  change_of_mind: {
    policy:
      'You can return any unused item within 30 days of delivery for a full refund. The refund goes back to the way you paid, within 5 to 10 working days after we have received the item. Return shipping is free with the label from your account.',
    window_days: 30,
    refund_method: 'original_payment_method',
  },
  damaged: {
    policy:
      'If an item arrives damaged or stops working, tell us within 60 days of delivery and we will refund it in full or replace it, whichever you prefer. You do not have to pay for sending it back.',
    window_days: 60,
    refund_method: 'original_payment_method',
  },
  wrong_item: {
    policy:
      'If you received something else than you ordered, tell us within 60 days of delivery. We will collect it free of charge and send the right item or refund you in full.',
    window_days: 60,
    refund_method: 'original_payment_method',
  },
  not_received: {
    policy:
      'If your order has not arrived 14 days after the promised date, we will look for it with the carrier and refund you in full when it cannot be found.',
    window_days: 14,
    refund_method: 'original_payment_method',
  },
} as const satisfies Record<(typeof refundReasons)[number], JsonObject>;

/** Returns the refund policy of a generic shop; the general one without a reason. */
export const refundPolicy = defineTool({
  name: 'refund_policy',
  description:
    'Returns how refunds and returns work: the policy, within how many days, and how the money comes back.',
  effect: 'read',
  input: z.object({
    reason: z
      .enum(refundReasons)
      .optional()
      .describe('Why the customer wants a refund; a change of mind when absent.'),
  }),
  output: z.object({
    policy: z.string().describe('The policy, for customers.'),
    window_days: z.int().min(1).describe('Within how many days it applies.'),
    refund_method: z.literal('original_payment_method').describe('How the money comes back.'),
  }),
  execute: ({ reason }) => policies[reason ?? 'change_of_mind'],
});
