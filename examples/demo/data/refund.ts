// The refund of the demonstration, in three versions.

import type { Definition } from '../client.ts';
import { findOrder, orderNumber } from './order.ts';

const refundInput = {
  type: 'object',
  properties: { order_id: orderNumber, amount: { type: 'number', minimum: 1, maximum: 2_000 } },
  required: ['order_id', 'amount'],
  additionalProperties: false,
};

const payBack = {
  id: 'pay',
  tool_name: 'demo_move_payment',
  static_input: { account: '$step.order.account', amount: '$input.amount' },
};

/** The first version of the refund. */
export const firstRefund: Definition = {
  name: 'Demo: Refund',
  description: 'Gives money back.',
  input_schema: refundInput,
  steps: [findOrder, { ...payBack, depends_on: ['order'] }],
  output: { payment: '$step.pay.payment' },
};

/** The second and the third version: at which amounts somebody is asked has changed twice. */
export const laterRefunds: readonly Definition[] = [
  {
    name: 'Demo: Refund',
    description: 'Gives money back. Somebody looks at amounts above 500.',
    input_schema: refundInput,
    steps: [
      findOrder,
      {
        id: 'approve',
        kind: 'approval',
        depends_on: ['order'],
        when: 'input.amount > 500',
        title: 'Demo: refund ${{ input.amount }} EUR for order ${{ input.order_id }}',
        payload: { customer: '$step.order.customer', lines: '$step.order.lines' },
      },
      { ...payBack, depends_on: ['order', 'approve'], retry: { max_attempts: 3 } },
    ],
    output: { payment: '$step.pay.payment' },
  },
  {
    name: 'Demo: Refund',
    description: 'Gives money back. Somebody looks at amounts above 200, and at those that may be a fraud.',
    input_schema: refundInput,
    timeout_ms: 86_400_000,
    steps: [
      findOrder,
      {
        id: 'risk',
        tool_name: 'demo_rate_risk',
        depends_on: ['order'],
        timeout_ms: 2_000,
        on_error: { output: { risk: 100 } },
        static_input: { customer: '$step.order.customer', amount: '$input.amount' },
      },
      {
        id: 'approve',
        kind: 'approval',
        depends_on: ['order', 'risk'],
        when: 'input.amount > 200 || steps.risk.risk > 80',
        title: 'Demo: refund ${{ input.amount }} EUR for order ${{ input.order_id }}',
        payload: {
          customer: '$step.order.customer',
          risk: '$step.risk.risk',
          lines: '$step.order.lines',
          amount: '$input.amount',
        },
        response_schema: {
          type: 'object',
          properties: { reason: { type: 'string', enum: ['goodwill', 'warranty', 'mistake'] } },
          required: ['reason'],
        },
        expires_in_ms: 43_200_000,
      },
      {
        ...payBack,
        depends_on: ['order', 'approve'],
        retry: { max_attempts: 4, backoff_ms: 300, factor: 2, max_backoff_ms: 2_000 },
      },
      {
        id: 'letter',
        tool_name: 'demo_send_letter',
        depends_on: ['order', 'pay'],
        on_error: 'continue',
        static_input: {
          to: '$step.order.customer',
          text: 'We have sent ${{ input.amount }} EUR back to you.',
          seconds: 0.2,
        },
      },
    ],
    output: {
      payment: '$step.pay.payment',
      approved_by: '${{ has(steps.approve) ? steps.approve.decided_by : null }}',
    },
  },
];
