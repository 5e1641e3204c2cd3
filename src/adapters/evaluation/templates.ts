import type { Wish } from './template.ts';
import { dealingWishes } from './templates-accounts.ts';
import { talkWishes } from './templates-conversation.ts';
import { orderWishes } from './templates-orders.ts';

/**
 * What the tickets are made from. It was written without the classifier's rules at hand, and no phrase of three words
 * or more stands in both. It stays a measure only while the rules are not fitted to it: who works on them is better
 * served by examples of their own.
 */
export const wishes: readonly Wish[] = [...orderWishes, ...dealingWishes, ...talkWishes];

/** What the places in the texts are filled with. */
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
