import { type Fact, sameFact, takeFacts } from './facts.ts';
import { inSmallerUnit, type Unit, unitAfter, unitBefore } from './units.ts';

/** Groups of three digits with the same sign between them, or digits with signs between them. */
const numbers = /(?<!\d)(?:\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,']\d+)*)/gu;

/** At least seven digits with signs between them. */
const phones = /(?<![\p{L}\d])\+?\(?\d(?:[ ()/.-]{0,3}\d){6,24}(?!\d)/gu;

const grouped = /^\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*$/;

/** Takes the telephone numbers out of a text. */
export function takePhones(text: string, facts: Fact[]): string {
  return takeFacts(
    text,
    phones,
    ([found]) => {
      if (/^\d+$/.test(found) || grouped.test(found)) return undefined;
      return sameFact(`digits:${found.replaceAll(/\D/g, '')}`);
    },
    facts,
  );
}

/** The numbers of a text with their units. */
export function readQuantities(text: string, facts: Fact[]): void {
  for (const { 0: found, index } of text.matchAll(numbers)) {
    const end = index + found.length;
    const unit =
      unitAfter(text.slice(end, end + 48)) ?? unitBefore(text.slice(Math.max(0, index - 32), index));
    facts.push(quantityFact(found, unit));
  }
  for (const [found] of text.matchAll(/[\p{No}\p{Nl}]|[^\P{Nd}0-9]+/gu))
    facts.push(sameFact(`sign:${found}`));
  for (const [, unit] of text.matchAll(vague)) facts.push(sameFact(`vague:${unit}`));
  if (free.test(text)) facts.push(sameFact('free'));
}

/** Durations and amounts without a number. */
const vague =
  /(?:\b(?:few|several|couple of|some|within|einige[nr]?|paar|wenige[nr]?|quelques|algunos|unos|pocos) |\b(?:next|coming|nächsten|prochains|próximos) )(?:short |kurze[nr]? )?(minute|hour|day|week|month|stunde|tage|woche|monat|heure|jour|semaine|hora|día|semana)/gu;

const free =
  /\b(?:for free|free of charge|no (?:extra |additional )?(?:cost|charge)|free (?:shipping|delivery|returns?|replacement|gift|of cost)|kostenlos|kostenfrei|gratis|gratuit|gratuitement)/u;

function quantityFact(found: string, unit: Unit | undefined): Fact {
  const value = canonical(found);
  const digits = found.replaceAll(/\D/g, '');
  const long = digits.length >= 7 ? [`digits:${digits}`] : [];
  if (unit === undefined) {
    return { asks: [`number:${value}`, ...long], gives: [`number:${value}`, `bare:${value}`, ...long] };
  }
  const [count, smaller] = inSmallerUnit(value, unit);
  const keys = [`${unit}:${value}`, `${smaller}:${count}`, ...long];
  const asks = [...keys, `bare:${value}`];
  return { asks, gives: [...keys, `number:${value}`] };
}

/** The same text for a number however it is written: 1,234, 1.234, 1 234 and 1234; 3.50 and 3,5. */
function canonical(found: string): string {
  if (grouped.test(found)) return plain(found.replaceAll(/\D/g, ''));
  const signs = found.replaceAll(/\d/g, '');
  const last = Math.max(found.lastIndexOf('.'), found.lastIndexOf(','));
  if (last === -1) return plain(found.replaceAll(/\D/g, ''));
  const decimal = found.charAt(last);
  // 1.2.3 is no number.
  if (signs.indexOf(decimal) !== signs.length - 1) return found;
  return plain(`${found.slice(0, last).replaceAll(/\D/g, '')}.${found.slice(last + 1)}`);
}

function plain(digits: string): string {
  const whole = digits.replace(/^0+(?=\d)/, '');
  return whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
}
