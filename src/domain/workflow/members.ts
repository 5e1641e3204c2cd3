import { isJsonArray, type JsonObject, type JsonValue, setOwn } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';
import type { ScheduleOrigin } from '../run/events.ts';
import type { Step } from './definition.ts';
import type {
  Expression,
  ExpressionKind,
  ExpressionLanguage,
  ExpressionValues,
  ParseBudget,
  TextTemplates,
} from './expression.ts';
import { placeText } from './issues.ts';
import { type CompiledInput, compileInput, InputError, resolveInput } from './template.ts';

/** The values that the templates and expressions of a step may refer to. */
export interface StepSources {
  /** Outputs by the index of their step; null where a step has none (yet). */
  readonly outputs: readonly (JsonObject | null)[];
  /** The run's input. */
  readonly input: JsonObject;
  /** The facts of the run. All of them are in the log, so that a replay repeats them. */
  readonly run: {
    readonly head: { readonly runId: string; readonly schedule?: ScheduleOrigin | undefined };
    /** ISO 8601. */
    readonly createdAt: string;
    /** When the first attempt has started, in ISO 8601; null before that. */
    readonly startedAt: string | null;
    /** 1, and one more for each retry. */
    readonly attempt: number;
  };
  /** The item that a step with `foreach` runs for; undefined for a step without. */
  readonly item?: { readonly value: JsonValue; readonly index: number } | undefined;
}

/** The names that an expression of any step may begin with. */
const roots = ['input', 'steps', 'run', 'schedule'] as const;

/** The names that an expression may begin with that is evaluated for each item of `foreach`. */
const itemRoots = [...roots, 'item', 'index'] as const;

/** The language that members are parsed with, and the steps that they may read. */
export interface Parsing {
  readonly language: ExpressionLanguage;
  /** The index of a step. Throws `InputError` for a step that does not exist or that may not be read. */
  readonly findStep: (id: string) => number;
  readonly budget?: ParseBudget | undefined;
}

/** The error for a reference to a step that cannot be read. */
export function unreadable(id: string, reason: keyof typeof reasons): InputError {
  return new InputError(`names step ${quote(id)}, ${reasons[reason]}`);
}

const reasons = {
  unknown: 'which does not exist',
  itself: 'which is the step itself',
  not_upstream: 'which is not upstream; add it to depends_on',
} as const;

/** The values that an expression reads beside the input. */
export interface Reads {
  /** The outputs, by the index of their step. */
  readonly steps: readonly (readonly [id: string, step: number])[];
  /** True where it reads `run` or `schedule`. */
  readonly facts: boolean;
}

/** Throws `InputError` for a reference that does not name a step, or one that it may not read. */
function readsOf({ references }: Pick<Expression, 'references'>, findStep: Parsing['findStep']): Reads {
  const steps = new Map<string, number>();
  let facts = false;
  for (const [root, id] of references) {
    if (root === 'run' || root === 'schedule') facts = true;
    if (root !== 'steps') continue;
    if (id === undefined) {
      throw new InputError(
        '"steps" must be followed by the id of a step, such as steps.a or steps["my-step"]',
      );
    }
    steps.set(id, findStep(id));
  }
  return { steps: [...steps], facts };
}

/**
 * The values for an evaluation: of the outputs only those that are read, and only those of completed steps. Times are
 * timestamps.
 */
export function valuesOf(reads: Reads, { input, outputs, item, run }: StepSources): ExpressionValues {
  const steps: Record<string, JsonValue> = {};
  for (const [id, step] of reads.steps) {
    const output = outputs[step] ?? null;
    if (output !== null) setOwn(steps, id, output);
  }
  const values =
    item === undefined ? { input, steps } : { input, steps, item: item.value, index: item.index };
  return reads.facts ? Object.assign(values, factsOf(run)) : values;
}

function factsOf({ head, createdAt, startedAt, attempt }: StepSources['run']): ExpressionValues {
  const { id = null, fireAt = null, timezone = null } = head.schedule ?? {};
  const time = (iso: string | null): Date | null => (iso === null ? null : new Date(iso));
  return {
    run: { id: head.runId, created_at: time(createdAt), started_at: time(startedAt), attempt },
    schedule: { id, fire_at: time(fireAt), timezone },
  };
}

