import type { CallContext } from '../../../domain/message/call-context.ts';
import { ToolError } from '../../../domain/tool-error.ts';
import { isJsonArray, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { membersOf } from '../../../lib/json/schema-members.ts';
import { quote } from '../../../lib/text/quote.ts';
import { ExpressionError } from '../../shared/expressions/expression.ts';
import { parseValueTemplate, type ValueTemplate } from '../../shared/expressions/templates.ts';
import { type Report, tryParse } from './issues.ts';

/** A part of a template: literal text, or one expression that keeps the type of its value. */
export type TemplatePart = ValueTemplate['parts'][number];

/** The place of a template in a definition, and the schema of the input that its expressions may read. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: JsonObject | undefined;
  readonly report: Report;
}

/** Maximum number of expressions in one address, header, parameter or text. */
const MAX_EXPRESSIONS = 32;

/**
 * The parts of a template. Reports wrong expressions and unknown values, and returns undefined where it cannot be used.
 */
export function parseParts(text: string, place: Place): readonly TemplatePart[] | undefined {
  const { path, report } = place;
  return tryParse(report, path, () => {
    const { references, parts } = parseValueTemplate(text, toolRoots);
    reportReferences(references, place);
    if (parts.filter((part) => typeof part === 'object').length > MAX_EXPRESSIONS) {
      report(path, `must have at most ${MAX_EXPRESSIONS} expressions`);
    }
    return parts;
  });
}

/** Reports paths that lead to nothing. */
export function reportReferences(
  references: readonly (readonly string[])[],
  { path, schema, report }: Place,
): void {
  for (const reference of references) {
    const problem = referenceProblem(reference, schema);
    if (problem !== undefined) report(path, problem);
  }
}

/** True for a template that is literal text only. */
export function isLiteral(parts: readonly TemplatePart[]): boolean {
  return parts.every((part) => typeof part === 'string');
}

/** Makes a part of a request from the values of the roots. Throws a permanent `ToolError`, which names the part. */
export type Render = (values: JsonObject) => string;

/** Evaluates a template. Throws a permanent `ToolError`, which names the place and none of the values. */
export function evaluateAt<T>(
  template: { evaluate(values: JsonObject): T },
  values: JsonObject,
  place: string,
): T {
  try {
    return template.evaluate(values);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ToolError(`${place}: ${error.message}`, { permanent: true, cause: error });
  }
}

/** As {@link evaluateAt}, as text. Null, lists and objects throw too: they have no place in an address or a header. */
export function evaluateText(
  template: { evaluate(values: JsonObject): JsonValue },
  values: JsonObject,
  place: string,
): string {
  return textOf(evaluateAt(template, values, place), place);
}

/** A value as text. Throws a permanent `ToolError` for null, lists and objects. */
export function textOf(value: JsonValue, place: string): string {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const kind = value === null ? 'null' : isJsonArray(value) ? 'a list' : 'an object';
  throw new ToolError(`${place}: a value is ${kind}, but must be a text, a number or a boolean`, {
    permanent: true,
  });
}

/** The roots that the expressions of a tool may read. */
export const toolRoots = ['input', 'customer', 'conversation', 'message', 'metadata'] as const;

/** The members of the roots that have fixed ones. */
const members: Readonly<Record<string, readonly string[]>> = {
  customer: ['id'],
  conversation: ['id'],
  message: ['text', 'subject', 'source', 'metadata'],
};

/** The values of the roots. Those about a message are null where the call serves none. */
export function valuesOf(input: JsonObject, context: CallContext): JsonObject {
  const { customerId, conversationId, source, message } = context;
  const metadata = context.metadata === null ? null : { ...context.metadata };
  return {
    input,
    customer: { id: customerId },
    conversation: { id: conversationId },
    message: { text: message?.text ?? null, subject: message?.subject ?? null, source, metadata },
    metadata,
  };
}

/** The problem with a path that an expression reads; undefined where none is known. */
function referenceProblem(
  [root = '', member]: readonly string[],
  schema: JsonObject | undefined,
): string | undefined {
  if (member === undefined) return undefined;
  const known = root === 'input' ? inputMembers(schema) : members[root];
  if (known === undefined || known.includes(member)) return undefined;
  return `there is no ${quote(`${root}.${member}`)}: ${root} has ${known.join(', ') || 'no members'}`;
}

/** The members that an input may have; undefined where the schema does not say. */
function inputMembers(schema: JsonObject | undefined): readonly string[] | undefined {
  if (schema === undefined) return [];
  const known = membersOf(schema);
  return known && [...known.keys()];
}
