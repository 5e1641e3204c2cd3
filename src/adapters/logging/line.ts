import { rawErrorText } from '../../domain/error-text.ts';
import { type JsonValue, setOwn } from '../../lib/json/json.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { LogFields } from '../../ports/logger.ts';

/** The fields of a line as plain JSON. */
export type PlainFields = Readonly<Record<string, JsonValue>>;

/** Maximum length of one text in a line, in characters. */
export const MAX_TEXT = 8_000;

/** Fields up to this length do not use the budget of characters, so that a large field does not truncate them. */
const SHORT_TEXT = 256;

/** Limits of the fields of one call, so that every line has a bounded size. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 500;
const MAX_CHARACTERS = 32_000;
const MAX_NAME = 128;

/** Names that every line uses itself. */
const reserved = new Set(['level', 'time', 'msg']);

/** The rest of the limits. */
interface Budget {
  members: number;
  characters: number;
}

/**
 * Copies `fields` to plain JSON, on top of `inherited`. Values that are too large or too deep are truncated, errors get
 * their stack, and a reserved name gets a `_` appended. Never throws: if a getter or `toJSON` does, the remaining
 * fields are omitted and the line has the field `unreadable`.
 */
export function plainFields(fields: LogFields, inherited?: PlainFields): PlainFields {
  const plain: Record<string, JsonValue> = { ...inherited };
  const budget: Budget = { members: MAX_MEMBERS, characters: MAX_CHARACTERS };
  try {
    for (const [key, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      if (budget.members <= 0) {
        plain['…'] = '[more]';
        break;
      }
      const name = truncate(reserved.has(key) ? `${key}_` : key, MAX_NAME);
      setOwn(plain, name, plainField(value, budget));
    }
  } catch {
    plain['unreadable'] = true;
  }
  return plain;
}

function plainField(value: unknown, budget: Budget): JsonValue {
  if (typeof value !== 'string' || value.length > SHORT_TEXT) return plainValue(value, budget, 0);
  budget.members -= 1;
  return value;
}

function plainText(text: string, budget: Budget): string {
  const truncated = truncate(text, Math.max(2, Math.min(MAX_TEXT, budget.characters)));
  budget.characters -= truncated.length;
  return truncated;
}

function plainValue(value: unknown, budget: Budget, depth: number): JsonValue {
  budget.members -= 1;
  switch (typeof value) {
    case 'string':
      return plainText(value, budget);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return plainText(value.toString(), budget);
    case 'object':
      return value === null ? null : plainObject(value, budget, depth);
    default:
      return `[${typeof value}]`;
  }
}

function plainObject(value: object, budget: Budget, depth: number): JsonValue {
  if (value instanceof Error) return plainError(value, budget);
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return plainArray(value, budget, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return `[${value.size} entries]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return plainValue(value.toJSON(), budget, depth + 1);
  }
  return plainMembers(value, budget, depth);
}

function plainArray(values: readonly unknown[], budget: Budget, depth: number): JsonValue {
  const plain: JsonValue[] = [];
  for (const item of values) {
    if (budget.members <= 0) {
      plain.push(`[${values.length - plain.length} more]`);
      break;
    }
    plain.push(plainValue(item, budget, depth + 1));
  }
  return plain;
}

function plainMembers(value: object, budget: Budget, depth: number): JsonValue {
  const plain: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (budget.members <= 0) {
      plain['…'] = '[more]';
      break;
    }
    if (member !== undefined) setOwn(plain, plainText(key, budget), plainValue(member, budget, depth + 1));
  }
  return plain;
}

function plainError(error: Error, budget: Budget): JsonValue {
  return {
    type: plainText(String(error.name), budget),
    message: plainText(String(error.message), budget),
    stack: plainText(rawErrorText(error), budget),
  };
}

/** Shorter secrets are not masked: they would match ordinary text in every line. */
const MIN_SECRET_LENGTH = 6;

const MASK = '[secret]';

/** Characters that JSON does not escape, but that terminals interpret or some readers treat as the end of a line. */
const unsafe = /[\u007f-\u009f\u2028\u2029]/;
const everyUnsafe = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * Creates the last step for a line of JSON: masks `secrets` in its texts and names, and escapes control characters. The
 * line is parsed only if it contains a secret.
 */
export function createLineSanitizer(secrets: readonly string[]): (line: string) => string {
  // The longest first, so that a secret that starts with another one is masked completely.
  const known = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length);
  const inJson = known.map((secret) => JSON.stringify(secret).slice(1, -1));
  const mask = (text: string): string =>
    known.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
  return (line) => {
    const masked = inJson.some((secret) => line.includes(secret)) ? maskLine(line, mask) : line;
    return unsafe.test(masked) ? masked.replace(everyUnsafe, escapeCharacter) : masked;
  };
}

/** Masks only within texts, so that the line stays JSON whatever characters a secret contains. */
function maskLine(line: string, mask: (text: string) => string): string {
  return `${JSON.stringify(JSON.parse(line, (_key, value: unknown) => maskValue(value, mask)))}\n`;
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [mask(key), member]));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
