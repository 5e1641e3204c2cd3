import { isJsonArray, type JsonValue } from '../../../lib/json/json.ts';
import type { ExpressionKind } from '../expression.ts';
import { InputError } from '../step-input.ts';

/** The kind of a value; never `any`. */
export function kindOf(value: JsonValue): ExpressionKind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  return isJsonArray(value) ? 'list' : 'object';
}

/** A kind with its article: `a text`. */
function describeKind(kind: ExpressionKind): string {
  if (kind === 'null') return 'null';
  if (kind === 'any') return 'any value';
  return kind === 'object' ? 'an object' : `a ${kind}`;
}

/** The error for a value of the wrong kind: `when: must be a boolean, but it is a text`. */
export function wrongKind(name: string, wanted: ExpressionKind, found: ExpressionKind): InputError {
  return new InputError(`${name}: must be ${describeKind(wanted)}, but it is ${describeKind(found)}`);
}
