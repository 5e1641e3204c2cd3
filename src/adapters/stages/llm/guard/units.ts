/** Words for units, by the unit that they count in, in English, German, French and Spanish. */
const words = {
  percent: '% percent pct prozent pourcent percentage',
  money: 'cent cents pence pennies centimes francs franken francos złoty kr yen bucks quid',
  eur: '€ euro euros eur',
  usd: '$ dollar dollars usd dólar dólares',
  gbp: '£ pound pounds gbp sterling pfund livres libras',
  minute: 'minute minutes min mins minuten minuto minutos',
  hour: 'hour hours hr hrs h stunde stunden std heure heures hora horas',
  day: `day days tag tage tagen tages tägig tägige tägigen tägiger tägiges werktag werktage werktagen arbeitstag
    arbeitstage arbeitstagen bankarbeitstage geschäftstage kalendertage jour jours journée journées día días dia dias`,
  week: 'week weeks woche wochen semaine semaines semana semanas',
  month: 'month months monat monate monaten mois mes meses',
  year: 'year years yr yrs jahr jahre jahren an ans année années año años',
} as const;

/** A unit of {@link words}, or that of the numbers of orders, invoices and the like. */
export type Unit = keyof typeof words | 'id';

const unitOf: ReadonlyMap<string, Unit> = new Map(
  Object.entries(words).flatMap(([unit, names]) =>
    names.split(/\s+/).map((name) => [name, unit as Unit] as const),
  ),
);

/** The unit that a word names. */
export function unitNamed(word: string): Unit | undefined {
  return unitOf.get(word);
}

/** Words between a number and its unit. */
const between = new Set(
  `full more further additional whole working business calendar consecutive ganze weitere volle jours días`.split(
    ' ',
  ),
);

/** The unit that follows a number: `30 days`, `30-day`, `5 working days`, `40€`. */
export function unitAfter(after: string): Unit | undefined {
  if (/^ ?(?:per cent|pour cent|pour-cent|por ciento)/.test(after)) return 'percent';
  const found = after.slice(0, 48).match(/^[ -]?([%€$£]|\p{L}+)(?:[ -](\p{L}+))?/u);
  if (found === null) return undefined;
  const [, first = '', second = ''] = found;
  return unitOf.get(first) ?? (between.has(first) ? unitOf.get(second) : undefined);
}

/** The unit before a number: `$40`, `EUR 40`, `order 50`, `#50`. */
export function unitBefore(before: string): Unit | undefined {
  const found = before.slice(-32).match(/(?:([$€£])|\b(usd|eur|gbp)|(#|\b\p{L}+)[ :-]*) ?$/u);
  if (found === null) return undefined;
  const [, sign, code, word] = found;
  if (sign !== undefined || code !== undefined) return unitOf.get(sign ?? code ?? '');
  return idWords.has(word ?? '') ? 'id' : undefined;
}

/** Words before a number that names something, rather than counts. */
const idWords = new Set(
  `# id no nr number order orders parcel package shipment tracking invoice bill receipt ticket case reference ref code
   nummer bestellung bestellnummer auftrag rechnung sendung numéro commande facture colis número pedido factura`.split(
    /\s+/,
  ),
);

/** The unit of a value, by the words of its name: `eta_days`, `price_eur`, `order_id`. */
export function unitOfName(name: string): Unit | undefined {
  const parts = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  if (parts.some((part) => part === 'id' || part === 'number' || part === 'code')) return 'id';
  return parts.map((part) => unitOf.get(part)).find((unit) => unit !== undefined);
}

/** A number in a smaller unit, where that is exact: two weeks are 14 days. */
export function inSmallerUnit(value: string, unit: Unit): readonly [string, Unit] {
  const count = Number(value);
  if (unit === 'week') return [String(count * 7), 'day'];
  if (unit === 'year') return [String(count * 12), 'month'];
  return [value, unit];
}
