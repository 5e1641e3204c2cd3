import { type Intent, intents } from '../../domain/message/message.ts';
import type { MakeTickets } from '../../ports/tickets.ts';
import { addNoise, appendRequest } from './noise.ts';
import { createRandom, type Random } from './random.ts';
import type { TicketTemplate } from './template.ts';
import { fillings, templates } from './templates.ts';

/** A text and the template that it belongs to. */
interface TemplateText {
  readonly text: string;
  readonly template: TicketTemplate;
}

const textsByIntent: ReadonlyMap<Intent, readonly TemplateText[]> = new Map(
  intents.map((intent) => [intent, textsOf(intent)]),
);

/** The intents of requests that customers add to another one. */
const secondIntents: readonly Intent[] = [
  'shipping',
  'billing',
  'account',
  'subscription',
  'general_question',
];

/** The share of tickets with a second request. */
const SECOND_REQUEST_SHARE = 0.08;

/**
 * Creates synthetic customer messages, with all intents equally frequent (decisions, section 6). They are written
 * independently of the classifier's rules and contain noise, so that changes of the rules change the scores. Where a
 * message has two requests, the intent of the first one is expected.
 */
export const makeSyntheticTickets: MakeTickets = (seed, size) => {
  const random = createRandom(seed);
  return Array.from({ length: size }, () => {
    const intent = random.pick(intents);
    const { text, template } = pickText(intent, random);
    let message = addNoise(fill(text, random), random);
    if (intent !== 'spam' && random.flip(SECOND_REQUEST_SHARE)) {
      const second = pickText(random.pick(secondIntents), random);
      message = appendRequest(message, fill(second.text, random), random);
    }
    return {
      message,
      expectedIntent: intent,
      expectedTools: template.tools,
      expectedEscalated: template.escalated,
    };
  });
};

function textsOf(intent: Intent): readonly TemplateText[] {
  return templates
    .filter((template) => template.intent === intent)
    .flatMap((template) => template.texts.map((text) => ({ text, template })));
}

function pickText(intent: Intent, random: Random): TemplateText {
  return random.pick(textsByIntent.get(intent) ?? []);
}

function fill(text: string, random: Random): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => random.pick(fillings[name] ?? []));
}
