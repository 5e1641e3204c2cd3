import type { Ticket } from '../../domain/evaluation/tickets.ts';
import type { BuiltInIntent, Disposition } from '../../domain/message/message.ts';
import type { Playbook, PlaybookIntent } from '../../domain/playbook/playbook.ts';
import type { MakeTickets } from '../../ports/tickets.ts';
import { createRandom, type Random } from './random.ts';
import { addNoise, fillTemplate, type Situation, type TicketTemplate, ticketTexts } from './ticket-texts.ts';

/**
 * Creates synthetic customer messages: the situations of `playbook/tickets.json` by their shares (decisions, section
 * 6). They contain noise, so that changes of the stages change the scores. Each states what is certain about it: of two
 * requests, any may be the intent, and of a concern only that a person has to see it.
 */
export const makeSyntheticTickets: MakeTickets = (seed, size) => {
  const random = createRandom(seed);
  return Array.from({ length: size }, () => makeTicket(random));
};

/**
 * Creates tickets for a company's own playbook: its examples, some of them with noise, and the situations that every
 * company meets. A classifier that was made from the same examples knows them, so that these scores are too good: they
 * show that a playbook works, not how well it does.
 */
export function createPlaybookTickets(playbook: Playbook): MakeTickets {
  const isEnglish = playbook.company.languages.includes('en');
  const stated = [...playbook.intents.values()].flatMap((intent) =>
    intent.examples.length === 0 ? [] : [{ intent, disposition: dispositionOf(intent) }],
  );
  return (seed, size) => {
    const random = createRandom(seed);
    return Array.from({ length: size }, (): Ticket => {
      if (stated.length > 0 && (!isEnglish || random.next() < WISH_SHARE)) {
        const { intent, disposition } = random.pick(stated);
        const text = random.pick(intent.examples);
        const message = isEnglish && random.flip(NOISE_SHARE) ? addNoise(text, random) : text;
        return {
          message,
          expectedIntent: intent.name,
          expectedDisposition: disposition,
          expectedConcerns: [],
        };
      }
      return commonTicket(random);
    });
  };
}

/** The intents of requests that customers add to another one. */
const secondIntents: readonly BuiltInIntent[] = [
  'shipping',
  'billing',
  'account',
  'subscription',
  'general_question',
];

/** The share of ordinary wishes with a second request. */
const SECOND_REQUEST_SHARE = 0.08;

function makeTicket(random: Random): Ticket {
  const { situations, quoteFrames, noise } = ticketTexts();
  const { name, groups, hasNoise, isQuoted } = pickSituation(situations, random);
  const { text, template } = random.pick(random.pick(groups));
  const filled = fillTemplate(text, random);
  const newest = hasNoise ? addNoise(filled, random) : filled;
  if (isQuoted === true) {
    const frame = fillTemplate(random.pick(quoteFrames), random);
    return { message: frame.replace('{newest}', () => newest), ...expectationsOf(template) };
  }
  if (name !== 'wish' || template.intent === 'spam' || !random.flip(SECOND_REQUEST_SHARE)) {
    return { message: newest, ...expectationsOf(template) };
  }
  const intent = random.pick(secondIntents);
  const second = random.pick(groups.flat().filter((one) => one.template.intent === intent));
  const request = fillTemplate(second.text, random);
  const message = `${newest} ${random.pick(noise.connectors)} ${request}`;
  return { message, ...expectationsOfBoth(template, second.template) };
}

/** Picks a situation by the shares. */
function pickSituation(situations: readonly Situation[], random: Random): Situation {
  const at = random.next() * 100;
  let end = 0;
  for (const situation of situations) {
    end += situation.percent;
    if (at < end) return situation;
  }
  throw new RangeError('the shares of the situations are less than 100 percent');
}

function expectationsOf(template: Omit<TicketTemplate, 'texts'>): Omit<Ticket, 'message'> {
  const { intent, tools, disposition, concerns = [] } = template;
  return {
    expectedIntent: intent,
    expectedTools: tools,
    expectedEscalated: disposition === undefined ? undefined : disposition === 'escalated',
    expectedDisposition: disposition,
    expectedConcerns: concerns,
  };
}

/**
 * Two wishes get both answers, or a person; which of them is the intent is open. A customer who asks for a person gets
 * one.
 */
function expectationsOfBoth(first: TicketTemplate, second: TicketTemplate): Omit<Ticket, 'message'> {
  if (first.disposition === 'escalated') return expectationsOf({ disposition: 'escalated' });
  return expectationsOf({ tools: [...new Set([...(first.tools ?? []), ...(second.tools ?? [])])] });
}

/** The situations that do not depend on what a company sells. */
const commonNames: readonly string[] = ['concern', 'automatic message', 'human request'];

/** The share of tickets that ask for what the playbook answers. */
const WISH_SHARE = 0.7;

/** The share of wishes with greetings, small talk and typing errors. */
const NOISE_SHARE = 0.5;

/**
 * The disposition where it does not depend on what a tool or an article brings. Where a playbook wants drafts, a
 * message without an answer is still escalated.
 */
function dispositionOf({ name, handover }: PlaybookIntent): Disposition | undefined {
  if (name === 'spam') return 'no_reply';
  return handover ? 'escalated' : undefined;
}

function commonTicket(random: Random): Ticket {
  const common = ticketTexts().situations.filter(({ name }) => commonNames.includes(name));
  const { groups, hasNoise } = random.pick(common);
  const { text, template } = random.pick(random.pick(groups));
  const filled = fillTemplate(text, random);
  return {
    message: hasNoise ? addNoise(filled, random) : filled,
    expectedDisposition: template.disposition,
    expectedConcerns: template.concerns ?? [],
  };
}
