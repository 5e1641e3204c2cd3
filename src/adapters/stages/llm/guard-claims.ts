import { coveredBy, entriesOf, isGlued, type Reading, type Tag, type Token, tagOf } from './guard-reading.ts';

/** A part of a reply that has no source. */
export interface Refusal {
  readonly kind:
    | 'number'
    | 'date'
    | 'link'
    | 'address'
    | 'telephone'
    | 'deed'
    | 'request'
    | 'messenger'
    | 'claim'
    | 'instructions'
    | 'unreadable';
  /** The words of the reply, at most 80 characters. */
  readonly words: string;
}

/** Something that a text states. A reply may state it where a source provides one of the keys that it requires. */
interface Claim {
  readonly kind: Refusal['kind'];
  readonly requires: readonly string[];
  readonly provides: readonly string[];
  /** The first and last token. */
  readonly from: number;
  readonly to: number;
}

/** A claim that requires what it provides. */
function same(kind: Refusal['kind'], from: number, to: number, ...keys: readonly string[]): Claim {
  return { kind, requires: keys, provides: keys, from, to };
}

/** All claims of a text. In sources short names of weekdays count, and the numbers of items of a list. */
export function claimsOf(reading: Reading, isSource: boolean): readonly Claim[] {
  const covered = coveredBy(reading, 'polite');
  const numbers = numbersOf(reading, isSource);
  const dated = new Set(numbers.flatMap(({ dates }) => dates));
  const claims: Claim[] = numbers.map(({ claim }) => claim);
  for (const [at, token] of reading.tokens.entries()) {
    if (token.kind === 'date') claims.push(dateClaim(token.text, at));
    else if (token.kind === 'clock') claims.push(clockClaim(token.text, at));
    else if (token.kind === 'telephone') claims.push(same('telephone', at, at, digitsKey(token.text)));
    else if (token.kind === 'code') claims.push(same('number', at, at, codeKey(token.text)));
    else if (!covered.has(at)) claims.push(...wordClaims(reading, at, { isSource, isDated: dated.has(at) }));
  }
  return [...claims, ...actionsIn(reading, covered)];
}

export function codeKey(text: string): string {
  return `code:${text.replaceAll(/[-_/.]/g, '')}`;
}

export function digitsKey(text: string): string {
  return `digits:${text.replaceAll(/\D/g, '')}`;
}

/** Months, weekdays, times of day and words such as `free` that stand alone. */
function wordClaims(
  reading: Reading,
  at: number,
  { isSource, isDated }: { readonly isSource: boolean; readonly isDated: boolean },
): readonly Claim[] {
  const claims: Claim[] = [];
  const add = (kind: Refusal['kind'], tag: Tag | undefined, key: string): void => {
    if (tag !== undefined) claims.push(same(kind, at, at + tag.length - 1, `${key}:${tag.value}`));
  };
  const isShortMonth = followsMonthWord(reading, at) || /^\d{4}$/.test(reading.tokens[at + 1]?.text ?? '');
  if (!isDated) add('date', isShortMonth ? monthAt(reading, at) : tagOf(reading, at, 'months'), 'month');
  if (isSource) claims.push(...weekdaysFrom(reading, at));
  else add('date', tagOf(reading, at, 'weekdays'), 'weekday');
  add('date', tagOf(reading, at, 'day'), 'day');
  add('number', tagOf(reading, at, 'fact'), 'fact');
  const clock = tagOf(reading, at, 'clock');
  if (clock !== undefined) claims.push(same('date', at, at + clock.length - 1, `clock:${clock.value}:00`));
  return claims;
}

function followsMonthWord(reading: Reading, at: number): boolean {
  return [1, 2, 3, 4].some((back) => tagOf(reading, at - back, 'before_month')?.length === back);
}

/** The weekdays that a source names at a token: all of `Monday to Friday` and `Mo-Fr`. */
function weekdaysFrom(reading: Reading, at: number): readonly Claim[] {
  const { tokens } = reading;
  const dayAt = (index: number) =>
    tagOf(reading, index, 'weekdays') ?? tagOf(reading, index, 'short_weekdays');
  const first = dayAt(at);
  if (first === undefined) return [];
  const next = at + first.length;
  const isListed = [
    [at, at - 1],
    [next, next],
  ].some(([gap = 0, day = 0]) => /[-/,:]/.test(tokens[gap]?.gap ?? '') && dayAt(day) !== undefined);
  if (tagOf(reading, at, 'weekdays') === undefined && !isListed) return [];
  const through = tagOf(reading, next, 'through');
  const last = tokens[next]?.gap.includes('-') ? dayAt(next) : through && dayAt(next + through.length);
  const days = (Number(last?.value ?? first.value) - Number(first.value) + 7) % 7;
  const keys = Array.from({ length: days + 1 }, (_, day) => `weekday:${(Number(first.value) + day) % 7}`);
  return [same('date', at, at, ...keys)];
}

