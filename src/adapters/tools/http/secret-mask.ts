import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { occurrencesOf } from '../../../lib/text/occurrences.ts';

/** A secret as a header sends it. */
export interface SentSecret {
  /** The word before it, such as `Bearer`; empty for none. */
  readonly scheme: string;
  readonly value: string;
}

/** Replaces secrets by `[secret]`. */
export interface SecretMask {
  /** In a text. */
  text(text: string): string;
  /** In all texts, numbers and names of members of a value. */
  json(value: JsonValue): JsonValue;
}

/** Shorter secrets are not looked for: they would be found in what has nothing to do with them. */
const MIN_SECRET_LENGTH = 8;

const MASK = '[secret]';

/** Deeper values are refused by every caller of a tool. */
const MAX_DEPTH = 100;

/**
 * Creates the mask of some secrets. It finds each of them in upper and lower case, with the escapes of JSON and of URLs
 * in any mixture, and in Base64 or Base64url, alone or as a part of a longer text. It takes time for the length of a
 * text only.
 */
export function createSecretMask(secrets: readonly SentSecret[]): SecretMask {
  const long = secrets.flatMap(withDecoded).filter(({ value }) => value.length >= MIN_SECRET_LENGTH);
  const plain = findersOf(
    long.flatMap(({ value }) => [lower(decode(value)), lower(value.replaceAll('\\', ''))]),
  );
  const encoded = findersOf(long.flatMap(base64Forms).map(toStandardAlphabet));
  const numbers = new Set(long.flatMap(({ value }) => (/^\d+$/.test(value) ? [Number(value)] : [])));

  function text(given: string): string {
    if (given.length < MIN_SECRET_LENGTH) return given;
    const decoded = decode(given);
    const inPlain = plain.flatMap((find) => find(lower(decoded)));
    const inEncoded = encoded.flatMap((find) => find(toStandardAlphabet(decoded)));
    if (inPlain.length + inEncoded.length === 0) return given;
    const { starts, ends } = placesOf(given);
    const toGiven = ({ start, end }: Range): Range => ({
      start: starts[start] ?? 0,
      end: ends[end - 1] ?? 0,
    });
    return replaceRanges(given, [
      ...inPlain.map(toGiven),
      ...inEncoded.map((range) => withNeighbours(toGiven(range), given)),
    ]);
  }

  function json(value: JsonValue, depth = 0): JsonValue {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number')
      return numbers.has(value) || text(String(value)) !== String(value) ? MASK : value;
    if (depth >= MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item: JsonValue) => json(item, depth + 1));
    return isJsonObject(value) ? members(value, depth) : value;
  }

  function members(value: JsonObject, depth: number): JsonObject {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [text(name), json(member, depth + 1)]),
    );
  }

  if (long.length === 0) return { text: (given) => given, json: (value) => value };
  return { text, json: (value) => json(value) };
}

/** A part of a text: from `start` to before `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The escapes of JSON and of URLs, and other backslashes, which escape the next character in JSON. */
const escapes = /%([0-9a-fA-F]{2})|\\+(?!u[0-9a-fA-F]{4})|\\u([0-9a-fA-F]{4})/g;

/** A text without escapes and backslashes. */
function decode(text: string): string {
  return text.replace(escapes, (_escape, percent?: string, unicode?: string) => {
    const digits = percent ?? unicode;
    return digits === undefined ? '' : String.fromCharCode(Number.parseInt(digits, 16));
  });
}

/** Where each character of the decoded text begins and ends in the text itself. */
function placesOf(text: string): { readonly starts: readonly number[]; readonly ends: readonly number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (start: number, end: number): void => {
    starts.push(start);
    ends.push(end);
  };
  let at = 0;
  for (const { 0: sign, index } of text.matchAll(escapes)) {
    for (; at < index; at++) add(at, at + 1);
    at += sign.length;
    if (!sign.endsWith('\\')) add(index, at);
  }
  for (; at < text.length; at++) add(at, at + 1);
  return { starts, ends };
}

/** The secret, and for `Basic` also the name and password that it stands for: servers know them. */
function withDecoded(secret: SentSecret): readonly SentSecret[] {
  if (secret.scheme.toLowerCase() !== 'basic') return [secret];
  const credentials = Buffer.from(secret.value, 'base64').toString('latin1');
  const colon = credentials.indexOf(':');
  if (colon < 0 || !/^[\x20-\x7e]+$/.test(credentials)) return [secret];
  const parts = [credentials, credentials.slice(colon + 1)];
  return [secret, ...parts.map((value) => ({ scheme: '', value }))];
}

/**
 * The Base64 of a secret at each place that it can have in a longer text, without the characters that depend on what is
 * beside it; and of the secret with its scheme, from its beginning.
 */
function base64Forms({ scheme, value }: SentSecret): string[] {
  const inside = [0, 1, 2].map((before) => {
    const base64 = Buffer.from(' '.repeat(before) + value, 'latin1').toString('base64');
    const bits = (before + value.length) * 8;
    return base64.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  });
  if (scheme === '') return inside;
  const whole = Buffer.from(`${scheme} ${value}`, 'latin1').toString('base64');
  return [...inside, whole.slice(0, Math.floor(((scheme.length + 1 + value.length) * 8) / 6))];
}

const toStandardAlphabet = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/');

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A range of Base64 with the characters beside it that a part of the secret is in, and the padding. */
function withNeighbours({ start, end }: Range, text: string): Range {
  const after = /[A-Za-z0-9+/_-]?(?:=|%3D|\\u003d){0,2}/iy;
  after.lastIndex = end;
  const isInside = start > 0 && /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1));
  return { start: isInside ? start - 1 : start, end: end + (after.exec(text)?.[0].length ?? 0) };
}

/** The text with the ranges replaced; those that touch become one. */
function replaceRanges(text: string, ranges: readonly Range[]): string {
  let replaced = '';
  let from = -1;
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    if (start > from) replaced += text.slice(Math.max(from, 0), start) + MASK;
    from = Math.max(from, end);
  }
  return replaced + text.slice(from);
}

/** Finds the ranges of all occurrences of a text; those that overlap are one. */
type Find = (text: string) => readonly Range[];

function findersOf(patterns: readonly string[]): readonly Find[] {
  return [...new Set(patterns)].map(createFind);
}

function createFind(pattern: string): Find {
  const occurrencesIn = occurrencesOf(pattern);
  return (text) => {
    const found: Range[] = [];
    const first = text.indexOf(pattern);
    if (first < 0) return found;
    for (const start of occurrencesIn(text, first)) {
      const end = start + pattern.length;
      const last = found.at(-1);
      if (last === undefined || last.end <= start) found.push({ start, end });
      else found[found.length - 1] = { start: last.start, end };
    }
    return found;
  };
}
