import type { JsonValue } from '../../lib/json/json.ts';
import {
  built,
  builtSource,
  type CelExpression,
  isExpression,
  type Literal,
  type Part,
  type TextTemplate,
} from './built.ts';
import { celLiteral, celText } from './cel-text.ts';

const OPENING = '$'.concat('{{');

/** A value that is taken as it is: texts in it that look like templates, such as `$input.x` or `${{ x }}`, are none. */
export function literal(value: JsonValue): Literal {
  return { [built]: { kind: 'literal', value } };
}

/**
 * A text. What is inserted by `${…}` becomes a part of it when the step runs: references and expressions by their
 * values, as JSON where they are no texts. Everything else is taken as it is, whatever it looks like. Throws
 * `TypeError` for a value that is not JSON.
 *
 *     title: ({ steps }) => text`Refund ${steps.order.total} EUR?`
 */
export function text(strings: TemplateStringsArray, ...parts: readonly Part[]): TextTemplate {
  const merged: (string | CelExpression)[] = [];
  for (const [index, chunk] of strings.entries()) {
    append(merged, chunk);
    const part = parts[index];
    if (part !== undefined) append(merged, isExpression(part) ? part : textOf(part));
    else if (index < parts.length) throw new TypeError('undefined is not JSON');
  }
  const expressions = merged.filter((part) => typeof part !== 'string');
  const template = expressions.length === 0 ? escapeText(merged.join('')) : templateOf(merged);
  return { [built]: { kind: 'text', template, expressions } };
}

/** Adds a part; texts beside each other become one, because an escape may span them. */
function append(parts: (string | CelExpression)[], part: string | CelExpression): void {
  const last = parts.at(-1);
  if (part === '') return;
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
  else parts.push(part);
}

function textOf(part: Literal | JsonValue): string {
  const source = builtSource(part);
  const value = source?.kind === 'literal' ? source.value : part;
  if (typeof value === 'string') return value;
  // Refuses what is not JSON.
  celLiteral(value);
  return JSON.stringify(value);
}

function templateOf(parts: readonly (string | CelExpression)[]): string {
  const texts = parts.map((part, index) =>
    typeof part === 'string'
      ? escapePart(part, index === 0, index === parts.length - 1)
      : embed(part[built].cel),
  );
  // A string that is wholly one expression has the type of its value: an empty text beside it makes it a text.
  return (parts.length === 1 ? embed(celText('')) : '') + texts.join('');
}

/**
 * A literal beside expressions. A `$` at the start or before an expression would be an escape: it becomes an
 * expression.
 */
function escapePart(part: string, isFirst: boolean, isLast: boolean): string {
  const end = isLast ? '' : (/\$+$/.exec(part)?.[0] ?? '');
  const rest = part.slice(0, part.length - end.length);
  const start = isFirst && rest.startsWith('$') ? '$' : '';
  return [dollars(start), escapeOpenings(rest.slice(start.length)), dollars(end)].join('');
}

function dollars(signs: string): string {
  return signs === '' ? '' : embed(celText(signs));
}

function escapeOpenings(part: string): string {
  return part.replaceAll(OPENING, () => `$${OPENING}`);
}

/** The string of a definition whose value is that of the expression. */
export function embed(source: string): string {
  return `${OPENING} ${source} }}`;
}

/** The string of a definition that stands for exactly this text. */
export function escapeText(value: string): string {
  const escaped = escapeOpenings(value);
  if (!value.startsWith('$')) return escaped;
  const prefixed = `$${value}`;
  if (escaped === value || escaped === prefixed) return prefixed;
  // With both escapes in one string it would matter which is read first: the first `$` becomes an expression.
  return dollars('$') + escapeOpenings(value.slice(1));
}
