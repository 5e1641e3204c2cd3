import { type Intent, intents } from '../../domain/message/message.ts';
import type { MakeTickets } from '../../ports/tickets.ts';
import { afterthought, inSomeManner } from './noise.ts';
import { type Chance, createChance } from './random.ts';
import type { Wish } from './template.ts';
import { fillings, wishes } from './templates.ts';

/** A text with the wish that it belongs to. */
interface Worded {
  readonly text: string;
  readonly wish: Wish;
}

const byIntent: ReadonlyMap<Intent, readonly Worded[]> = new Map(
  intents.map((intent) => [
    intent,
    wishes
      .filter((wish) => wish.intent === intent)
      .flatMap((wish) => wish.texts.map((text) => ({ text, wish }))),
  ]),
);

/** Intents that people come to speak of after another; the rest is said first, or alone. */
const second: readonly Intent[] = ['shipping', 'billing', 'account', 'subscription', 'general_question'];

/** How many say a second wish behind their first. */
const SECOND_WISHES = 0.08;

/**
 * Synthetic customer messages, every intent as often as the next (decisions, section 6). They are written apart
 * from the classifier's rules and say what people say around their wish, so a score over them can fall. Where a
 * message bears two wishes, the first is the one that it ought to be read as.
 */
export const makeSyntheticTickets: MakeTickets = (seed, size) => {
  const chance = createChance(seed);
  return Array.from({ length: size }, () => {
    const intent = chance.pick(intents);
    const { text, wish } = chance.pick(byIntent.get(intent) ?? []);
    let said = inSomeManner(filled(text, chance), chance);
    if (intent !== 'spam' && chance.flip(SECOND_WISHES)) {
      const other = chance.pick(byIntent.get(chance.pick(second)) ?? []);
      said = afterthought(said, filled(other.text, chance), chance);
    }
    return {
      message: said,
      expectedIntent: intent,
      expectedTools: wish.tools,
      expectedEscalated: wish.escalated,
    };
  });
};

function filled(text: string, chance: Chance): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => chance.pick(fillings[name] ?? [name]));
}
