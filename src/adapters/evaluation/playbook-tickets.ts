import type { Ticket } from '../../domain/evaluation/tickets.ts';
import type { Disposition } from '../../domain/message/message.ts';
import type { Playbook, PlaybookIntent } from '../../domain/playbook/playbook.ts';
import type { MakeTickets } from '../../ports/tickets.ts';
import { addNoise } from './noise.ts';
import { createRandom, type Random } from './random.ts';
import { situations } from './situations.ts';
import { fillTemplate } from './templates/templates.ts';

/** The situations of the built-in tickets that do not depend on what a company sells. */
const commonSituations = situations.filter(({ name }) =>
  ['concern', 'automatic message', 'human request'].includes(name),
);

/** The share of tickets that ask for what the playbook answers. */
const WISH_SHARE = 0.7;

/** The share of wishes with greetings, small talk and typing errors. */
const NOISE_SHARE = 0.5;

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

/**
 * What has to happen where that does not depend on what a tool or an article brings. Where a playbook wants drafts, a
 * message without an answer is still escalated.
 */
function dispositionOf({ name, handover }: PlaybookIntent): Disposition | undefined {
  if (name === 'spam') return 'no_reply';
  return handover ? 'escalated' : undefined;
}

function commonTicket(random: Random): Ticket {
  const { groups, hasNoise } = random.pick(commonSituations);
  const { text, template } = random.pick(random.pick(groups));
  const filled = fillTemplate(text, random);
  return {
    message: hasNoise ? addNoise(filled, random) : filled,
    expectedDisposition: template.disposition,
    expectedConcerns: template.concerns ?? [],
  };
}
