import { createRandom } from '../../../src/lib/learning/learner.ts';

/** The sentences of made-up tickets, by intent. */
const topics: Readonly<Record<string, readonly (readonly string[])[]>> = {
  repair_status: [
    ['how far is', 'is it ready yet,', 'when do I get back', 'any news about'],
    ['my bike', 'the repair', 'job WJ-20113', 'the wheel you repair'],
  ],
  lost_key: [
    ['I lost', 'my son dropped', 'somebody stole', 'I cannot find'],
    ['the key', 'both keys of the lock', 'my spare key', 'the key ring'],
  ],
  opening_hours: [
    ['when do you open', 'are you open', 'until when is the shop open', 'what are your hours'],
    ['on Sunday', 'tomorrow morning', 'at Christmas', 'in the evening'],
  ],
  buy_bike: [
    ['I want to buy', 'do you sell', 'how much is', 'can I test'],
    ['a touring bike', 'an electric bike', 'a bicycle for children', 'the new racing bike'],
  ],
  bad_brake: [
    ['the brake', 'my front brake', 'the disc brake', 'one of the brakes'],
    ['squeaks', 'does not hold', 'rubs on the rim', 'came loose'],
  ],
  invoice_copy: [
    ['please send me', 'I need', 'where can I find', 'could you mail'],
    ['a copy of the invoice', 'the bill for May', 'my last invoice', 'an invoice with VAT'],
  ],
};

const endings = ['', '!', '?', ' please', ' thanks', ', urgent', ' and soon', ' for my wife'];

/** A made-up ticket. */
export interface MadeUpTicket {
  readonly message: string;
  readonly intent: string;
}

/** So many different tickets of each of six intents; the same ones for the same seed. */
export function makeTickets(perIntent: number, seed = 1): readonly MadeUpTicket[] {
  const random = createRandom(seed);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  return Object.entries(topics).flatMap(([intent, parts]) => {
    const messages = new Set<string>();
    while (messages.size < perIntent) {
      messages.add(`${parts.map(pick).join(' ')}${pick(endings)}${pick(endings)}`);
    }
    return [...messages].map((message) => ({ message, intent }));
  });
}

/** Tickets as CSV. */
export function toCsv(tickets: readonly MadeUpTicket[]): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  return ['message,intent', ...tickets.map(({ message, intent }) => `${quoted(message)},${intent}`), ''].join(
    '\n',
  );
}
