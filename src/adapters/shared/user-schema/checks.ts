import { isIPv4, isIPv6 } from 'node:net';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../lib/json/json.ts';
import { isPointer } from '../../../lib/json/pointer.ts';
import { countCharacters } from '../../../lib/text/characters.ts';
import type { InputIssue } from '../../../ports/tool.ts';
import { type LinearPattern, maxMatchCost } from '../linear-pattern.ts';

/** A schema within a schema, with the checks that its keywords ask for. */
export interface Node {
  readonly pointer: string;
  /** Its keywords; empty for `true` and `false`. */
  readonly stated: JsonObject;
  /** Its subschemas by the keyword that holds them, each with its key. */
  readonly children: Map<string, readonly (readonly [key: string, node: Node])[]>;
  /** The pointer that `$ref` names, and the schema there. */
  readonly ref: string | undefined;
  referred: Node | undefined;
  readonly checks: Check[];
  /** The checks that depend on what the others have evaluated. */
  readonly lastChecks: Check[];
}

/** Checks a value against one keyword, and adds the issues. */
export type Check = (value: JsonValue, at: Place, seen: Evaluated | undefined) => boolean;

/** A place in the input. */
interface Place {
  readonly evaluation: Evaluation;
  readonly key: string | number;
  /** Undefined for the input itself. */
  readonly parent: Place | undefined;
}

/** The state of checking one input. */
interface Evaluation {
  work: number;
  depth: number;
  /** Above 0 while a subschema is only tried, as those of `anyOf` are. */
  trials: number;
  readonly issues: InputIssue[];
}

/** The members and items that some keyword has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** Units of work for checking one input. A unit takes up to about 100 ns. */
const MAX_WORK = 300_000;

/** Maximum number of checks within checks. */
const MAX_DEPTH = 500;

/** Maximum number of issues of an input. */
const MAX_ISSUES = 5;

/** Maximum length of a value or pattern that is shown in a message. */
const MAX_SHOWN = 100;

class InputLimitError extends Error {
  override readonly name = 'InputLimitError';
}

/** The issues of an input; empty where it fits. The work is bounded: an input that takes more does not fit. */
export function checkInput(root: Node, value: JsonValue): readonly InputIssue[] {
  const evaluation: Evaluation = { work: MAX_WORK, depth: 0, trials: 0, issues: [] };
  try {
    if (apply(root, value, { evaluation, key: '', parent: undefined })) return [];
    return evaluation.issues.length > 0
      ? evaluation.issues
      : [{ path: [], message: 'does not fit the schema' }];
  } catch (error) {
    if (error instanceof InputLimitError) return [{ path: [], message: error.message }];
    throw error;
  }
}

/** Adds the checks of a schema to its node. `patternOf` compiles a pattern, undefined where it is not valid. */
export function addChecks(node: Node, patternOf: PatternOf): void {
  const made = new Set<Make>();
  for (const [keyword, { make, isLast }] of Object.entries(keywords)) {
    const stated = node.stated[keyword];
    if (stated === undefined || make === undefined || made.has(make)) continue;
    made.add(make);
    const check = make(stated, node, patternOf);
    if (check !== undefined) (isLast ? node.lastChecks : node.checks).push(check);
  }
}

type PatternOf = (source: string, ...keys: readonly string[]) => LinearPattern | undefined;

/** The check of the schema `false`. */
export const refuse: Check = (_value, at) => fail(at, 'is not expected');

function apply(node: Node, value: JsonValue, at: Place, outer?: Evaluated): boolean {
  const { evaluation } = at;
  spend(at, 3);
  if (++evaluation.depth > MAX_DEPTH) throw new InputLimitError('is nested too deep');
  const isLast = node.lastChecks.length > 0;
  if (isLast) spend(at, 6);
  const seen = isLast ? nothingSeen() : outer;
  let isValid = true;
  for (const check of isLast ? [...node.checks, ...node.lastChecks] : node.checks) {
    if (check(value, at, seen)) continue;
    isValid = false;
    // The check of the type is the first: the others would only repeat it.
    if (isDone(at) || (node.stated['type'] !== undefined && check === node.checks[0])) break;
  }
  evaluation.depth--;
  if (isValid && isLast && outer !== undefined && seen !== undefined) merge(evaluation, seen, outer);
  return isValid;
}

/** Applies a schema without adding issues. */
function tries(node: Node, value: JsonValue, at: Place, seen?: Evaluated): boolean {
  at.evaluation.trials++;
  const isValid = apply(node, value, at, seen);
  at.evaluation.trials--;
  return isValid;
}

