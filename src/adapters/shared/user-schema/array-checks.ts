import { isJsonArray, type JsonValue } from '../../../lib/json/json.ts';
import type { Parts } from './node.ts';
import { attempt, type Check, type CheckOf, canonical, counted, fail, isDone, spend } from './run.ts';

/** The checks of a type, and those that must come after all others. */
export interface TypeChecks {
  readonly checks: readonly Check[];
  readonly last: readonly Check[];
}

type ListCheck = CheckOf<readonly JsonValue[]>;

function ofLists(check: ListCheck): Check {
  return (value, run, at, seen) => !isJsonArray(value) || check(value, run, at, seen);
}

/** The checks of lists. */
export function arrayChecks(parts: Parts): TypeChecks {
  const { schema, number } = parts;
  const checks: ListCheck[] = [];
  const [min, max] = [number('minItems'), number('maxItems')];
  if (min !== undefined) {
    const message = `must have at least ${counted(min, 'item')}`;
    checks.push((list, run, at) => list.length >= min || fail(run, at, message));
  }
  if (max !== undefined) {
    const message = `must have at most ${counted(max, 'item')}`;
    checks.push((list, run, at) => list.length <= max || fail(run, at, message));
  }
  const isSeen = (keyword: string) => schema[keyword] !== undefined;
  if (isSeen('prefixItems') || isSeen('items')) checks.push(itemsCheck(parts));
  if (isSeen('contains')) checks.push(containsCheck(parts));
  if (schema['uniqueItems'] === true) checks.push(isUnique);
  const unevaluated = parts.child('unevaluatedItems');
  const last: ListCheck | undefined =
    unevaluated &&
    ((list, run, at, seen) => {
      let isValid = true;
      for (const [key, item] of list.entries()) {
        if (seen?.items.has(key)) continue;
        isValid = unevaluated.check(item, run, { key, parent: at }) && isValid;
        seen?.items.add(key);
        if (!isValid && isDone(run)) break;
      }
      return isValid;
    });
  return { checks: checks.map(ofLists), last: last === undefined ? [] : [ofLists(last)] };
}

function itemsCheck(parts: Parts): ListCheck {
  const prefix = [...parts.children('prefixItems').values()];
  const rest = parts.child('items');
  return (list, run, at, seen) => {
    let isValid = true;
    for (const [key, item] of list.entries()) {
      const child = prefix[key] ?? rest;
      if (child === undefined) break;
      isValid = child.check(item, run, { key, parent: at }) && isValid;
      seen?.items.add(key);
      if (!isValid && isDone(run)) break;
    }
    return isValid;
  };
}

function containsCheck(parts: Parts): ListCheck {
  const wanted = parts.child('contains');
  const min = parts.number('minContains') ?? 1;
  const max = parts.number('maxContains') ?? Number.POSITIVE_INFINITY;
  const few = `must contain at least ${counted(min, 'item')} of the wanted form`;
  const many = `must contain at most ${counted(max, 'item')} of the wanted form`;
  return (list, run, at, seen) => {
    let count = 0;
    for (const [key, item] of list.entries()) {
      if (!attempt(run, () => wanted?.check(item, run, { key, parent: at }) !== false)) continue;
      count++;
      seen?.items.add(key);
    }
    if (count < min) return fail(run, at, few);
    return count <= max || fail(run, at, many);
  };
}

/** In linear time: equal items have equal canonical texts. */
const isUnique: ListCheck = (list, run, at) => {
  const found = new Set<string>();
  for (const [key, item] of list.entries()) {
    const text = canonical(run, item);
    spend(run, 2);
    if (found.has(text)) return fail(run, at, 'must not repeat an item', key);
    found.add(text);
  }
  return true;
};
