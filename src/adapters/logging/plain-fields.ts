import { rawErrorText } from '../../domain/error-text.ts';
import { type JsonValue, setOwn } from '../../lib/json/json.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { LogFields } from '../../ports/logger.ts';

/** The fields of a line as plain JSON. */
export type PlainFields = Readonly<Record<string, JsonValue>>;

/** The most characters that one text of a line keeps. */
export const MAX_TEXT = 8_000;

/** What one call's fields may come to, so that no value makes a line, or the writing of it, grow without end. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 500;
const MAX_CHARACTERS = 32_000;

/** Names that the line itself bears. */
const reserved = new Set(['level', 'time', 'msg']);

interface Budget {
  members: number;
  characters: number;
}

/**
 * `fields` on top of `under`, as plain JSON that is aliased to nothing of the caller's. Never throws: what cannot be
 * read is named as such, what is too large or too deep is cut, and errors are told with their stack. A name that
 * every line bears already gets a `_` behind it.
 */
export function plainFields(fields: LogFields, under?: PlainFields): PlainFields {
  const plain: Record<string, JsonValue> = under === undefined ? {} : { ...under };
  let budget: Budget | undefined;
  try {
    for (const key of Object.keys(fields)) {
      const name = reserved.has(key) ? `${key}_` : key;
      const value = member(fields, key);
      if (typeof value === 'string' && value.length <= 256) {
        setOwn(plain, name, value);
        continue;
      }
      if (value === undefined) continue;
      budget ??= { members: MAX_MEMBERS, characters: MAX_CHARACTERS };
      setOwn(plain, truncate(name, 128), plainValue(value, budget, 0));
    }
  } catch {
    plain['unreadable'] = true;
  }
  return plain;
}

function member(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return '[unreadable]';
  }
}

function plainText(text: string, budget: Budget): string {
  const kept = truncate(text, Math.max(2, Math.min(MAX_TEXT, budget.characters)));
  budget.characters -= kept.length;
  return kept;
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
  try {
    if (value instanceof Error) return plainError(value, budget);
    if (depth >= MAX_DEPTH) return '[too deep]';
    if (Array.isArray(value)) return plainArray(value, budget, depth);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Map || value instanceof Set) return `[${value.size} entries]`;
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return plainValue(value.toJSON(), budget, depth + 1);
    }
    return plainMembers(value, budget, depth);
  } catch {
    return '[unreadable]';
  }
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
  for (const key of Object.keys(value)) {
    if (budget.members <= 0) {
      plain['…'] = '[more]';
      break;
    }
    const held = member(value, key);
    if (held !== undefined) setOwn(plain, plainText(key, budget), plainValue(held, budget, depth + 1));
  }
  return plain;
}

function plainError(error: Error, budget: Budget): JsonValue {
  const { name, message } = error;
  return {
    type: plainText(String(name), budget),
    message: plainText(String(message), budget),
    stack: plainText(rawErrorText(error), budget),
  };
}
