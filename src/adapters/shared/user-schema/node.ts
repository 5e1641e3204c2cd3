import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { compilePattern, type LinearPattern, PatternError, patternCost } from '../linear-pattern.ts';
import { arrayChecks } from './array-checks.ts';
import { combinedChecks } from './combined-checks.ts';
import type { SchemaIssue } from './error.ts';
import { isTypeName, type TypeName } from './keywords.ts';
import { objectChecks } from './object-checks.ts';
import { joinPointer } from './pointer.ts';
import { type At, type Check, type Evaluated, enter, fail, isDone, merge, type Run, spend } from './run.ts';
import { scalarChecks, typeCheck } from './scalar-checks.ts';
import type { Subschema } from './walk.ts';

/** Units of work, of up to about 100 ns, for compiling all patterns of a schema. */
const MAX_PATTERNS_COST = 500_000;

/** A compiled schema. */
export interface Node {
  /** The types that it allows; undefined for all. */
  readonly types: readonly TypeName[] | undefined;
  readonly checks: readonly Check[];
  /** The checks that need to know what the others have seen. */
  readonly lastChecks: readonly Check[];
}

/** What the checks of a schema are made from. */
export interface Parts {
  readonly schema: JsonObject;
  /** The keyword's value where it is a number; undefined otherwise. */
  number(keyword: string): number | undefined;
  /** The subschema of a keyword, or of one of its keys; undefined where there is none. */
  child(keyword: string, key?: string | number): Child | undefined;
  /** The subschemas of a keyword that holds an object or a list of them. */
  children(keyword: string): ReadonlyMap<string, Child>;
  /** The schema that `$ref` names. */
  readonly referred: Child | undefined;
  /** Compiles a pattern; an issue at that pointer where it is not valid. */
  pattern(source: string, ...keys: readonly string[]): LinearPattern | undefined;
}

/** Checks a value against a subschema. */
export type Child = {
  /** The types that the subschema allows by itself; undefined for all. */
  readonly types: () => readonly TypeName[] | undefined;
  readonly check: (value: JsonValue, run: Run, at: At | undefined, seen?: Evaluated) => boolean;
};

/** A compiled schema as a whole. */
export interface CompiledRoot {
  readonly root: Child;
  /** The units of work for compiling all patterns. */
  readonly patternsCost: number;
}

/** Compiles all subschemas. */
export function compileSchema(
  subschemas: ReadonlyMap<string, Subschema>,
  issues: SchemaIssue[],
): CompiledRoot {
  const nodes = new Map<string, Node>();
  const patterns = { cost: 0 };
  const childAt = (pointer: string): Child => {
    const nodeOf = () => {
      const node = nodes.get(pointer);
      if (node === undefined) throw new RangeError(`there is no schema at ${pointer}`);
      return node;
    };
    return {
      types: () => nodeOf().types,
      check: (value, run, at, seen) => checkNode(nodeOf(), value, run, at, seen),
    };
  };
  for (const subschema of subschemas.values()) {
    nodes.set(subschema.pointer, compileNode(subschema, childAt, { issues, patterns }));
  }
  return { root: childAt(''), patternsCost: patterns.cost };
}

/** What compiling collects over all subschemas. */
interface Collected {
  readonly issues: SchemaIssue[];
  /** The units of work for compiling all patterns. */
  readonly patterns: { cost: number };
}

function compileWithin(patterns: { cost: number }, source: string): LinearPattern {
  patterns.cost += patternCost(source, 'ecmascript').compileCost;
  if (patterns.cost > MAX_PATTERNS_COST) throw new PatternError('the patterns are too large together');
  return compilePattern(source, 'ecmascript');
}

function compileNode(
  { pointer, schema, ref }: Subschema,
  childAt: (pointer: string) => Child,
  { issues, patterns }: Collected,
): Node {
  if (schema === true) return { types: undefined, checks: [], lastChecks: [] };
  if (schema === false) {
    const refuse: Check = (_value, run, at) => fail(run, at, 'is not expected');
    return { types: undefined, checks: [refuse], lastChecks: [] };
  }
  const keysOf = (keyword: string) => {
    const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
    return isJsonObject(value) || isJsonArray(value) ? Object.keys(value) : [];
  };
  const parts: Parts = {
    schema,
    number: (keyword) => {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      return typeof value === 'number' ? value : undefined;
    },
    child: (keyword, key) => {
      if (!Object.hasOwn(schema, keyword)) return undefined;
      const at = joinPointer(pointer, keyword);
      return childAt(key === undefined ? at : joinPointer(at, key));
    },
    children: (keyword) => {
      const at = joinPointer(pointer, keyword);
      return new Map(keysOf(keyword).map((key) => [key, childAt(joinPointer(at, key))]));
    },
    referred: ref === undefined ? undefined : childAt(ref),
    pattern: (source, ...keys) => {
      try {
        return compileWithin(patterns, source);
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        issues.push({ pointer: keys.reduce(joinPointer, pointer), message: error.message });
        return undefined;
      }
    },
  };
  const { checks: arrays, last: lastOfArrays } = arrayChecks(parts);
  const { checks: objects, last: lastOfObjects } = objectChecks(parts);
  const types = typesOf(schema);
  return {
    types,
    checks: [
      ...(types === undefined ? [] : [typeCheck(types)]),
      ...scalarChecks(parts),
      ...arrays,
      ...objects,
      ...combinedChecks(parts),
    ],
    lastChecks: [...lastOfArrays, ...lastOfObjects],
  };
}

function typesOf({ type }: JsonObject): readonly TypeName[] | undefined {
  if (type === undefined) return undefined;
  return isJsonArray(type) ? type.filter(isTypeName) : [type].filter(isTypeName);
}

function checkNode(
  node: Node,
  value: JsonValue,
  run: Run,
  at: At | undefined,
  outer: Evaluated | undefined,
): boolean {
  enter(run);
  const needsSeen = node.lastChecks.length > 0;
  if (needsSeen) spend(run, 6);
  const seen = needsSeen ? { properties: new Set<string>(), items: new Set<number>() } : outer;
  let isValid = true;
  for (const check of needsSeen ? [...node.checks, ...node.lastChecks] : node.checks) {
    if (check(value, run, at, seen)) continue;
    isValid = false;
    // The first check is that of the type: what follows would only repeat it.
    if (isDone(run) || (node.types !== undefined && check === node.checks[0])) break;
  }
  run.depth--;
  if (isValid && needsSeen && outer !== undefined && seen !== undefined) merge(run, seen, outer);
  return isValid;
}