/** As {@link tries}; what the schema evaluates counts where it fits. */
function triesSeen(node: Node, value: JsonValue, at: Place, seen: Evaluated | undefined): boolean {
  if (seen === undefined) return tries(node, value, at);
  spend(at, 6);
  const own = nothingSeen();
  const isValid = tries(node, value, at, own);
  if (isValid) merge(at.evaluation, own, seen);
  return isValid;
}

function nothingSeen(): Evaluated {
  return { properties: new Set(), items: new Set() };
}

function merge(evaluation: Evaluation, from: Evaluated, to: Evaluated): void {
  evaluation.work -= from.properties.size + from.items.size;
  for (const key of from.properties) to.properties.add(key);
  for (const index of from.items) to.items.add(index);
}

function spend({ evaluation }: Place, units: number): void {
  evaluation.work -= units;
  if (evaluation.work < 0) throw new InputLimitError('takes too much work to check');
}

/** Adds an issue, unless a schema is only tried. Always false, so that a check can return it. */
function fail(at: Place, message: string, key?: string | number): false {
  const { trials, issues } = at.evaluation;
  if (trials > 0 || issues.length >= MAX_ISSUES) return false;
  const path: (string | number)[] = key === undefined ? [] : [key];
  for (let place = at; place.parent !== undefined; place = place.parent) path.unshift(place.key);
  issues.push({ path, message });
  return false;
}

/** True when a failed check needs no further issues. */
function isDone({ evaluation: { trials, issues } }: Place): boolean {
  return trials > 0 || issues.length >= MAX_ISSUES;
}

function inside(parent: Place, key: string | number): Place {
  return { evaluation: parent.evaluation, key, parent };
}

/** Matches a pattern. Refuses beforehand what may take far more work than is left. */
function matches(at: Place, pattern: LinearPattern, text: string): boolean {
  if (maxMatchCost(pattern, text) > 2 * at.evaluation.work) spend(at, MAX_WORK);
  const { found, cost } = pattern.match(text);
  spend(at, cost);
  return found;
}

/** A text that is equal for equal values only: the JSON text with sorted keys. */
function canonical(value: JsonValue, at?: Place): string {
  if (at !== undefined) spend(at, typeof value === 'string' ? 3 + value.length / 16 : 3);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map((item) => canonical(item, at)).join()}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  if (at !== undefined) spend(at, members.length * 4);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, at)}`).join()}}`;
}

function keysOf(object: JsonObject, at: Place): string[] {
  const keys = Object.keys(object);
  spend(at, keys.length);
  return keys;
}

/** A number with its noun: `1 item`, `2 items`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const ofLists = (
  check: (list: readonly JsonValue[], at: Place, seen: Evaluated | undefined) => boolean,
): Check => {
  return (value, at, seen) => !isJsonArray(value) || check(value, at, seen);
};
const ofObjects = (check: (object: JsonObject, at: Place, seen: Evaluated | undefined) => boolean): Check => {
  return (value, at, seen) => !isJsonObject(value) || check(value, at, seen);
};

/** A keyword of JSON Schema: the rule for its value in a schema, and its check. */
interface Keyword {
  /** The rule in words. */
  readonly must: string;
  readonly holds: (stated: JsonValue) => boolean;
  /** For a keyword that holds subschemas: one, a list or an object of them. */
  readonly holder?: 'schema' | 'list' | 'map';
  /** True where the subschemas apply to the same value as the schema around them. */
  readonly isInPlace?: boolean;
  /** Makes the check. Keywords that depend on each other share one function, which is called once. */
  readonly make?: Make;
  /** True where the check depends on what the others have evaluated. */
  readonly isLast?: boolean;
}

type Make = (stated: JsonValue, node: Node, patternOf: PatternOf) => Check | undefined;

const childList = ({ children }: Node, keyword: string) =>
  (children.get(keyword) ?? []).map(([, node]) => node);
const textsOf = (stated: JsonValue | undefined) => (isJsonArray(stated) ? stated.map(String) : []);

/** The types of JSON Schema, with the words for them. */
const typeWords = {
  null: 'null',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  string: 'text',
  array: 'a list',
  object: 'an object',
} as const;

type TypeName = keyof typeof typeWords;

/** True for the name of a type. */
function isTypeName(value: JsonValue): value is TypeName {
  return typeof value === 'string' && Object.hasOwn(typeWords, value);
}