/** A member of a step that is an expression. */
export interface ExpressionMember {
  /** Its name, for errors: `when`. */
  readonly name: string;
  readonly source: string;
  /** The kind of value that it must evaluate to. */
  readonly kind: keyof KindValues;
  /** True where it is evaluated for each item of `foreach`. */
  readonly perItem: boolean;
  /** True for a text that is wholly one `${{ … }}`. */
  readonly isText?: boolean | undefined;
}

interface KindValues {
  readonly boolean: boolean;
  readonly text: string;
  readonly list: readonly JsonValue[];
  readonly object: JsonObject;
}

/** The `static_input` of a step, where it is one expression. */
export function inputExpression({
  kind,
  staticInput,
  foreach,
}: Step): (ExpressionMember & { readonly kind: 'object' }) | undefined {
  const isUsed = kind !== 'wait' && kind !== 'approval';
  if (!isUsed || typeof staticInput !== 'string') return undefined;
  const perItem = foreach !== undefined;
  return { name: 'static_input', source: staticInput, kind: 'object', perItem, isText: true };
}

/**
 * Parses a member. Throws `InputError`, which begins with its name, for what is not valid, names a step that it may not
 * read, or can never have the kind.
 */
export function parseMember(
  { name, source, kind, perItem, isText = false }: ExpressionMember,
  { language, findStep, budget }: Parsing,
): { readonly expression: Expression; readonly reads: Reads } {
  return named(name, () => {
    const [opening, root] = isText ? [] : (/^\s*(?:\$\{\{|\$(step|input)\b)/.exec(source) ?? []);
    if (opening !== undefined) {
      const instead =
        root === undefined ? 'without ${{ }}' : `${root === 'step' ? 'steps' : root}.…, without $`;
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

/**
 * The value of a member, parsed at its first use. Throws `InputError`, which begins with the name of the member, also
 * for a value of another kind.
 */
export function memberValue<K extends keyof KindValues>(
  member: ExpressionMember & { readonly kind: K },
  parsing: Parsing,
): (sources: StepSources) => KindValues[K] {
  const parsed = lazy(() => parseMember(member, parsing));
  return (sources) => {
    const { expression, reads } = parsed();
    const value = named(member.name, () => expression.evaluate(valuesOf(reads, sources)));
    if (isOfKind(value, member.kind)) return value;
    throw wrongKind(member.name, member.kind, kindOf(value));
  };
}

function isOfKind<K extends keyof KindValues>(value: JsonValue, kind: K): value is KindValues[K] {
  return kindOf(value) === kind;
}

function kindOf(value: JsonValue): ExpressionKind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  return isJsonArray(value) ? 'list' : 'object';
}

/** The error for a value of the wrong kind: `when: must be a boolean, but it is a text`. */
function wrongKind(name: string, wanted: ExpressionKind, found: ExpressionKind): InputError {
  return new InputError(`${name}: must be ${describeKind(wanted)}, but it is ${describeKind(found)}`);
}

function describeKind(kind: ExpressionKind): string {
  if (kind === 'null') return 'null';
  if (kind === 'any') return 'any value';
  return kind === 'object' ? 'an object' : `a ${kind}`;
}

/** Puts the name in front of the message, where it does not stand there already. */
function named<T>(name: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof InputError) || error.message.startsWith(`${name}: `)) throw error;
    throw new InputError(`${name}: ${error.message}`);
  }
}

/** A member of a step or definition that may contain templates. */
export interface TemplateMember {
  /** Its name, for errors: `static_input`. */
  readonly name: string;
  /** The keys in front of those that lead to a text; none where these begin with the name. */
  readonly prefix: readonly string[];
  /** Its name once it is resolved, for errors. */
  readonly resolved: string;
  /** True where it is resolved for each item of `foreach`. */
  readonly perItem: boolean;
  readonly compiled: CompiledInput;
}

/** The members of a step that may contain templates. */
export interface StepTemplates {
  /** Its input; for an approval the payload; empty for a wait. */
  readonly input: TemplateMember;
  /** The items of `foreach` where they are a list, as the object `{"items": […]}`. */
  readonly items: TemplateMember | undefined;
  /** The title of an approval, as the object `{"title": …}`. */
  readonly title: TemplateMember | undefined;
}

type IndexOf = (stepId: string) => number | undefined;

/** Compiles the members of a step that may contain templates. Expressions are parsed at their first use. */
export function compileTemplates(step: Step, indexOf: IndexOf): StepTemplates {
  const perItem = step.foreach !== undefined;
  const member = (name: string, prefix: readonly string[], resolved: string, value: JsonObject) => ({
    name,
    prefix,
    resolved,
    perItem,
    compiled: compileInput(value, indexOf),
  });
  // A static input that is an expression has no templates within.
  const staticInput = step.kind === 'wait' || typeof step.staticInput === 'string' ? {} : step.staticInput;
  const items = step.foreach?.items;
  const isApproval = step.kind === 'approval';
  return {
    input: isApproval
      ? member('payload', ['payload'], 'the resolved payload', step.payload ?? {})
      : member('static_input', ['static_input'], 'the resolved input', staticInput),
    items:
      typeof items === 'object'
        ? { ...member('foreach.items', ['foreach'], 'foreach.items', { items }), perItem: false }
        : undefined,
    title: isApproval ? member('title', [], 'the title', { title: step.title }) : undefined,
  };
}

/** The member `output` of a definition. */
export function outputMember(output: JsonObject, indexOf: IndexOf): TemplateMember {
  const compiled = compileInput(output, indexOf);
  return { name: 'output', prefix: ['output'], resolved: 'the resolved output', perItem: false, compiled };
}

/** The most texts with expressions of one member. */
export const MAX_TEXTS = 1_000;

/** Parses the texts of a member. Throws `InputError`, which begins with the place of the text. */
export function parseMemberTexts(
  { name, prefix, perItem, compiled }: TemplateMember,
  { language, findStep, budget }: Parsing,
  texts = compiled.texts,
): { readonly templates: TextTemplates; readonly reads: Reads } {
  if (texts.length > MAX_TEXTS) {
    throw new InputError(`${name}: has more than ${MAX_TEXTS} texts with expressions`);
  }
  const placed = texts.map(({ path, text }) => ({ place: placeText([...prefix, ...path]), text }));
  const templates = language.parseTexts(placed, perItem ? itemRoots : roots, budget);
  const [first] = placed;
  const place = placed.length === 1 && first !== undefined ? first.place : name;
  return { templates, reads: named(place, () => readsOf(templates, findStep)) };
}

/** The function that resolves a member. Its expressions are parsed at its first use. It throws `InputError`. */
export function resolver(
  member: TemplateMember,
  parsing: Parsing,
): (sources: StepSources, maxBytes: number) => JsonObject {
  const { compiled, resolved: name } = member;
  if (compiled.texts.length === 0) return plainResolver(compiled, name);
  const parsed = lazy(() => parseMemberTexts(member, parsing));
  return (sources, maxBytes) => {
    const { templates, reads } = parsed();
    const texts = templates.evaluate(valuesOf(reads, sources));
    return resolveInput(compiled, sources, maxBytes, { texts, name });
  };
}

/** It keeps no more than the compiled input: a definition may have thousands of such steps. */
function plainResolver(compiled: CompiledInput, name: string): ReturnType<typeof resolver> {
  return (sources, maxBytes) => resolveInput(compiled, sources, maxBytes, { name });
}

/** Throws `InputError` for a value that is larger than `maxBytes` of JSON. */
export function limitBytes<T extends JsonValue>(name: string, value: T, maxBytes: number): T {
  if (jsonByteLength(value, maxBytes) <= maxBytes) return value;
  throw new InputError(`${name} is larger than ${maxBytes} bytes of JSON`);
}

/** Creates a value at its first use. A failed attempt is repeated at the next use. */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
