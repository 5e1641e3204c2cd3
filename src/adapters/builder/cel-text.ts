import { isPlainObject } from '../../lib/json/json.ts';

/** Names that need no quotes after a dot. */
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words that CEL keeps for itself; as keys they are written with quotes. */
const reserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package prototype return true var void while __proto__'.split(
    ' ',
  ),
);

/** What ends a text or a line in CEL, and what has no visible form. */
const special = /['\\\p{Cc}\u2028\u2029]/gu;

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** The access to a member or an item: `.total`, `['my-step']`, `[0]`. Throws `TypeError` for other keys. */
export function celAccess(key: string | number): string {
  if (typeof key === 'string') {
    return identifier.test(key) && !reserved.has(key) ? `.${key}` : `[${celText(key)}]`;
  }
  if (Number.isSafeInteger(key) && key >= 0) return `[${key}]`;
  throw new TypeError(`${key} is not the index of an item: it must be a whole number from 0`);
}

/** A text as a literal of CEL. Throws `TypeError` for a text that is not valid Unicode. */
export function celText(text: string): string {
  if (!text.isWellFormed())
    throw new TypeError('a text is not valid Unicode: it has half of a surrogate pair');
  return `'${text.replace(special, escapeOf)}'`;
}

/** A JSON value as a literal of CEL; whole numbers become integers. Throws `TypeError` for what is not JSON. */
export function celLiteral(value: unknown): string {
  if (typeof value === 'string') return celText(value);
  if (typeof value === 'number') return celNumber(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, celLiteral).join(', ')}]`;
  if (!isPlainObject(value) || Object.getOwnPropertySymbols(value).length > 0)
    throw new TypeError(`a value of type ${typeof value} is not JSON`);
  const members = Object.entries(value).map(([key, member]) => `${celText(key)}: ${celLiteral(member)}`);
  return `{${members.join(', ')}}`;
}

function celNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is not JSON`);
  // Integers of CEL have 64 bits, so that a larger one is written as a floating-point number.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

function escapeOf(character: string): string {
  return escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