/** The types that a schema allows by itself; undefined for all. */
function typesOf({ stated: { type } }: Node): readonly TypeName[] | undefined {
  return type === undefined ? undefined : (isJsonArray(type) ? type : [type]).filter(isTypeName);
}

function hasType(value: JsonValue, types: readonly TypeName[]): boolean {
  if (value === null) return types.includes('null');
  if (typeof value === 'number') {
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  }
  if (typeof value === 'object') return types.includes(isJsonArray(value) ? 'array' : 'object');
  return types.includes(typeof value === 'string' ? 'string' : 'boolean');
}

/** The types in words: `text or a number`. */
function describeTypes(types: readonly TypeName[]): string {
  return [...new Set(types)].map((type) => typeWords[type]).join(' or ');
}

const typeCheck: Make = (_stated, node) => {
  const types = typesOf(node) ?? [];
  const message = `must be ${describeTypes(types)}`;
  return (value, at) => hasType(value, types) || fail(at, message);
};

function oneOfValues(values: readonly JsonValue[]): Check {
  const allowed = new Set(values.map((value) => canonical(value)));
  const shown = [...allowed].join(', ');
  const message =
    shown.length > MAX_SHOWN
      ? 'must be one of the allowed values'
      : `must be ${allowed.size === 1 ? '' : 'one of '}${shown}`;
  return (value, at) => allowed.has(canonical(value, at)) || fail(at, message);
}

function bound(words: string, holds: (value: number, limit: number, at: Place) => boolean): Keyword {
  const make: Make = (stated) => {
    const limit = Number(stated);
    const message = `must be ${words} ${limit}`;
    return (value, at) => typeof value !== 'number' || holds(value, limit, at) || fail(at, message);
  };
  return { must: 'must be a number', holds: (value) => typeof value === 'number', make };
}

/** Exact for the decimal digits that are written: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number, at: Place): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  spend(at, 100);
  const [one, oneExponent] = decimal(value);
  const [other, otherExponent] = decimal(divisor);
  const shift = Math.min(oneExponent, otherExponent);
  return (one * 10n ** BigInt(oneExponent - shift)) % (other * 10n ** BigInt(otherExponent - shift)) === 0n;
}

/** The digits of a number as an integer, and the power of ten that they count. */
function decimal(value: number): readonly [bigint, number] {
  const [digits = '0', exponent = '0'] = value.toExponential().split('e');
  const fraction = digits.split('.')[1] ?? '';
  return [BigInt(digits.replace('.', '')), Number(exponent) - fraction.length];
}

/** A limit on a size, which is undefined for values that have none. */
function size(
  words: 'at least' | 'at most',
  noun: string,
  sizeOf: (value: JsonValue, at: Place) => number | undefined,
): Keyword {
  const make: Make = (stated) => {
    const limit = Number(stated);
    const message = `must have ${words} ${counted(limit, noun)}`;
    return (value, at) => {
      const found = sizeOf(value, at);
      if (found === undefined) return true;
      return (words === 'at least' ? found >= limit : found <= limit) || fail(at, message);
    };
  };
  return { ...count, make };
}

function charactersIn(value: JsonValue, at: Place): number | undefined {
  if (typeof value !== 'string') return undefined;
  spend(at, value.length / 16);
  return countCharacters(value);
}

const itemsIn = (value: JsonValue) => (isJsonArray(value) ? value.length : undefined);
const membersIn = (value: JsonValue, at: Place) =>
  isJsonObject(value) ? keysOf(value, at).length : undefined;

const patternCheck: Make = (stated, _node, patternOf) => {
  const source = String(stated);
  const pattern = patternOf(source, 'pattern');
  const message =
    source.length > MAX_SHOWN ? 'does not match the pattern' : `must match the pattern ${source}`;
  return (
    pattern && ((value, at) => typeof value !== 'string' || matches(at, pattern, value) || fail(at, message))
  );
};

function formatCheck(format: JsonValue): Check | undefined {
  const isValid = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (isValid === undefined) return undefined;
  return (value, at) => {
    if (typeof value !== 'string') return true;
    spend(at, value.length / 8);
    return (value.length <= MAX_FORMATTED && isValid(value)) || fail(at, `must be a valid ${format}`);
  };
}