/** The keys of a date; `orders` are the ways to read it, as month and day. */
function datesOf(
  year: string | undefined,
  orders: readonly (readonly [number, number])[],
): Pick<Claim, 'requires' | 'provides'> {
  const days = orders.map(([month, day]) => `day:${month}-${day}`);
  const given = [...days, ...orders.map(([month]) => `month:${month}`)];
  if (year === undefined) return { requires: days, provides: given };
  const full = year.length === 2 ? `20${year}` : year;
  const exact = orders.map(([month, day]) => `date:${full}-${month}-${day}`);
  // With one way to read it, the date tells the day of the week.
  const [[month, day] = [0, 0], other] = orders;
  const weekday = new Date(Date.UTC(Number(full), month - 1, day)).getUTCDay();
  const known = [...exact, ...given, `number:${full}`];
  return { requires: exact, provides: other === undefined ? [...known, `weekday:${weekday}`] : known };
}

function dateClaim(text: string, at: number): Claim {
  const [first = '', second = '', third] = text.match(/\d+/g) ?? [];
  const [a, b] = [Number(first), Number(second)];
  const isIso = first.length === 4;
  const orders: readonly (readonly [number, number])[] = isIso
    ? [[b, Number(third)]]
    : [...new Set([`${b} ${a}`, `${a} ${b}`])].map((order) => {
        const [month = '', day = ''] = order.split(' ');
        return [Number(month), Number(day)];
      });
  const valid = orders.filter(([month, day]) => month >= 1 && month <= 12 && day >= 1 && day <= 31);
  if (valid.length === 0) return same('date', at, at, `date:${text}`);
  return { kind: 'date', from: at, to: at, ...datesOf(isIso ? first : third, valid) };
}

/**
 * The keys of a time of day. Without `am` or `pm` a source may mean either half of the day; a reply the first one, or
 * one that a source tells with `am` or `pm`.
 */
function clockOf(hour: string, minute: string, half = ''): Pick<Claim, 'requires' | 'provides'> {
  const value = Number(hour);
  if (value > (half === '' ? 24 : 12) || Number(minute) > 59) {
    const requires = [`clock:${hour}:${minute}${half}`];
    return { requires, provides: requires };
  }
  const key = (at: number): string => `clock:${at % 24}:${minute}`;
  const named = `half:${value}:${minute}`;
  if (half !== '') {
    const requires = [key((value % 12) + (half === 'p' ? 12 : 0))];
    return { requires, provides: [...requires, named] };
  }
  const isEither = value >= 1 && value <= 12 && !hour.startsWith('0');
  return {
    requires: [key(value), named],
    provides: isEither ? [key(value % 12), key((value % 12) + 12)] : [key(value)],
  };
}

function clockClaim(text: string, at: number): Claim {
  const [, hour = '', minute = '00', half] = /^(\d+)(?:[:.h](\d{2}))?.*?([ap]?)\.?m?\.?$/.exec(text) ?? [];
  return { kind: 'date', from: at, to: at, ...clockOf(hour, minute, half) };
}

// Numbers

/** A number of a text, in digits or words. */
interface Amount {
  readonly value: string;
  readonly from: number;
  readonly to: number;
  /** It counts only before a unit. */
  readonly isWeak: boolean;
}

/**
 * The thing that a number counts: a unit, `calendar 3` for March, or `clock`, which may have the unit of a duration
 * after it.
 */
interface Unit {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly isBefore: boolean;
}

