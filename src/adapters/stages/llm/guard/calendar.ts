import { type Fact, sameFact, takeFacts } from './facts.ts';

const monthNames = [
  'january januar janvier enero jan',
  'february februar février febrero feb',
  'march märz mars marzo mar',
  'april avril abril apr',
  'may mai mayo',
  'june juni juin junio jun',
  'july juli juillet julio jul',
  'august août agosto aug',
  'september septembre septiembre sept sep',
  'october oktober octobre octubre oct okt',
  'november novembre noviembre nov',
  'december dezember décembre diciembre dec dez',
];

const weekdayNames = [
  'sunday sundays sonntag sonntags dimanche domingo',
  'monday mondays montag montags lundi lunes',
  'tuesday tuesdays dienstag dienstags mardi martes',
  'wednesday wednesdays mittwoch mittwochs mercredi miércoles',
  'thursday thursdays donnerstag donnerstags jeudi jueves',
  'friday fridays freitag freitags vendredi viernes',
  'saturday saturdays samstag samstags sonnabend samedi sábado',
];

/** Words for days and times that depend on the present day. */
const relativeNames = {
  today: "today tonight heute aujourd'hui hoy",
  tomorrow: 'tomorrow demain mañana',
  after_tomorrow: 'übermorgen après-demain',
  yesterday: 'yesterday gestern ayer',
  noon: 'noon midday mittags midi mediodía',
  midnight: 'midnight mitternacht minuit medianoche',
  weekend: 'weekend wochenende',
  overnight: 'overnight',
};

const months = indexOf(monthNames);
const weekdays = indexOf(weekdayNames);
const relatives = indexOf(Object.values(relativeNames));

function indexOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.flatMap((list, at) => list.split(' ').map((name) => [name, at] as const)));
}

const alternatives = (names: ReadonlyMap<string, number>): string =>
  [...names.keys()].sort((a, b) => b.length - a.length).join('|');

const L = '(?<![\\p{L}\\p{N}])';
const R = '(?![\\p{L}\\p{N}])';
const month = `(${alternatives(months)})\\.?`;
const patterns = {
  iso: /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/g,
  numeric: /(?<![\d.,/])(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})?(?![\d/])/g,
  dayMonth: new RegExp(`${L}(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?(?: (?:of|de))? ${month}${R}`, 'gu'),
  monthDay: new RegExp(`${L}${month} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?${R}(?![.,:]\\d|%)`, 'gu'),
  clock: /(?<!\d)(\d{1,2})[:h](\d{2})(?::\d{2}(?:\.\d+)?z?)?(?!\d) ?(a\.?m|p\.?m)?\b\.?/g,
  hour: /(?<![\d.,])(\d{1,2})(?:\.(\d{2}))? ?(a\.?m\b|p\.?m\b|uhr\b|o'clock)\.?/g,
  weekday: new RegExp(`${L}(${alternatives(weekdays)})${R}`, 'gu'),
  month: new RegExp(`${L}(${alternatives(months)})${R}`, 'gu'),
  ambiguous: /\b(?:in|by|until|before|since|next|this|early|late|mid|from|to) (march|may)\b/g,
  relative: new RegExp(`${L}(${alternatives(relatives)})${R}`, 'gu'),
  spanned:
    /\b(next|this|last|coming|following|end of the|end of this|same|nächste[rnms]?|diese[rnms]?|prochaine?|próxim[ao]|est[ae]) (business day|working day|day|week|month|year|morning|afternoon|evening|woche|monat|jahr|semaine|mois|semana|mes|año)\b/gu,
  nextAfter: /\b(semaine|mois|semana|mes) (prochaine?|próxim[ao])\b/gu,
  tomorrowGerman: /(?<!\bguten )(?<!\bam )\bmorgen\b/g,
};

/** Polite phrases that only sound like a time. */
const harmless =
  /\b(?:(?:contacting|writing to|writing|messaging|reaching out to) us today|(?:help|assist) you(?: with)?(?: anything else)? today|(?:have|enjoy) a \p{L}+ (?:day|weekend|week|evening)|(?:have|enjoy) (?:your|the rest of your) (?:day|weekend|week|evening)|por la mañana|schönen tag|bonne journée|buen día|hoy en día)\b/gu;