/** Applies a schema to each item that has one. */
function itemsCheck(schemaAt: (index: number, seen: Evaluated | undefined) => Node | undefined): Check {
  return ofLists((list, at, seen) => {
    let isValid = true;
    for (const [index, item] of list.entries()) {
      const schema = schemaAt(index, seen);
      if (schema === undefined) continue;
      isValid = apply(schema, item, inside(at, index)) && isValid;
      seen?.items.add(index);
      if (!isValid && isDone(at)) break;
    }
    return isValid;
  });
}

const listedItems: Make = (_stated, node) => {
  const prefix = childList(node, 'prefixItems');
  const [rest] = childList(node, 'items');
  return itemsCheck((index) => prefix[index] ?? rest);
};

const containsCheck: Make = (_stated, node) => {
  const [wanted] = childList(node, 'contains');
  if (wanted === undefined) return undefined;
  const { minContains: min = 1, maxContains: max = Number.POSITIVE_INFINITY } = node.stated;
  const few = `must contain at least ${counted(Number(min), 'item')} of the wanted form`;
  const many = `must contain at most ${counted(Number(max), 'item')} of the wanted form`;
  return ofLists((list, at, seen) => {
    let count = 0;
    for (const [index, item] of list.entries()) {
      if (!tries(wanted, item, inside(at, index))) continue;
      count++;
      seen?.items.add(index);
    }
    if (count < Number(min)) return fail(at, few);
    return count <= Number(max) || fail(at, many);
  });
};

/** In linear time: equal items have equal canonical texts. */
const uniqueCheck = ofLists((list, at) => {
  const found = new Set<string>();
  for (const [index, item] of list.entries()) {
    const text = canonical(item, at);
    spend(at, 2);
    if (found.has(text)) return fail(at, 'must not repeat an item', index);
    found.add(text);
  }
  return true;
});

function requiredCheck(stated: JsonValue): Check {
  const names = textsOf(stated);
  return ofObjects((object, at) => {
    spend(at, names.length / 2);
    const missing = names.filter((name) => !Object.hasOwn(object, name));
    for (const name of missing) fail(at, 'is missing', name);
    return missing.length === 0;
  });
}

/** Applies schemas to each member that has some. */
function membersCheck(
  schemasOf: (key: string, at: Place, seen: Evaluated | undefined) => readonly Node[],
): Check {
  return ofObjects((object, at, seen) => {
    let isValid = true;
    for (const key of keysOf(object, at)) {
      const value = getOwn(object, key);
      if (value === undefined) continue;
      const schemas = schemasOf(key, at, seen);
      for (const schema of schemas) isValid = apply(schema, value, inside(at, key)) && isValid;
      if (schemas.length > 0) seen?.properties.add(key);
      if (!isValid && isDone(at)) break;
    }
    return isValid;
  });
}

const namedMembers: Make = (_stated, node, patternOf) => {
  const properties = new Map(node.children.get('properties'));
  const additional = childList(node, 'additionalProperties');
  const patterns = (node.children.get('patternProperties') ?? []).flatMap(([source, schema]) => {
    const pattern = patternOf(source, 'patternProperties', source);
    return pattern === undefined ? [] : [{ pattern, schema }];
  });
  return membersCheck((key, at) => {
    const named = properties.get(key);
    const schemas = named === undefined ? [] : [named];
    for (const { pattern, schema } of patterns) if (matches(at, pattern, key)) schemas.push(schema);
    return schemas.length === 0 ? additional : schemas;
  });
};

const namesCheck: Make = (_stated, node) => {
  const [name] = childList(node, 'propertyNames');
  if (name === undefined) return undefined;
  return ofObjects((object, at) => {
    let isValid = true;
    for (const key of keysOf(object, at)) {
      if (tries(name, key, at)) continue;
      isValid = fail(at, 'has a name that is not allowed', key);
      if (isDone(at)) break;
    }
    return isValid;
  });
};

function dependentCheck(stated: JsonValue): Check {
  const rules = Object.entries(isJsonObject(stated) ? stated : {}).map(([name, names]) => ({
    name,
    needed: textsOf(names),
  }));
  return ofObjects((object, at) => {
    let isValid = true;
    spend(at, rules.length / 2);
    for (const { name, needed } of rules) {
      if (!Object.hasOwn(object, name)) continue;
      spend(at, needed.length / 2);
      const missing = needed.filter((key) => !Object.hasOwn(object, key));
      for (const key of missing) fail(at, `is missing, which ${JSON.stringify(name)} needs`, key);
      isValid &&= missing.length === 0;
    }
    return isValid;
  });
}

