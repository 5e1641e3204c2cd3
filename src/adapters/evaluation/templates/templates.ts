import type { Random } from '../random.ts';
import { accountTemplates } from './accounts.ts';
import { automaticTemplates } from './automatic.ts';
import { harmTemplates } from './concerns-harm.ts';
import { lawTemplates } from './concerns-law.ts';
import { peopleTemplates } from './concerns-people.ts';
import { conversationTemplates } from './conversation.ts';
import { humanTemplates, smallTalkTemplates, twoWishTemplates, unresolvedTemplates } from './exchanges.ts';
import { languageTemplates } from './languages.ts';
import { nearMissTemplates } from './near-misses.ts';
import { orderTemplates } from './orders.ts';
import type { TicketTemplate } from './template.ts';

/** The templates of ordinary wishes, of every intent. */
export const wishTemplates: readonly TicketTemplate[] = [
  ...orderTemplates,
  ...accountTemplates,
  ...conversationTemplates,
];

/** The templates of concerns, of every kind. */
export const concernTemplates: readonly TicketTemplate[] = [
  ...harmTemplates,
  ...lawTemplates,
  ...peopleTemplates,
];

/**
 * All templates of synthetic tickets. They were written independently of the classifier's rules and of the texts that
 * its model is trained on. Do not tune on them: they would no longer measure anything.
 */
export const templates: readonly TicketTemplate[] = [
  ...wishTemplates,
  ...concernTemplates,
  ...nearMissTemplates,
  ...automaticTemplates,
  ...languageTemplates,
  ...twoWishTemplates,
  ...smallTalkTemplates,
  ...unresolvedTemplates,
  ...humanTemplates,
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
  date: ['04.03.', '12.03.', '19.03.', '02.04.', '11.04.', '30.04.'],
  person: ['Jo Becker', 'Maya Singh', 'Paul Okoro', 'Ines Duarte', 'Tom Reilly', 'Li Wei'],
  firm: ['brightdesk', 'northgate', 'kline-partner', 'delmar', 'ostrava-trade'],
  mailbox: [
    'j.becker@mail.example',
    'maya@post.example',
    'orders@delmar.example',
    'paul.okoro@inbox.example',
  ],
};

/** Fills in the placeholders of a text. */
export function fillTemplate(text: string, random: Random): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const values = fillings[name];
    return values === undefined ? placeholder : random.pick(values);
  });
}
