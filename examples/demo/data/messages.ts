// Makes messages of made-up customers.

import type { Message } from '../client.ts';
import type { Random } from './random.ts';
import { conversations, days, products, sources, type TextKind, texts } from './texts.ts';

/** The frequency of each kind, among a hundred or so. */
const weights: Readonly<Record<TextKind, number>> = {
  order: 18,
  order_without_number: 6,
  order_missing: 2,
  order_broken: 2,
  refund: 10,
  shipping: 8,
  billing: 8,
  account: 8,
  technical: 5,
  change: 6,
  gift_card: 4,
  thanks: 4,
  spam: 3,
  automatic: 3,
  human: 2,
  upset: 2,
  legal: 1,
  privacy: 1,
  injury: 0.5,
  fraud: 1,
  vulnerable: 0.5,
  press: 0.3,
  vague: 2,
  foreign: 3,
};

const kinds = Object.keys(texts).filter((name): name is TextKind => name in texts);
const allWeights = kinds.reduce((sum, kind) => sum + weights[kind], 0);

/** The number of messages in a hundred that a person sees before they are sent. */
const DRAFTS = 2;

/** Chooses a kind by its weight. */
function pickKind({ next }: Random): TextKind {
  let left = next() * allWeights;
  for (const kind of kinds) {
    left -= weights[kind];
    if (left < 0) return kind;
  }
  return 'order';
}

/** Fills the places of a text. */
function fill(text: string, random: Random): string {
  const letter = random.pick(['A', 'B', 'C', 'D']);
  const digits = String(random.whole(1_000, 9_999));
  return text
    .replaceAll('{order}', `${letter}-${digits}`)
    .replaceAll('{digits}', digits)
    .replaceAll('{product}', random.pick(products))
    .replaceAll('{day}', random.pick(days));
}

/** A message of a kind, of a customer from `demo-100` to `demo-179`; of one that is drawn when no kind is given. */
export function makeMessage(random: Random, kind: TextKind = pickKind(random)): Message {
  const source = random.pick(sources);
  const message = fill(random.pick(texts[kind]), random);
  const isDraft = random.whole(1, 100) <= DRAFTS;
  return {
    source,
    customer_id: `demo-${random.whole(100, 179)}`,
    message,
    ...(source === 'email' ? { subject: subjects[kind] ?? 'A question' } : {}),
    ...(source === 'api' ? { metadata: { campaign: 'demo', shop: random.pick(['north', 'south']) } } : {}),
    ...(isDraft ? { draft: true } : {}),
  };
}

/** Messages of one customer in one conversation, in their order. `id` makes the names of both. */
export function makeConversation(random: Random, id: number): readonly Message[] {
  const turns = random.pick(conversations);
  const common = {
    source: random.pick(['chat', 'email']),
    customer_id: `demo-${200 + (id % 100)}`,
    conversation_id: `demo-conversation-${id}`,
  };
  return turns.map((text) => ({ ...common, message: fill(text, random) }));
}

const subjects: Partial<Record<TextKind, string>> = {
  order: 'My order',
  order_without_number: 'Delivery',
  order_broken: 'My order',
  refund: 'Return',
  shipping: 'Delivery',
  billing: 'Invoice',
  account: 'My account',
  technical: 'It does not work',
  legal: 'Last warning',
  privacy: 'My data',
  injury: 'Accident',
  press: 'Request of the press',
};