const dependentSchemasCheck: Make = (_stated, { children }) => {
  const schemas = children.get('dependentSchemas') ?? [];
  return ofObjects((object, at, seen) => {
    spend(at, schemas.length);
    const present = schemas.filter(([name]) => Object.hasOwn(object, name));
    return present.map(([, schema]) => apply(schema, object, at, seen)).every(Boolean);
  });
};

function allOf(schemas: readonly Node[]): Check {
  return (value, at, seen) => {
    let isValid = true;
    for (const schema of schemas) {
      isValid = apply(schema, value, at, seen) && isValid;
      if (!isValid && isDone(at)) break;
    }
    return isValid;
  };
}

/** `anyOf`, and `oneOf` where only one may fit. */
function someOf(schemas: readonly Node[], isOnly: boolean): Check {
  return (value, at, seen) => {
    let fitting = 0;
    for (const schema of schemas) {
      if (!triesSeen(schema, value, at, seen)) continue;
      fitting++;
      // All are tried where it matters what they evaluate.
      if (!isOnly && seen === undefined) break;
      if (isOnly && fitting > 1) return fail(at, 'fits more than one of the allowed forms');
    }
    return fitting > 0 || fail(at, noneMessage(schemas, value));
  };
}

/** The message names the types where the value has none that the schemas allow. */
function noneMessage(schemas: readonly Node[], value: JsonValue): string {
  const types = schemas.map(typesOf);
  const allowed = types.flatMap((some) => some ?? []);
  const isTypeWrong = !types.includes(undefined) && !hasType(value, allowed);
  return isTypeWrong ? `must be ${describeTypes(allowed)}` : 'fits none of the allowed forms';
}

const notCheck: Make = (_stated, node) => {
  const [not] = childList(node, 'not');
  return not && ((value, at) => !tries(not, value, at) || fail(at, 'has a form that is not allowed'));
};

const conditionCheck: Make = (_stated, node) => {
  const [condition] = childList(node, 'if');
  const [yes] = childList(node, 'then');
  const [no] = childList(node, 'else');
  if (condition === undefined) return undefined;
  return (value, at, seen) => {
    const next = triesSeen(condition, value, at, seen) ? yes : no;
    return next === undefined || apply(next, value, at, seen);
  };
};

const unevaluatedItems: Make = (_stated, node) => {
  const [schema] = childList(node, 'unevaluatedItems');
  return itemsCheck((index, seen) => (seen?.items.has(index) ? undefined : schema));
};

const unevaluatedProperties: Make = (_stated, node) => {
  const schemas = childList(node, 'unevaluatedProperties');
  return membersCheck((key, _at, seen) => (seen?.properties.has(key) ? [] : schemas));
};

const schema = {
  must: 'must be a schema: an object, true or false',
  holds: (value) => typeof value === 'boolean' || isJsonObject(value),
  holder: 'schema',
} as const satisfies Keyword;
const schemaList = {
  must: 'must be a list of schemas that is not empty',
  holds: (value) => isJsonArray(value) && value.length > 0,
  holder: 'list',
} as const satisfies Keyword;
const schemaMap = {
  must: 'must be an object of schemas',
  holds: isJsonObject,
  holder: 'map',
} as const satisfies Keyword;
const count = {
  must: 'must be an integer of at least 0',
  holds: (value) => Number.isInteger(value) && Number(value) >= 0,
} as const satisfies Keyword;
const text = {
  must: 'must be text',
  holds: (value) => typeof value === 'string',
} as const satisfies Keyword;
const refused = (must: string): Keyword => ({ must, holds: () => false });

function isNames(value: JsonValue): boolean {
  if (!isJsonArray(value)) return false;
  return value.every((item) => typeof item === 'string') && new Set(value).size === value.length;
}

const knownSchemas = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft\/2019-09|draft-07)\/schema#?$/;

