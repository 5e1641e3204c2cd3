import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { jsonByteLength } from '../../../lib/json/size.ts';
import type { Step } from '../definition.ts';
import type { Expression, ExpressionKind, ExpressionLanguage, ParseBudget } from '../expression.ts';
import { InputError } from '../step-input.ts';
import { kindOf, wrongKind } from './kinds.ts';
import { lazy } from './lazy.ts';
import { type FindStep, itemRoots, type Reads, readsOf, roots, type StepSources, valuesOf } from './scope.ts';

/** What the members of a step are parsed with. */
export interface Parsing {
  readonly language: ExpressionLanguage;
  readonly findStep: FindStep;
  readonly budget?: ParseBudget | undefined;
}

/** A member of a step that is an expression. */
export interface Member {
  /** Its name, for errors: `when`. */
  readonly name: string;
  readonly source: string;
  /** The kind of value that it must evaluate to. */
  readonly kind: ExpressionKind;
  /** Whether it is evaluated for each item of `foreach`. */
  readonly perItem: boolean;
  /** Whether it is a text that is wholly one `${{ … }}`. */
  readonly isText?: boolean | undefined;
}

/** An expression with the outputs that it reads. */
export interface ParsedMember {
  readonly expression: Expression;
  readonly reads: Reads;
}

/**
 * Parses a member. Throws `InputError`, which begins with its name, for what is not valid, names a step that it may not
 * read, or can never have the kind.
 */
export function parseMember(
  { name, source, kind, perItem, isText = false }: Member,
  { language, findStep, budget }: Parsing,
): ParsedMember {
  return named(name, () => {
    const [opening, meant] = isText ? [] : (/^\s*(?:\$\{\{|\$(step|input)\b)/.exec(source) ?? []);
    if (opening !== undefined) {
      const instead =
        meant === undefined ? `without ${OPENING} }}` : `${meant === 'step' ? 'steps' : meant}.…, without $`;
      throw new InputError(`is an expression already; write it ${instead}`);
    }
    const known = perItem ? itemRoots : roots;
    const expression = isText
      ? language.parseWhole(source, known, budget)
      : language.parse(source, known, budget);
    if (!mayBe(expression.kind, kind)) throw wrongKind(name, kind, expression.kind);
    return { expression, reads: readsOf(expression, findStep) };
  });
}

/** A timestamp becomes a text. */
function mayBe(kind: ExpressionKind, wanted: ExpressionKind): boolean {
  return kind === 'any' || kind === wanted || (kind === 'timestamp' && wanted === 'text');
}

const OPENING = '$'.concat('{{');

/** The value of a member, parsed at its first use. Throws `InputError`, which begins with the name of the member. */
export function memberValue(member: Member, parsing: Parsing): (sources: StepSources) => JsonValue {
  const parsed = lazy(() => parseMember(member, parsing));
  return (sources) => {
    const { expression, reads } = parsed();
    return named(member.name, () => expression.evaluate(valuesOf(reads, sources)));
  };
}

/** Whether the condition of a step holds. */
export function condition(source: string, parsing: Parsing): (sources: StepSources) => boolean {
  const evaluate = memberValue({ name: 'when', source, kind: 'boolean', perItem: false }, parsing);
  return (sources) => {
    const value = evaluate(sources);
    if (typeof value === 'boolean') return value;
    throw wrongKind('when', 'boolean', kindOf(value));
  };
}

/** The input of a step whose `static_input` is one expression. */
export function objectInput(
  member: Member,
  parsing: Parsing,
): (sources: StepSources, maxBytes: number) => JsonObject {
  const evaluate = memberValue(member, parsing);
  return (sources, maxBytes) => {
    const value = evaluate(sources);
    if (!isJsonObject(value)) throw wrongKind(member.name, 'object', kindOf(value));
    if (jsonByteLength(value, maxBytes) <= maxBytes) return value;
    throw new InputError(`the resolved input is larger than ${maxBytes} bytes of JSON`);
  };
}

/** The `static_input` of a step as a member, where it is one expression. */
export function inputExpression({ kind, staticInput, foreach }: Step): Member | undefined {
  const isUsed = kind !== 'wait' && kind !== 'approval';
  if (!isUsed || typeof staticInput !== 'string') return undefined;
  const perItem = foreach !== undefined;
  return { name: 'static_input', source: staticInput, kind: 'object', perItem, isText: true };
}

/** The most items that a step runs for, and the most bytes of JSON that they have together. */
export interface ItemLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** The items that an expression evaluates to. */
export function itemsOf(
  source: string,
  parsing: Parsing,
): (sources: StepSources, limits: ItemLimits) => readonly JsonValue[] {
  const evaluate = memberValue({ name: 'foreach.items', source, kind: 'list', perItem: false }, parsing);
  return (sources, limits) => {
    const value = evaluate(sources);
    if (!isJsonArray(value)) throw wrongKind('foreach.items', 'list', kindOf(value));
    limitItems(value, limits.maxItems);
    if (jsonByteLength(value, limits.maxBytes) <= limits.maxBytes) return value;
    throw new InputError(`foreach.items: is larger than ${limits.maxBytes} bytes of JSON`);
  };
}

/** Throws `InputError` for a list that is too long. */
export function limitItems(items: readonly JsonValue[], maxItems: number): void {
  if (items.length <= maxItems) return;
  throw new InputError(`foreach.items: must have at most ${maxItems} items, but it has ${items.length}`);
}

/** Puts the name in front of the message, where it does not stand there already. */
export function named<T>(name: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof InputError) || error.message.startsWith(`${name}: `)) throw error;
    throw new InputError(`${name}: ${error.message}`);
  }
}
