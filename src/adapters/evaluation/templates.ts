import type { TicketTemplate } from './template.ts';
import { accountTemplates } from './templates-accounts.ts';
import { conversationTemplates } from './templates-conversation.ts';
import { orderTemplates } from './templates-orders.ts';

/**
 * The templates of synthetic tickets. They were written independently of the classifier's rules and share no phrase of
 * three words or more with them. Do not tune the rules on them: they would no longer measure anything.
 */
export const templates: readonly TicketTemplate[] = [
  ...orderTemplates,
  ...accountTemplates,
  ...conversationTemplates,
];

/** The values of the placeholders in the texts. */
export const fillings: Readonly<Record<string, readonly string[]>> = {
  item: [
    'kettle',
    'rucksack',
    'desk lamp',
    'pair of trainers',
    'coffee grinder',
    'raincoat',
    'headset',
    'armchair',
  ],
  amount: ['£20', '$49.99', '35 euros', '120 dollars'],
  day: ['last Tuesday', 'yesterday', 'on Friday', 'two weeks ago', 'this morning'],
  place: ['Norway', 'New Zealand', 'Toronto', 'Northern Ireland', 'Lisbon'],
  order: ['48213', '#77120', 'B-20931', 'ORD-5518', '900417'],
};