/** The numbers of a text; `dates` are the tokens of their months. */
function numbersOf(
  reading: Reading,
  isSource: boolean,
): readonly { readonly claim: Claim; readonly dates: readonly number[] }[] {
  const amounts = amountsOf(reading, isSource);
  const units: (Unit | undefined)[] = amounts.map(
    (amount) => unitAfter(reading, amount) ?? unitBefore(reading, amount),
  );
  const isJoined = (index: number): boolean => {
    const [from, to] = [amounts[index], amounts[index + 1]];
    return from !== undefined && to !== undefined && isRange(reading, from.to, to.from);
  };
  for (let index = amounts.length - 1; index >= 0; index--) {
    if (isJoined(index)) units[index] ??= units[index + 1];
    const after = amounts[index];
    if (after !== undefined) units[index] ??= clockOfRange(reading, after);
  }
  for (let index = 1; index < amounts.length; index++) {
    if (isJoined(index - 1) && units[index - 1]?.isBefore) units[index] ??= units[index - 1];
  }
  return amounts.flatMap((amount, index) => {
    const unit = units[index];
    if (unit === undefined && amount.isWeak) return [];
    const dates = unit?.name.startsWith('calendar ') ? [unit.from] : [];
    const from = Math.min(amount.from, unit?.from ?? amount.from);
    const claim = { ...claimOfAmount(reading, amount, unit), from, to: Math.max(amount.to, unit?.to ?? 0) };
    return [{ claim, dates }];
  });
}

/** True where a hyphen or a word such as `to` joins two tokens. */
function isRange(reading: Reading, from: number, to: number): boolean {
  if (to === from + 1) return /^ ?[-/] ?$/.test(reading.tokens[to]?.gap ?? '');
  const between = tagOf(reading, from + 1, 'to') ?? tagOf(reading, from + 1, 'through');
  return between !== undefined && from + 1 + between.length === to && reading.tokens[to]?.gap === ' ';
}

/** The first hour of `2-4 pm`. */
function clockOfRange(reading: Reading, { to }: Amount): Unit | undefined {
  const at = [to + 1, to + 2].find(
    (next) => reading.tokens[next]?.kind === 'clock' && isRange(reading, to, next),
  );
  return at === undefined ? undefined : { name: 'clock', from: to, to, isBefore: false };
}

function claimOfAmount(
  reading: Reading,
  { value, from, to }: Amount,
  unit: Unit | undefined,
): Pick<Claim, 'kind' | 'requires' | 'provides'> {
  const [name = '', more = ''] = unit?.name.split(' ') ?? [];
  if (unit !== undefined && name === 'calendar') {
    const next = reading.tokens[Math.max(to, unit.to) + 1 + (tagOf(reading, unit.to + 1, 'of') ? 1 : 0)];
    const year =
      next?.kind === 'number' && /^\d{4}$/.test(next.text) && /^,? $/.test(next.gap) ? next.text : undefined;
    return { kind: 'date', ...datesOf(year, [[Number(more), Number(value)]]) };
  }
  const number = [`number:${value}`, ...(value.length >= 7 ? [`digits:${value}`] : [])];
  if (name === '') return { kind: 'number', requires: number, provides: number };
  if (name !== 'clock') {
    const key = quantityKey(value, name);
    return {
      kind: 'number',
      requires: isMoney(name) ? [key, `any_money:${value}`] : [key],
      provides: [key, ...number],
    };
  }
  const [, hour = value, minute = '00'] =
    /^(\d{1,2})(?:[.,](\d{2}))?$/.exec(reading.tokens[from]?.text ?? '') ?? [];
  const clock = clockOf(hour, minute);
  const lasting = more === '' ? [] : [quantityKey(value, more)];
  return {
    kind: 'date',
    requires: [...clock.requires, ...lasting],
    provides: [...clock.provides, ...lasting, ...number],
  };
}

/** Units that can be compared with each other, by how many of the smallest they have. */
const sizes: Readonly<Record<string, readonly [string, number]>> = {
  second: ['time', 1],
  minute: ['time', 60],
  hour: ['time', 3_600],
  day: ['time', 86_400],
  week: ['time', 604_800],
  fortnight: ['time', 1_209_600],
  month: ['months', 1],
  quarter: ['months', 3],
  year: ['months', 12],
  gram: ['weight', 1],
  kilogram: ['weight', 1_000],
  millimetre: ['length', 1],
  centimetre: ['length', 10],
  metre: ['length', 1_000],
  kilometre: ['length', 1_000_000],
  millilitre: ['volume', 1],
  litre: ['volume', 1_000],
};

export function isMoney(unit: string): boolean {
  return /^(?:eur|usd|gbp|chf|pln|money-.*)$/.test(unit);
}

