import { getOwn, type JsonObject } from './json.ts';

/** The longest text of an example, in characters. */
const MAX_TEXT = 10_000;

/** A text of each format that checks look at. */
const texts: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A text that fits `format`, or the bounds of the length; undefined for one that would be very long. */
export function exampleText(schema: JsonObject): string | undefined {
  const format = getOwn(schema, 'format');
  const formatted = typeof format === 'string' && Object.hasOwn(texts, format) ? texts[format] : undefined;
  if (formatted !== undefined) return formatted;
  const atLeast = numberOf(schema, 'minLength') ?? 0;
  if (atLeast > MAX_TEXT) return undefined;
  return 'text'.slice(0, numberOf(schema, 'maxLength') ?? MAX_TEXT).padEnd(atLeast, 'x');
}

/** 0, or the number within the bounds that is next to it; a multiple of `step`, unless that is 0. */
export function exampleNumber(schema: JsonObject, step: number): number {
  const multiple = numberOf(schema, 'multipleOf') ?? step;
  const above = numberOf(schema, 'exclusiveMinimum');
  const below = numberOf(schema, 'exclusiveMaximum');
  const from = Math.max(numberOf(schema, 'minimum') ?? -Infinity, above ?? -Infinity);
  const to = Math.min(numberOf(schema, 'maximum') ?? Infinity, below ?? Infinity);
  if (from > 0 || above === 0) return next(from, above === from, multiple || between(from, to));
  if (to < 0 || below === 0) return -next(-to, below === to, multiple || between(-to, -from));
  return 0;
}

/** The first multiple of `step` from `from` on, or after it. */
function next(from: number, isExclusive: boolean, step: number): number {
  const first = Math.ceil(from / step) * step;
  if (step < 1 && !isExclusive) return from;
  return isExclusive && first === from ? first + step : first;
}

/** A step that is smaller than what lies between two bounds. */
function between(from: number, to: number): number {
  return to - from > 2 ? 1 : (to - from) / 2;
}

/** A keyword of a schema whose value is a number. */
export function numberOf(schema: JsonObject, key: string): number | undefined {
  const value = getOwn(schema, key);
  return typeof value === 'number' ? value : undefined;
}
