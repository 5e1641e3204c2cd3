import { getOwn, isJsonArray, isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { TypeChecks } from './array-checks.ts';
import type { Parts } from './node.ts';
import { attempt, type Check, type CheckOf, counted, fail, isDone, matches, type Run, spend } from './run.ts';

type ObjectCheck = CheckOf<JsonObject>;

function ofObjects(check: ObjectCheck): Check {
  return (value, run, at, seen) => !isJsonObject(value) || check(value, run, at, seen);
}

/** The checks of objects. */
export function objectChecks(parts: Parts): TypeChecks {
  const { schema } = parts;
  const checks: ObjectCheck[] = [];
  if (isJsonArray(schema['required'])) checks.push(requiredCheck(schema['required'].map(String)));
  checks.push(...countChecks(parts));
  if (
    ['properties', 'patternProperties', 'additionalProperties'].some((name) => schema[name] !== undefined)
  ) {
    checks.push(propertiesCheck(parts));
  }
  if (schema['propertyNames'] !== undefined) checks.push(namesCheck(parts));
  if (isJsonObject(schema['dependentRequired'])) checks.push(dependentCheck(schema['dependentRequired']));
  if (schema['dependentSchemas'] !== undefined) checks.push(dependentSchemasCheck(parts));
  const last = schema['unevaluatedProperties'] === undefined ? [] : [unevaluatedCheck(parts)];
  return { checks: checks.map(ofObjects), last: last.map(ofObjects) };
}

function requiredCheck(names: readonly string[]): ObjectCheck {
  return (object, run, at) => {
    spend(run, names.length / 2);
    const missing = names.filter((name) => !Object.hasOwn(object, name));
    for (const name of missing) fail(run, at, 'is missing', name);
    return missing.length === 0;
  };
}

function keysOf(object: JsonObject, run: Run): string[] {
  const keys = Object.keys(object);
  spend(run, keys.length);
  return keys;
}

function countChecks({ number }: Parts): ObjectCheck[] {
  const checks: ObjectCheck[] = [];
  const [min, max] = [number('minProperties'), number('maxProperties')];
  if (min !== undefined) {
    const message = `must have at least ${counted(min, 'member')}`;
    checks.push((object, run, at) => keysOf(object, run).length >= min || fail(run, at, message));
  }
  if (max !== undefined) {
    const message = `must have at most ${counted(max, 'member')}`;
    checks.push((object, run, at) => keysOf(object, run).length <= max || fail(run, at, message));
  }
  return checks;
}

function propertiesCheck(parts: Parts): ObjectCheck {
  const properties = parts.children('properties');
  const additional = parts.child('additionalProperties');
  const patterns = [...parts.children('patternProperties')].flatMap(([source, child]) => {
    const pattern = parts.pattern(source, 'patternProperties', source);
    return pattern === undefined ? [] : [{ pattern, child }];
  });
  return (object, run, at, seen) => {
    let isValid = true;
    for (const key of keysOf(object, run)) {
      const value = getOwn(object, key);
      if (value === undefined) continue;
      const place = { key, parent: at };
      const named = properties.get(key);
      const matching = patterns.filter(({ pattern }) => matches(run, pattern, key)).map(({ child }) => child);
      const children = named === undefined ? matching : [named, ...matching];
      const applied = children.length === 0 && additional !== undefined ? [additional] : children;
      for (const child of applied) isValid = child.check(value, run, place) && isValid;
      if (applied.length > 0) seen?.properties.add(key);
      if (!isValid && isDone(run)) break;
    }
    return isValid;
  };
}

function namesCheck(parts: Parts): ObjectCheck {
  const child = parts.child('propertyNames');
  return (object, run, at) => {
    let isValid = true;
    for (const key of keysOf(object, run)) {
      if (attempt(run, () => child?.check(key, run, at) !== false)) continue;
      isValid = fail(run, at, 'has a name that is not allowed', key);
      if (isDone(run)) break;
    }
    return isValid;
  };
}

function dependentCheck(dependent: JsonObject): ObjectCheck {
  const rules = Object.entries(dependent).map(([name, names]) => ({
    name,
    needed: isJsonArray(names) ? names.map(String) : [],
  }));
  return (object, run, at) => {
    let isValid = true;
    spend(run, rules.length / 2);
    for (const { name, needed } of rules) {
      if (!Object.hasOwn(object, name)) continue;
      spend(run, needed.length / 2);
      const missing = needed.filter((key) => !Object.hasOwn(object, key));
      for (const key of missing) fail(run, at, `is missing, which ${JSON.stringify(name)} needs`, key);
      isValid &&= missing.length === 0;
    }
    return isValid;
  };
}

function dependentSchemasCheck(parts: Parts): ObjectCheck {
  const children = [...parts.children('dependentSchemas')];
  return (object, run, at, seen) => {
    spend(run, children.length);
    const present = children.filter(([name]) => Object.hasOwn(object, name));
    return present.map(([, child]) => child.check(object, run, at, seen)).every(Boolean);
  };
}

function unevaluatedCheck(parts: Parts): ObjectCheck {
  const child = parts.child('unevaluatedProperties');
  return (object, run, at, seen) => {
    let isValid = true;
    for (const key of keysOf(object, run)) {
      const value = getOwn(object, key);
      if (value === undefined || seen?.properties.has(key)) continue;
      isValid = child?.check(value, run, { key, parent: at }) !== false && isValid;
      seen?.properties.add(key);
      if (!isValid && isDone(run)) break;
    }
    return isValid;
  };
}