export function quantityKey(value: string, unit: string): string {
  const [base, size] = sizes[unit] ?? [unit, 1];
  const count = Number(value) * size;
  return Number.isNaN(count) ? `${unit}:${value}` : `${base}:${Math.round(count * 1_000) / 1_000}`;
}

/** The numbers of a text in order: digits, and words for numbers that belong together. */
function amountsOf(reading: Reading, isSource: boolean): readonly Amount[] {
  const { tokens } = reading;
  const amounts: Amount[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const amount = token?.kind === 'number' ? amountOfDigits(reading, at) : amountOfWords(reading, at);
    if (token === undefined || amount === undefined) continue;
    const next = tokens[amount.to + 1];
    const isItem = /(?:^|\n) *$/.test(token.gap) && /^[.)] $/.test(next?.gap ?? '') && next?.kind === 'word';
    const isDate = isItem && monthAt(reading, at + 1) !== undefined;
    if (isSource || !isItem || isDate || !/^\d{1,2}$/.test(token.text)) amounts.push(amount);
    at = amount.to;
  }
  return amounts;
}

function amountOfDigits(reading: Reading, at: number): Amount {
  let value = canonical(reading.tokens[at]?.text ?? '');
  let to = at;
  while (Number(numberAt(reading, to + 1)?.value) >= 100 && !Number.isNaN(Number(value))) {
    value = String(Number(value) * Number(numberAt(reading, to + 1)?.value));
    to += 1;
  }
  return { value, from: at, to, isWeak: false };
}

function amountOfWords(reading: Reading, at: number): Amount | undefined {
  const ordinal = tagOf(reading, at, 'ordinal') ?? tagOf(reading, at, 'ordinals');
  if (ordinal !== undefined) {
    const amount = { value: ordinal.value, from: at, to: at + ordinal.length - 1, isWeak: true };
    if ((unitAfter(reading, amount) ?? unitBefore(reading, amount))?.name.startsWith('calendar '))
      return amount;
  }
  const first = numberAt(reading, at);
  if (first === undefined) return weakAmount(reading, at);
  let [total, group, to] = [0, 0, at - 1];
  for (
    let next: { readonly value: string; readonly length: number } | undefined = first;
    next !== undefined;
  ) {
    const value = Number(next.value);
    if (value === 100 || value >= 1_000) group = (group === 0 ? 1 : group) * value;
    else group += value;
    if (value >= 1_000) [total, group] = [total + group, 0];
    to += next.length;
    const joint: number = tagOf(reading, to + 1, 'and')?.length ?? 0;
    next = numberAt(reading, to + 1) ?? (joint > 0 ? numberAt(reading, to + 1 + joint) : undefined);
    if (next === undefined || !continues(group, Number(next.value))) break;
    if (numberAt(reading, to + 1) === undefined) to += joint;
  }
  return { value: String(total + group), from: at, to, isWeak: first.isWeak && to === at };
}

/** True where a word for a number goes on with another one: `forty` with `five`, `two` with `hundred`. */
function continues(group: number, next: number): boolean {
  if (next === 100 || next >= 1_000) return true;
  if (group === 0 || group % 100 === 0) return next < 1_000;
  return group % 10 === 0 && group % 100 >= 20 && next < (group % 100 === 60 || group % 100 === 80 ? 20 : 10);
}

/** The word for a number at a token, which may be written in one with others: `fünfundzwanzig`. */
function numberAt(
  reading: Reading,
  at: number,
): { readonly value: string; readonly length: number; readonly isWeak: boolean } | undefined {
  const token = reading.tokens[at];
  if (token?.kind !== 'word') return undefined;
  const { value, length = 1 } = tagOf(reading, at, 'number') ?? {};
  if (value !== undefined) return { value, length, isWeak: false };
  const weak = tagOf(reading, at, 'before_unit');
  if (weak !== undefined && /^\d/.test(weak.value))
    return { value: weak.value, length: weak.length, isWeak: true };
  const compound = valueOfCompound(token.text);
  return compound === undefined ? undefined : { value: compound, length: 1, isWeak: false };
}

/** A number that counts only before a unit: `a few`, `next`, and `a` after a word such as `within`. */
function weakAmount(reading: Reading, at: number): Amount | undefined {
  const article = tagOf(reading, at - 1, 'lead') === undefined ? undefined : tagOf(reading, at, 'article');
  const tag = tagOf(reading, at, 'before_unit') ?? article;
  return tag === undefined
    ? undefined
    : { value: tag.value, from: at, to: at + tag.length - 1, isWeak: true };
}

