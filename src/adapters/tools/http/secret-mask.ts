import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';

/** A secret as a header sends it. */
export interface SentSecret {
  /** What stands before it, such as `Bearer`; empty for none. */
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
  const plain = createMatcher(
    long.flatMap(({ value }) => [lower(decode(value)), lower(value.replaceAll('\\', ''))]),
  );
  const encoded = createMatcher(long.flatMap(base64Forms).map(toStandardAlphabet));
  const numbers = new Set(long.flatMap(({ value }) => (/^\d+$/.test(value) ? [Number(value)] : [])));

  function text(given: string): string {
    if (given.length < MIN_SECRET_LENGTH) return given;
    const found: Range[] = [];
    /** Where the characters begin, without the backslashes. */
    const starts: number[] = [];
    let inPlain = 0;
    let inEncoded = 0;
    for (let at = 0; at < given.length; ) {
      const start = at;
      const code = given.charCodeAt(at);
      const escaped = code === BACKSLASH || code === PERCENT ? readEscape(given, at) : undefined;
      at = escaped?.end ?? at + 1;
      if (code === BACKSLASH && escaped === undefined) continue;
      starts.push(start);
      inPlain = plain.next(inPlain, lowerCode(escaped?.code ?? code));
      inEncoded = encoded.next(inEncoded, standardCode(escaped?.code ?? code));
      const plainLength = plain.lengthAt(inPlain);
      if (plainLength > 0) addRange(found, starts.at(-plainLength) ?? 0, at);
      const encodedLength = encoded.lengthAt(inEncoded);
      if (encodedLength > 0) addEncoded(found, given, starts.at(-encodedLength) ?? 0, at);
    }
    return found.length === 0 ? given : replaceRanges(given, found);
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

const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** A character that was written as an escape, and where the next one begins. */
interface Escaped {
  readonly code: number;
  readonly end: number;
}

/** The character of an escape of JSON or of a URL; undefined where there is none. */
function readEscape(text: string, at: number): Escaped | undefined {
  const isPercent = text.charCodeAt(at) === PERCENT;
  if (!isPercent && text.charCodeAt(at + 1) !== LETTER_U) return undefined;
  const first = isPercent ? at + 1 : at + 2;
  const end = isPercent ? at + 3 : at + 6;
  let code = 0;
  for (let place = first; place < end; place++) {
    const digit = hexDigit(text.charCodeAt(place));
    if (digit < 0) return undefined;
    code = code * 16 + digit;
  }
  return { code, end };
}

const LETTER_U = 0x75;

/** The value of a hexadecimal digit; -1 for any other character, and after the end of a text. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** A text without escapes and backslashes: those before a character escape it in JSON. */
function decode(text: string): string {
  let decoded = '';
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const escaped = code === BACKSLASH || code === PERCENT ? readEscape(text, at) : undefined;
    if (escaped !== undefined || code !== BACKSLASH) decoded += String.fromCharCode(escaped?.code ?? code);
    at = escaped?.end ?? at + 1;
  }
  return decoded;
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

function standardCode(code: number): number {
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

const lowerCode = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Adds a range that begins in or after the last one, or before it and reaches into it. Ranges that touch become one.
 */
function addRange(ranges: Range[], start: number, end: number): void {
  const whole = { start, end };
  let last = ranges.at(-1);
  while (last !== undefined && last.end >= whole.start) {
    whole.start = Math.min(whole.start, last.start);
    whole.end = Math.max(whole.end, last.end);
    ranges.pop();
    last = ranges.at(-1);
  }
  ranges.push(whole);
}

/** Adds a range of Base64 with the characters beside it that a part of the secret is in, and the padding. */
function addEncoded(ranges: Range[], text: string, start: number, end: number): void {
  const after = /[A-Za-z0-9+/_-]?(?:=|%3D|\\u003d){0,2}/iy;
  after.lastIndex = end;
  const isInside = start > 0 && /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1));
  addRange(ranges, isInside ? start - 1 : start, end + (after.exec(text)?.[0].length ?? 0));
}

/** The text with the ranges replaced. */
function replaceRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    parts.push(text.slice(from, start), MASK);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** Finds texts of ASCII in a stream of characters: the automaton of Aho and Corasick, one step for each character. */
interface Matcher {
  /** The state after one more character. The first state is 0. */
  next(state: number, code: number): number;
  /** The length of the longest text that ends in this state; 0 for none. */
  lengthAt(state: number): number;
}

/** The characters that secrets consist of. */
const ALPHABET = 128;

function createMatcher(patterns: readonly string[]): Matcher {
  const size = 1 + patterns.reduce((sum, { length }) => sum + length, 0);
  const steps = new Int32Array(size * ALPHABET);
  const lengths = new Int32Array(size);
  let states = 1;
  for (const pattern of patterns) {
    let state = 0;
    for (let at = 0; at < pattern.length; at++) {
      const edge = state * ALPHABET + (pattern.charCodeAt(at) % ALPHABET);
      steps[edge] ||= states++;
      state = steps[edge] ?? 0;
    }
    lengths[state] = pattern.length;
  }
  completeSteps(steps, lengths);
  return {
    next: (state, code) => (code < ALPHABET ? (steps[state * ALPHABET + code] ?? 0) : 0),
    lengthAt: (state) => lengths[state] ?? 0,
  };
}

/** Adds to a tree of texts where each state goes on with a character that none of its texts has. */
function completeSteps(steps: Int32Array, lengths: Int32Array): void {
  const fallback = new Int32Array(lengths.length);
  const queue = [0];
  for (const state of queue) {
    for (let code = 0; code < ALPHABET; code++) {
      const edge = state * ALPHABET + code;
      const child = steps[edge] ?? 0;
      const elsewhere = state === 0 ? 0 : (steps[(fallback[state] ?? 0) * ALPHABET + code] ?? 0);
      if (child === 0) {
        steps[edge] = elsewhere;
        continue;
      }
      fallback[child] = elsewhere;
      lengths[child] ||= lengths[elsewhere] ?? 0;
      queue.push(child);
    }
  }
}
