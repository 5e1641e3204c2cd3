import type { Ticket } from '../../domain/evaluation/tickets.ts';
import type { BuiltInIntent } from '../../domain/message/message.ts';
import type { MakeTickets } from '../../ports/tickets.ts';
import { addNoise, appendRequest } from './noise.ts';
import { createRandom, type Random } from './random.ts';
import { pickSituation, pickText, textsOf } from './situations.ts';
import { quoteFrames } from './templates/quotes.ts';
import type { TicketTemplate } from './templates/template.ts';
import { fillTemplate, wishTemplates } from './templates/templates.ts';

/** The intents of requests that customers add to another one. */
const secondIntents: readonly BuiltInIntent[] = [
  'shipping',
  'billing',
  'account',
  'subscription',
  'general_question',
];

const secondRequests = secondIntents.map((intent) =>
  textsOf(wishTemplates.filter((template) => template.intent === intent)),
);

/** The share of ordinary wishes with a second request. */
const SECOND_REQUEST_SHARE = 0.08;

/**
 * Creates synthetic customer messages: the situations of `situations.ts` by their shares (decisions, section 6). They
 * are written independently of the classifier's rules and of the texts that its model is trained on, and contain noise,
 * so that changes of the stages change the scores. Each states what is certain about it: of two requests, any may be
 * the intent, and of a concern only that a person has to see it.
 */
export const makeSyntheticTickets: MakeTickets = (seed, size) => {
  const random = createRandom(seed);
  return Array.from({ length: size }, () => makeTicket(random));
};

function makeTicket(random: Random): Ticket {
  const { name, groups, hasNoise, isQuoted } = pickSituation(random);
  const { text, template } = pickText(groups, random);
  const filled = fillTemplate(text, random);
  const newest = hasNoise ? addNoise(filled, random) : filled;
  if (isQuoted === true) {
    const frame = fillTemplate(random.pick(quoteFrames), random);
    return { message: frame.replace('{newest}', () => newest), ...expectationsOf(template) };
  }
  if (name !== 'wish' || template.intent === 'spam' || !random.flip(SECOND_REQUEST_SHARE)) {
    return { message: newest, ...expectationsOf(template) };
  }
  const second = pickText(secondRequests, random);
  const message = appendRequest(newest, fillTemplate(second.text, random), random);
  return { message, ...expectationsOfBoth(template, second.template) };
}

function expectationsOf(template: TicketTemplate): Omit<Ticket, 'message'> {
  const { intent, tools, disposition, concerns = [] } = template;
  return {
    expectedIntent: intent,
    expectedTools: tools,
    expectedEscalated: disposition === undefined ? undefined : disposition === 'escalated',
    expectedDisposition: disposition,
    expectedConcerns: concerns,
  };
}

/** Two wishes get both answers, or a person; which of them is the intent is open. Who asks for a person gets one. */
function expectationsOfBoth(first: TicketTemplate, second: TicketTemplate): Omit<Ticket, 'message'> {
  if (first.disposition === 'escalated') return expectationsOf({ texts: [], disposition: 'escalated' });
  const tools = new Set([...(first.tools ?? []), ...(second.tools ?? [])]);
  return expectationsOf({ texts: [], tools: [...tools] });
}
