// The extension of the demonstration: tools and agents of an invented shop, and what it adds to the built-in playbook.

import type { PlaybookAdditions } from '../../src/entries/playbook.ts';
import { type Extension, ToolError } from '../../src/entries/tools.ts';
import { numberOf, tools } from './shop/tools.ts';

/** Items are overdue after minutes, so that a visitor sees some; a gift card has an intent of its own. */
export const playbook: PlaybookAdditions = {
  company: { name: 'Demo Shop', signature: 'The made-up people of the Demo Shop' },
  sla: { 1: '1m', 2: '3m', 3: '6m', 4: '15m', 5: '1h' },
  intents: [
    {
      name: 'gift_card',
      description: 'Asks about gift cards.',
      examples: [
        'Do you sell gift cards?',
        'How long is a gift card valid?',
        'Can I pay with a gift card and a credit card together?',
      ],
      replies: {
        en: 'Gift cards of the Demo Shop come in any amount from 10 to 250, by mail or as a PDF. They are valid for three years, and can be combined with every other way to pay.',
      },
    },
  ],
};

const extension: Extension = ({ tools: registry, agents }) => {
  for (const tool of tools) registry.register(tool);

  agents.register({
    name: 'demo_billing',
    description: 'Demo: answers questions about invoices and payments.',
    keywords: ['invoice', 'payment', 'bill', 'charge'],
    effect: 'read',
    handle: ({ payload }) => ({ invoice: `I-${numberOf(String(payload['text']), 100_000)}`, paid: true }),
  });

  agents.register({
    name: 'demo_warehouse',
    description: 'Demo: packs and ships.',
    keywords: ['pack', 'ship', 'warehouse', 'stock'],
    effect: 'idempotent',
    handle: ({ payload }) => ({ parcel: `Z-${numberOf(String(payload['text']), 100_000)}`, shelf: 7 }),
  });

  agents.register({
    name: 'demo_carrier',
    description: 'Demo: books a van. It never drives on Sundays.',
    keywords: ['van', 'pickup', 'courier'],
    effect: 'idempotent',
    handle({ payload }) {
      if (/sunday/i.test(String(payload['text']))) throw new ToolError('no van drives on a Sunday');
      return { van: 1 + numberOf(String(payload['text']), 9) };
    },
  });
};

export default extension;
