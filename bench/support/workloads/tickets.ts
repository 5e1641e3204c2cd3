import type { LabeledTicket } from '../../../src/adapters/classifier/tickets.ts';
import { createRandom } from '../../../src/lib/learning/learner.ts';

const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu'.split(' ');

/**
 * Made-up tickets of as many intents as banking77 has, of about as many words. Each intent has words of its own, that
 * other intents share in part, among words that all have.
 */
export function makeTickets(count: number, intents: number, seed: number): readonly LabeledTicket[] {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(random() * list.length)];
    if (item === undefined) throw new RangeError('the list is empty');
    return item;
  };
  const word = (): string =>
    Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(syllables)).join('');
  const common = Array.from({ length: 400 }, word);
  const special = Array.from({ length: 600 }, word);
  const ofIntent = Array.from({ length: intents }, () => Array.from({ length: 12 }, () => pick(special)));
  return Array.from({ length: count }, (_, at) => {
    const own = ofIntent[at % intents] ?? special;
    const length = 6 + Math.floor(random() * 12);
    const words = Array.from({ length }, () => (random() < 0.3 ? pick(own) : pick(common)));
    return { message: `${words.join(' ')} ${at}?`, intent: `intent_${at % intents}`, line: at + 2 };
  });
}
