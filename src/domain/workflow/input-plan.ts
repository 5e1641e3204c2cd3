import { defineOwn, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from '../../lib/json/json.ts';
import { type JsonBudget, jsonByteLength, spendJson } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';
import { lookUp, parseString, type Reference } from './template.ts';

/** Why a step's input cannot be made; its message is safe to show. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** What is wrong with a reference, whatever the steps put out. */
export type ReferenceIssue = 'unknown' | 'not_upstream';

/** A reference within a step's input. */
export interface PlannedReference {
  readonly reference: Reference;
  /** The number of the step whose output it names; -1 for the run's input, and where there is no such step. */
  readonly source: number;
  /** Nesting in which the value will stand. */
  readonly depth: number;
  /** Why the step that it names must not be read; null where it may be. */
  fault: ReferenceIssue | null;
}

/** A part of an input, read once so that it can be filled quickly. */
type Part =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'reference'; readonly planned: PlannedReference }
  | { readonly kind: 'array'; readonly items: readonly Part[] }
  | { readonly kind: 'object'; readonly keys: readonly string[]; readonly members: readonly Part[] };

/** A step's static input with its templates found, and the rest measured. */
export interface InputPlan {
  readonly references: readonly PlannedReference[];
  /** The input as it is handed on, where there is nothing to fill; null where there is. */
  readonly fixed: JsonObject | null;
  /** What is to be filled, member by member. */
  readonly keys: readonly string[];
  readonly members: readonly Part[];
  /** Bytes of JSON that everything but the values of the references takes; Infinity where it is nested too deep. */
  readonly bytes: number;
}

/** Where values come from while a run is under way. */
export interface InputSources {
  /** Outputs by the number of their step; null where a step has none (yet). */
  readonly outputs: readonly (JsonObject | null)[];
  /** The run's input. */
  readonly input: JsonObject;
}

/** Reads a static input once for all runs; `numberOf` finds the number of a step by its id. */
export function planInput(
  staticInput: JsonObject,
  numberOf: (stepId: string) => number | undefined,
): InputPlan {
  const references: PlannedReference[] = [];
  /** Bytes of the input as it is written that are not there any more, or not yet, when it is filled. */
  let less = 0;

  function planString(text: string, depth: number): Part {
    const parsed = parseString(text);
    if (typeof parsed === 'string') {
      less += text.length - parsed.length;
      return { kind: 'value', value: parsed };
    }
    const { stepId } = parsed;
    const number = stepId === null ? undefined : numberOf(stepId);
    const fault: ReferenceIssue | null = stepId !== null && number === undefined ? 'unknown' : null;
    const planned: PlannedReference = { reference: parsed, source: number ?? -1, depth, fault };
    references.push(planned);
    less += jsonByteLength(text, Number.MAX_SAFE_INTEGER);
    return { kind: 'reference', planned };
  }

  function planValue(value: JsonValue, depth: number): Part {
    if (typeof value === 'string') return planString(value, depth);
    if (typeof value !== 'object' || value === null || depth >= MAX_JSON_DEPTH)
      return { kind: 'value', value };
    if (isList(value)) {
      const items = value.map((item) => planValue(item, depth + 1));
      const values = valuesOf(items);
      return values === null ? { kind: 'array', items } : { kind: 'value', value: values };
    }
    const keys = Object.keys(value);
    const members = planMembers(value, keys, depth);
    const values = valuesOf(members);
    return values === null
      ? { kind: 'object', keys, members }
      : { kind: 'value', value: objectOf(keys, values) };
  }

  function planMembers(object: JsonObject, keys: readonly string[], depth: number): Part[] {
    return keys.map((key) => planValue(object[key] ?? null, depth + 1));
  }

  const keys = Object.keys(staticInput);
  const members = planMembers(staticInput, keys, 0);
  const values = valuesOf(members);
  const fixed = values === null ? null : less === 0 ? staticInput : objectOf(keys, values);
  const bytes = jsonByteLength(staticInput, Number.MAX_SAFE_INTEGER) - less;
  return { references, fixed, keys, members, bytes };
}

/**
 * The input of a step with its references replaced, their values' types kept. Throws {@link InputError} where a
 * reference names nothing, and where the result would take more than `maxBytes` of JSON or be nested too deep:
 * that is found while its size is counted, before anything large is made. The result shares its values with the
 * outputs that they come from: whoever hands it on to foreign code copies it.
 */
export function fillInput(plan: InputPlan, sources: InputSources, maxBytes: number): JsonObject {
  if (plan.bytes > maxBytes) throw tooLarge(maxBytes);
  if (plan.fixed !== null) return plan.fixed;
  const budget: JsonBudget = { left: maxBytes - plan.bytes, tooDeep: false };

  function fill(part: Part): JsonValue {
    switch (part.kind) {
      case 'value':
        return part.value;
      case 'reference': {
        const value = referencedValue(part.planned, sources);
        spendJson(budget, value, part.planned.depth);
        check(budget, maxBytes);
        return value;
      }
      case 'array':
        return part.items.map(fill);
      case 'object':
        return objectOf(part.keys, part.members.map(fill));
    }
  }

  return objectOf(plan.keys, plan.members.map(fill));
}

function check({ left, tooDeep }: JsonBudget, maxBytes: number): void {
  if (tooDeep) throw new InputError(`the resolved input is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (left < 0) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): InputError {
  return new InputError(`the resolved input is larger than ${maxBytes} bytes of JSON`);
}

function referencedValue(
  { reference, source, fault }: PlannedReference,
  { outputs, input }: InputSources,
): JsonValue {
  const { text, stepId } = reference;
  if (fault !== null) throw new InputError(`the template ${referenceIssueText(reference, fault)}`);
  const from = stepId === null ? input : outputs[source];
  const value = from === null || from === undefined ? undefined : lookUp(from, reference);
  if (value !== undefined) return value;
  const owner = stepId === null ? "the run's input" : `the output of step ${quote(stepId)}`;
  throw new InputError(
    `the template ${quote(text)} cannot be resolved: ${owner} has no ${quote(reference.key ?? '')}`,
  );
}

/** What is wrong with a reference, its text first. */
export function referenceIssueText({ text, stepId }: Reference, fault: ReferenceIssue): string {
  const why = fault === 'unknown' ? 'which does not exist' : 'which is not upstream';
  return `${quote(text)} names step ${quote(stepId ?? '')}, ${why}`;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The values of parts that need no filling, or null where one does. */
function valuesOf(parts: readonly Part[]): JsonValue[] | null {
  const values: JsonValue[] = [];
  for (const part of parts) {
    if (part.kind !== 'value') return null;
    values.push(part.value);
  }
  return values;
}

function objectOf(keys: readonly string[], values: readonly JsonValue[]): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] ?? '';
    const value = values[place] ?? null;
    if (key === '__proto__') defineOwn(object, key, value);
    else object[key] = value;
  }
  return object;
}