const LONGEST_NUMBER = 40;

/** The value of number words in one word, with `und`, `en` or `e` between them. */
function valueOfCompound(word: string): string | undefined {
  if (word.length < 6 || word.length > LONGEST_NUMBER) return undefined;
  let [total, group, pieces] = [0, 0, 0];
  for (let at = 0; at < word.length; ) {
    const [value, length] = longestNumber(word.slice(at));
    const joint = /^(?:und|en|e|y)/.exec(word.slice(at))?.[0].length ?? 0;
    if (length === 0 && (joint === 0 || pieces === 0)) return undefined;
    at += length === 0 ? joint : length;
    if (length === 0) continue;
    pieces += 1;
    if (value === 100 || value >= 1_000) group = (group === 0 ? 1 : group) * value;
    else group += value;
    if (value >= 1_000) [total, group] = [total + group, 0];
  }
  return pieces < 2 ? undefined : String(total + group);
}

const numberLists = new Set(['number', 'before_unit', 'part']);

function longestNumber(text: string): readonly [number, number] {
  for (let length = Math.min(text.length, 14); length >= 3; length--) {
    const entry = entriesOf(text.slice(0, length)).find(
      ({ list, value }) => numberLists.has(list) && /^\d/.test(value),
    );
    if (entry !== undefined) return [Number(entry.value), length];
  }
  return [0, 0];
}