/** Takes dates, weekdays and times out of a text. */
export function takeTimes(given: string, facts: Fact[]): string {
  let text = given.replaceAll(harmless, ' ; ');
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => Fact | undefined) => {
    text = takeFacts(text, pattern, read, facts);
  };
  take(patterns.iso, ([, year, m, d]) => dateFact(year, [[Number(m), Number(d)]]));
  take(patterns.numeric, ([all, a, b, year]) => {
    // Without a year, only `4.3.` can be told from a number.
    if (year === undefined && !/^\d+\.\d+\.$/.test(all)) return undefined;
    return dateFact(year, [
      [Number(b), Number(a)],
      [Number(a), Number(b)],
    ]);
  });
  take(patterns.clock, ([, hour, minute, half]) => clockFact(hour, minute, half));
  take(patterns.hour, ([, hour, minute = '00', half]) => clockFact(hour, minute, half));
  take(patterns.dayMonth, ([, d, name = '']) =>
    dateFact(undefined, [[(months.get(name) ?? 0) + 1, Number(d)]]),
  );
  take(patterns.monthDay, ([, name = '', d]) =>
    dateFact(undefined, [[(months.get(name) ?? 0) + 1, Number(d)]]),
  );
  take(patterns.weekday, ([, name = '']) => sameFact(`weekday:${weekdays.get(name)}`));
  take(patterns.ambiguous, ([, name = '']) => monthFact(name));
  take(patterns.month, ([, name = '']) => (shared.has(name) ? undefined : monthFact(name)));
  take(patterns.relative, ([, name = '']) => sameFact(`relative:${relatives.get(name)}`));
  take(patterns.tomorrowGerman, () => sameFact('relative:1'));
  take(patterns.spanned, ([all]) => sameFact(`relative:${all}`));
  take(patterns.nextAfter, ([all]) => sameFact(`relative:${all}`));
  return text;
}

/** Names of months that are words of other meanings too. */
const shared = new Set('may march mars mar jan sep dec mai apr nov aug jun jul'.split(' '));

function monthFact(name: string): Fact {
  return sameFact(`month:${(months.get(name) ?? 0) + 1}`);
}

/** A date; `orders` are the ways to read it, as month and day. */
function dateFact(
  year: string | undefined,
  orders: readonly (readonly [number, number])[],
): Fact | undefined {
  const valid = orders.filter(([m, d]) => m >= 1 && m <= 12 && d >= 1 && d <= 31);
  if (valid.length === 0) return undefined;
  const dates = valid.map(([m, d]) => `${m}-${d}`);
  const full = year === undefined ? [] : dates.map((date) => `date:${fullYear(year)}-${date}`);
  const days = valid.map(
    ([m, d]) => `weekday:${new Date(Date.UTC(Number(fullYear(year ?? '2000')), m - 1, d)).getUTCDay()}`,
  );
  return {
    asks: year === undefined ? dates.map((date) => `day:${date}`) : full,
    gives: [
      ...full,
      ...dates.map((date) => `day:${date}`),
      ...valid.map(([m]) => `month:${m}`),
      // With one way to read it, the date says which day of the week it is.
      ...(valid.length === 1 && year !== undefined ? days : []),
      ...(year === undefined ? [] : [`number:${fullYear(year)}`]),
    ],
  };
}

function fullYear(year: string): string {
  return year.length === 2 ? `20${year}` : year;
}

/** A time of day; without `am` or `pm` an hour up to twelve can be either. */
function clockFact(hour = '', minute = '', half = ''): Fact | undefined {
  const h = Number(hour);
  if (h > 24 || Number(minute) > 59) return undefined;
  const isHalf = half.startsWith('a') || half.startsWith('p');
  if (isHalf) return sameFact(`clock:${(h % 12) + (half.startsWith('p') ? 12 : 0)}:${minute}`);
  const either = h >= 1 && h <= 12 && !hour.startsWith('0');
  const hours = either ? [h % 12, (h % 12) + 12] : [h % 24];
  return sameFact(...hours.map((one) => `clock:${one}:${minute}`));
}