/** The keywords in the order of their checks. Others are ignored, as JSON Schema says. */
export const keywords: Readonly<Record<string, Keyword>> = {
  $schema: {
    must: 'must be "https://json-schema.org/draft/2020-12/schema"',
    holds: (value) => typeof value === 'string' && knownSchemas.test(value),
  },
  $dynamicRef: refused('is not supported; use $ref'),
  $recursiveRef: refused('is not supported; use $ref'),
  dependencies: refused('is not supported; use dependentRequired or dependentSchemas'),
  additionalItems: refused('is not supported; use prefixItems and items'),
  $defs: schemaMap,
  definitions: schemaMap,
  type: {
    must: `must be one of ${Object.keys(typeWords).join(', ')}, or a list of them`,
    holds: (value) =>
      isTypeName(value) ||
      (isJsonArray(value) && value.length > 0 && value.every(isTypeName) && isNames(value)),
    make: typeCheck,
  },
  enum: {
    must: 'must be a list of values that is not empty',
    holds: (value) => isJsonArray(value) && value.length > 0,
    make: (stated) => oneOfValues(isJsonArray(stated) ? stated : []),
  },
  const: { must: '', holds: () => true, make: (stated) => oneOfValues([stated]) },
  minimum: bound('at least', (value, limit) => value >= limit),
  maximum: bound('at most', (value, limit) => value <= limit),
  exclusiveMinimum: bound('above', (value, limit) => value > limit),
  exclusiveMaximum: bound('below', (value, limit) => value < limit),
  multipleOf: {
    ...bound('a multiple of', isMultiple),
    must: 'must be a number above 0',
    holds: (value) => typeof value === 'number' && value > 0,
  },
  minLength: size('at least', 'character', charactersIn),
  maxLength: size('at most', 'character', charactersIn),
  pattern: { ...text, make: patternCheck },
  format: { ...text, make: formatCheck },
  minItems: size('at least', 'item', itemsIn),
  maxItems: size('at most', 'item', itemsIn),
  prefixItems: { ...schemaList, make: listedItems },
  items: { ...schema, make: listedItems },
  contains: { ...schema, make: containsCheck },
  minContains: count,
  maxContains: count,
  uniqueItems: {
    must: 'must be true or false',
    holds: (value) => typeof value === 'boolean',
    make: (stated) => (stated === true ? uniqueCheck : undefined),
  },
  required: { must: 'must be a list of texts, none of them twice', holds: isNames, make: requiredCheck },
  minProperties: size('at least', 'member', membersIn),
  maxProperties: size('at most', 'member', membersIn),
  properties: { ...schemaMap, make: namedMembers },
  patternProperties: { ...schemaMap, make: namedMembers },
  additionalProperties: { ...schema, make: namedMembers },
  propertyNames: { ...schema, make: namesCheck },
  dependentRequired: {
    must: 'must be an object of lists of texts',
    holds: (value) => isJsonObject(value) && Object.values(value).every(isNames),
    make: dependentCheck,
  },
  dependentSchemas: { ...schemaMap, isInPlace: true, make: dependentSchemasCheck },
  $ref: { ...text, make: (_stated, { referred }) => referred && allOf([referred]) },
  allOf: { ...schemaList, isInPlace: true, make: (_stated, node) => allOf(childList(node, 'allOf')) },
  anyOf: { ...schemaList, isInPlace: true, make: (_stated, node) => someOf(childList(node, 'anyOf'), false) },
  oneOf: { ...schemaList, isInPlace: true, make: (_stated, node) => someOf(childList(node, 'oneOf'), true) },
  not: { ...schema, isInPlace: true, make: notCheck },
  if: { ...schema, isInPlace: true, make: conditionCheck },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { ...schema, isInPlace: true },
  else: { ...schema, isInPlace: true },
  unevaluatedItems: { ...schema, make: unevaluatedItems, isLast: true },
  unevaluatedProperties: { ...schema, make: unevaluatedProperties, isLast: true },
};

/** Texts longer than this have no format, so that each pattern below is quick. */
const MAX_FORMATTED = 2_048;

const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const time = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const email = /^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const uriCharacters = /^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/;
const duration =
  /^P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/;

function isDate(text: string): boolean {
  if (!date.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  // 30 February becomes a day of March.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => label.test(part));
}

function isEmail(text: string): boolean {
  const local = text.slice(0, text.indexOf('@'));
  return email.test(text) && !/^\.|\.\.|\.$/.test(local) && isHostname(text.slice(text.indexOf('@') + 1));
}

/** The formats that are checked; others are ignored, as JSON Schema says. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: (text) => time.test(text),
  'date-time': (text) => /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && time.test(text.slice(11)),
  duration: (text) => duration.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  uuid: (text) => uuid.test(text),
  uri: (text) => scheme.test(text) && uriCharacters.test(text) && URL.canParse(text),
  'uri-reference': (text) => uriCharacters.test(text) && URL.canParse(text, 'http://localhost'),
  'json-pointer': isPointer,
};