/** The same text for a number however it is written: 1,234, 1.234, 1 234 and 1234; 3.50 and 3,5. */
export function canonical(found: string): string {
  const last = Math.max(found.lastIndexOf('.'), found.lastIndexOf(','));
  const signs = found.replaceAll(/\d/g, '');
  const isWhole = last === -1 || /^\d{1,3}([.,' ])\d{3}(?:\1\d{3})*$/.test(found);
  if (isWhole) return /\d/.test(found) ? plainNumber(found.replaceAll(/\D/g, '')) : found;
  // 1.2.3 is no number.
  if (signs.indexOf(found.charAt(last)) !== signs.length - 1) return found;
  return plainNumber(`${found.slice(0, last).replaceAll(/\D/g, '')}.${found.slice(last + 1)}`);
}

export function plainNumber(digits: string): string {
  const whole = digits.replace(/^0+(?=\d)/, '');
  return whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
}

function monthAt(reading: Reading, at: number): Tag | undefined {
  return tagOf(reading, at, 'months') ?? tagOf(reading, at, 'short_months');
}

function isDayOfMonth(value: string): boolean {
  return /^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= 31;
}

/** The unit, month or `o'clock` after a number. */
function unitAfter(reading: Reading, { value, to }: Amount): Unit | undefined {
  const { tokens } = reading;
  const next =
    to + 1 + (tokens[to + 1]?.gap === '' && tagOf(reading, to + 1, 'suffix') !== undefined ? 1 : 0);
  const afterOf = next + (tagOf(reading, next, 'of')?.length ?? 0);
  const month = monthAt(reading, afterOf);
  if (month !== undefined && isDayOfMonth(value) && /^[. -]{0,2}$/.test(tokens[next]?.gap ?? '')) {
    return { name: `calendar ${month.value}`, from: afterOf, to: afterOf, isBefore: false };
  }
  const token = tokens[next];
  if (token === undefined || !isGlued(token)) return undefined;
  const at = next + (tagOf(reading, next, 'between')?.length ?? 0);
  const unit = tagOf(reading, next, 'unit') ?? tagOf(reading, at, 'unit');
  const name = unitName(unit, tokens[at]);
  if (tagOf(reading, next, 'uhr') !== undefined && Number(value) <= 24) {
    return { name: `clock ${name}`.trim(), from: next, to: next, isBefore: false };
  }
  return unit === undefined ? undefined : { name, from: at, to: at + unit.length - 1, isBefore: false };
}

/** The unit of an entry; other currencies than the common ones have a name of their own. */
export function unitName(unit: Tag | undefined, token: Token | undefined): string {
  return unit?.value === 'money' ? `money-${token?.text}` : (unit?.value ?? '');
}

/** The currency or month before a number. */
function unitBefore(reading: Reading, { value, from }: Amount): Unit | undefined {
  const gap = reading.tokens[from]?.gap ?? '';
  const name = unitName(tagOf(reading, from - 1, 'unit'), reading.tokens[from - 1]);
  if (isMoney(name) && /^ ?$/.test(gap)) return { name, from: from - 1, to: from - 1, isBefore: true };
  const at = from - 1 - (tagOf(reading, from - 1, 'of') ? 1 : 0);
  const month = monthAt(reading, at);
  if (month === undefined || !isDayOfMonth(value) || !/^\.? $/.test(gap)) return undefined;
  return { name: `calendar ${month.value}`, from: at, to: at, isBefore: true };
}

// Actions

const levels = ['promise', 'state', 'done'] as const;

/**
 * The actions that a text tells. One that is done may be told as done, as a state or as a promise, but none that is
 * only promised as done.
 */
function actionsIn(reading: Reading, covered: ReadonlySet<number>): readonly Claim[] {
  const mayDo = coveredBy(reading, 'you');
  return reading.tokens.flatMap((_, at) => {
    const done = tagOf(reading, at, 'done');
    const promise = tagOf(reading, at, 'promise') ?? promised(reading, at, mayDo);
    const tag = done ?? promise;
    if (tag === undefined || covered.has(at) || (done !== undefined && isActionOfCustomer(reading, at)))
      return [];
    const level = levels.indexOf(done === undefined ? 'promise' : levelOf(reading, at));
    const not = lookBack(reading, at, { list: 'not', reach: 3 }) === undefined ? '' : 'not ';
    const keys = levels.slice(level).map((one) => `${not}${one}:${tag.value}`);
    const start = reading.sentences[reading.tokens[at]?.sentence ?? 0]?.from ?? 0;
    const to = at + tag.length - 1;
    return [
      {
        kind: 'deed',
        requires: keys,
        provides: keys.slice(0, 1),
        from: Math.max(start, at - 2),
        to,
      } as const,
    ];
  });
}

/** The entry of a list that ends before a token in its sentence; a token for which `isEnd` holds ends the search. */
function lookBack(
  { tokens, tags }: Reading,
  at: number,
  {
    list,
    reach,
    isEnd,
  }: { readonly list: string; readonly reach: number; readonly isEnd?: (index: number) => boolean },
): Tag | undefined {
  for (let index = at - 1; index >= Math.max(0, at - reach); index--) {
    if (tokens[index]?.sentence !== tokens[at]?.sentence || isEnd?.(index)) return undefined;
    const tag = tags[index]?.find((one) => one.list === list && index + one.length <= at);
    if (tag !== undefined) return tag;
  }
  return undefined;
}

/** `you ordered`, `you have sent`: the customer did it. */
function isActionOfCustomer(reading: Reading, at: number): boolean {
  return [1, 2, 3].some((back) => tagOf(reading, at - back, 'customer')?.length === back);
}

function levelOf(reading: Reading, at: number): (typeof levels)[number] {
  const isEnd = (index: number): boolean => isClauseEnd(reading, index);
  const isOpen =
    lookBack(reading, at, { list: 'if', reach: 5, isEnd }) ??
    lookBack(reading, at, { list: 'wird', reach: 10 });
  const be = lookBack(reading, at, { list: 'be', reach: 3, isEnd })?.value;
  if (isOpen !== undefined || be === 'promise') return 'promise';
  return be === undefined ? 'done' : 'state';
}

function isClauseEnd({ tokens }: Reading, at: number): boolean {
  return /[,:]/.test(tokens[at + 1]?.gap ?? '');
}

/**
 * A verb by which an action is promised: `we will refund`, `a colleague calls`, `schicken wir`; not `you can cancel`.
 */
function promised(reading: Reading, at: number, mayDo: ReadonlySet<number>): Tag | undefined {
  const verb = tagOf(reading, at, 'verb');
  const tag = verb ?? tagOf(reading, at, 'later');
  if (tag === undefined) return undefined;
  const isEnd = (index: number): boolean => mayDo.has(index) || tagOf(reading, index, 'if') !== undefined;
  if (lookBack(reading, at, { list: 'will', reach: 8, isEnd }) !== undefined) return tag;
  if (verb === undefined) return undefined;
  if (tagOf(reading, at + verb.length, 'inverted') !== undefined) return verb;
  const isFar = (index: number): boolean =>
    isEnd(index) || tagOf(reading, index, 'customer') !== undefined || isClauseEnd(reading, index);
  return lookBack(reading, at, { list: 'we', reach: 4, isEnd: isFar }) === undefined ? undefined : verb;
}
