import { type Fact, sameFact } from '../facts.ts';
import { type Deed, englishDeeds } from './english.ts';
import { foreignDeeds } from './foreign.ts';

/** The deeds that a text claims or promises. The text must be normalized. */
export function readDeeds(text: string, facts: Fact[]): void {
  for (const deed of [...englishDeeds(text), ...foreignDeeds(text), ...phrases(text)]) {
    facts.push({ asks: accepted(deed), gives: [keyOf(deed.kind, deed.verb)] });
  }
  for (const [found] of text.matchAll(onTheWay)) facts.push(sameFact(`way:${found.includes('way')}`));
}

/** What is done may be told as done, as a state or as still to come, but nothing that is only promised as done. */
function accepted({ kind, verb }: Deed): readonly string[] {
  const kinds = { done: ['done'], state: ['state', 'done'], promise: ['promise', 'state', 'done'] } as const;
  return kinds[kind].map((one) => keyOf(one, verb));
}

/** The key of a deed. */
export function keyOf(kind: Deed['kind'], verb: string): string {
  return `${kind}:${verb}`;
}

const onTheWay = /\bon (?:its|the|their) way\b|\bunder ?way\b|\bunterwegs\b|\ben route\b|\ben camino\b/g;

const settled =
  /\b(?:all (?:done|set|sorted|fixed|taken care of)|consider it (?:done|sorted|handled)|rest assured|it's done|you have my word|expect (?:a|an|your|our|to hear)|c'est (?:fait|réglé|bon)|ya está|erledigt)(?!\p{L})|^(?:done|erledigt)\b/gu;

const headlines =
  /(?:^|[.!?:\n] *)(?:your )?(?:refund|order|account|subscription|payment|replacement|claim|request|ticket|case|invoice|booking|cancellation) (?:now |successfully )?(approved|issued|cancelled|canceled|closed|processed|confirmed|refunded|sent|completed|granted|changed|updated|deleted|escalated)\b/g;

/** Claims without a subject and a verb: `All done.`, `Refund approved.` */
function phrases(text: string): readonly Deed[] {
  return [
    ...[...text.matchAll(settled)].map(([found]) => ({ kind: 'done', verb: found }) as const),
    ...[...text.matchAll(headlines)].map(([, word = '']) => ({ kind: 'done', verb: word }) as const),
  ];
}
