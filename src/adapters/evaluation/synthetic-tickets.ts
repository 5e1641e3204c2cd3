import { intents } from '../../domain/message.ts';
import type { MakeTickets } from '../../ports/tickets.ts';
import { inSomeManner } from './manners.ts';
import { type Chance, createChance } from './random.ts';
import { fillings, wishes } from './wishes.ts';

/**
 * Synthetic customer messages, every intent as often as the next (decisions, section 6). They are written apart
 * from the classifier's rules and say what people say around their wish, so a score over them can fall.
 */
export const makeSyntheticTickets: MakeTickets = (seed, size) => {
  const chance = createChance(seed);
  return Array.from({ length: size }, () => {
    const intent = chance.pick(intents);
    const texts = wishes
      .filter((wish) => wish.intent === intent)
      .flatMap((wish) => wish.texts.map((text) => ({ text, wish })));
    const { text, wish } = chance.pick(texts);
    return {
      message: inSomeManner(filled(text, chance), chance),
      expectedIntent: intent,
      expectedTools: wish.tools,
      expectedEscalated: wish.escalated,
    };
  });
};

function filled(text: string, chance: Chance): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => chance.pick(fillings[name] ?? [name]));
}
