import { concerns, intents } from '../../domain/message/message.ts';
import type { Random } from './random.ts';
import { automaticTemplates } from './templates/automatic.ts';
import {
  humanTemplates,
  smallTalkTemplates,
  twoWishTemplates,
  unresolvedTemplates,
} from './templates/exchanges.ts';
import { languageTemplates } from './templates/languages.ts';
import { nearMissTemplates } from './templates/near-misses.ts';
import type { TicketTemplate } from './templates/template.ts';
import { concernTemplates, wishTemplates } from './templates/templates.ts';

/** A text and the template that it belongs to. */
export interface TemplateText {
  readonly text: string;
  readonly template: TicketTemplate;
}

/** A kind of synthetic tickets. */
export interface Situation {
  readonly name: string;
  /** How many of a hundred tickets are of it. */
  readonly percent: number;
  /** Each group is equally frequent, and within it each text. */
  readonly groups: readonly (readonly TemplateText[])[];
  /** Whether greetings, anger, small talk and typing errors are added. */
  readonly hasNoise: boolean;
  /** Whether the text stands above a quoted mail, a signature or a footer. */
  readonly isQuoted?: boolean;
}

const wishes = intents.map((intent) =>
  textsOf(wishTemplates.filter((template) => template.intent === intent)),
);

const kindsOfConcern = concerns.map((concern) =>
  textsOf(concernTemplates.filter((template) => template.concerns?.includes(concern))),
);

/**
 * The situations with their shares. What a person has to see is more frequent than in most inboxes, so that a few
 * hundred tickets tell whether it is found.
 */
export const situations: readonly Situation[] = [
  { name: 'wish', percent: 44, groups: wishes, hasNoise: true },
  { name: 'concern', percent: 24, groups: kindsOfConcern, hasNoise: true },
  { name: 'near miss', percent: 6, groups: [textsOf(nearMissTemplates)], hasNoise: true },
  { name: 'quoted mail', percent: 5, groups: wishes, hasNoise: true, isQuoted: true },
  { name: 'automatic message', percent: 4, groups: [textsOf(automaticTemplates)], hasNoise: false },
  { name: 'other language', percent: 4, groups: [textsOf(languageTemplates)], hasNoise: false },
  { name: 'small talk', percent: 4, groups: [textsOf(smallTalkTemplates)], hasNoise: false },
  { name: 'unresolved follow-up', percent: 4, groups: [textsOf(unresolvedTemplates)], hasNoise: true },
  { name: 'two wishes', percent: 3, groups: [textsOf(twoWishTemplates)], hasNoise: true },
  { name: 'human request', percent: 2, groups: [textsOf(humanTemplates)], hasNoise: true },
];

/** Picks a situation by the shares. */
export function pickSituation(random: Random): Situation {
  const at = random.next() * 100;
  let end = 0;
  for (const situation of situations) {
    end += situation.percent;
    if (at < end) return situation;
  }
  throw new RangeError('the shares of the situations are less than 100 percent');
}

/** Picks a text of one of the groups. */
export function pickText(groups: Situation['groups'], random: Random): TemplateText {
  return random.pick(random.pick(groups));
}

/** The texts of templates, each with its template. */
export function textsOf(templates: readonly TicketTemplate[]): readonly TemplateText[] {
  return templates.flatMap((template) => template.texts.map((text) => ({ text, template })));
}
