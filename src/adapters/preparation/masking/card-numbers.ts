import { digitAt, type Secret, skipSeparators } from './digits.ts';

const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

/** Digits that stand together. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** A number that may be one, such as `4111 1111 1111 1111`. */
type Groups = readonly Group[];

/** Every card number in a text. */
export function findCardNumbers(text: string): readonly Secret[] {
  return digitRuns(text).flatMap((run) => cardsIn(text, run));
}

/** The digits of a text, in runs whose groups are separated by little. */
function digitRuns(text: string): readonly Groups[] {
  const runs: Group[][] = [];
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    if (digitAt(text, at) < 0) continue;
    const group = groupAt(text, at);
    const isNext = last >= 0 && skipSeparators(text, last) === at;
    const run = isNext ? runs.at(-1) : undefined;
    if (run === undefined) runs.push([group]);
    else run.push(group);
    at = group.end - 1;
    last = group.end;
  }
  return runs;
}

function groupAt(text: string, start: number): Group {
  let end = start;
  let digits = '';
  for (let digit = digitAt(text, end); digit >= 0; digit = digitAt(text, end)) {
    digits += digit;
    end++;
  }
  return { start, end, digits };
}

function cardsIn(text: string, groups: Groups): readonly Secret[] {
  const found: Secret[] = [];
  for (let from = 0; from < groups.length; from++) {
    const to = cardEnd(groups, from);
    const start = groups[from]?.start;
    const end = groups[to - 1]?.end;
    if (to === 0 || start === undefined || end === undefined || isOtherNumber(text, start)) continue;
    found.push({ start, end, label: '[card number]' });
    from = to - 1;
  }
  return found;
}

/** Behind the groups from here that make a card number; 0 when they make none. */
function cardEnd(groups: Groups, from: number): number {
  let digits = '';
  let sizes = '';
  let end = 0;
  for (let at = from; at < groups.length && digits.length < MAX_DIGITS; at++) {
    const next = groups[at]?.digits ?? '';
    digits += next;
    sizes += next.length;
    const isWhole = end === 0 && from === 0 && at === groups.length - 1;
    if ((at === from || isWhole || usualSizes.has(sizes)) && isCardNumber(digits)) end = at + 1;
  }
  return end;
}

/** How card numbers are grouped; in other groups they must stand alone. */
const usualSizes = new Set(['4444', '465', '464', '44443', '4445', '4441']);

function isCardNumber(digits: string): boolean {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false;
  return hasCardPrefix(digits) && hasLuhnSum(digits) && !/^(\d)\1+$/.test(digits);
}

/** The ranges of the card schemes, with the numbers' lengths. */
const schemes: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:36|38|39|30[0-5]|3095)/, [14, 16, 17, 18, 19]],
  [/^(?:2131|1800)/, [15]],
  [/^(?:35[2-8]|62|6011|64[4-9]|65|60|81|82|508|220[0-4]|9792)/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [13, 14, 15, 16, 17, 18, 19]],
];

function hasCardPrefix(digits: string): boolean {
  return schemes.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits));
}

function hasLuhnSum(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 0x30;
    const doubled = at % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const otherNumber =
  /(?:\b(?:tracking|track|shipment|consignment|waybill|awb|imei|sendungs?\w*|trackingnummer|suivi|seguimiento|spedizione|przesyłki)(?:[ -]?(?:number|num|no|nr|code|id|nummer)\b)?|\b(?:order|parcel|package|invoice|reference|ref|ticket|serial|bestell|auftrags?|kunden|customer|meter)[ -]?(?:number|num|no|nr|id|nummer))[\s.:#=]{0,4}(?:(?:is|ist|est|es|è)[\s:]{1,3})?$/i;

/** True when what stands directly before says that the number is another one, such as a tracking number. */
function isOtherNumber(text: string, start: number): boolean {
  return text.charAt(start - 1) === '+' || otherNumber.test(text.slice(Math.max(0, start - 48), start));
}

const besideCard =
  /^[\s,;|/]{0,4}(?:(?:exp(?:iry|ires|iration)?(?: date)?|valid (?:thru|until)|gültig bis|mm\/yy)[\s.:]{0,3})?(?:\(?\d{1,2}\s?[/.-]\s?\d{2,4}\)?)?[\s,;|/:-]{0,5}(\d{3,4})(?![\d/.,]?\d|\s?(?:€|\$|£|%|eur|usd|gbp|times|x\b))/i;

/** The security codes directly behind card numbers, as in `4111 1111 1111 1111 12/27 123`. */
export function findCodesBesideCards(text: string, cards: readonly Secret[]): readonly Secret[] {
  return cards.flatMap(({ start, end }) => {
    const match = besideCard.exec(text.slice(end, end + 60));
    const code = match?.[1];
    if (match === null || code === undefined) return [];
    const hasExpiry = match[0].length > code.length + 5;
    // Only American Express has security codes of four digits.
    if (code.length === 4 && !hasExpiry && digitAt(text, start) !== 3) return [];
    const codeEnd = end + match[0].length;
    return [{ start: codeEnd - code.length, end: codeEnd, label: '[security code]' }];
  });
}
