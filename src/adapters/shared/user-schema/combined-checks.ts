import type { JsonValue } from '../../../lib/json/json.ts';
import type { Child, Parts } from './node.ts';
import { type At, attempt, type Check, type Evaluated, fail, isDone, merge, type Run, spend } from './run.ts';
import { describeTypes, fits } from './scalar-checks.ts';

/** The checks of keywords that apply other schemas to the same value. */
export function combinedChecks(parts: Parts): readonly Check[] {
  const checks: Check[] = [];
  const listOf = (keyword: string) => [...parts.children(keyword).values()];
  if (parts.referred !== undefined) checks.push(allOf([parts.referred]));
  const [all, any, one] = [listOf('allOf'), listOf('anyOf'), listOf('oneOf')];
  if (all.length > 0) checks.push(allOf(all));
  if (any.length > 0) checks.push(someOf(any, false));
  if (one.length > 0) checks.push(someOf(one, true));
  const not = parts.child('not');
  if (not !== undefined) {
    checks.push(
      (value, run, at) =>
        !attempt(run, () => not.check(value, run, at)) || fail(run, at, 'has a form that is not allowed'),
    );
  }
  const condition = parts.child('if');
  if (condition !== undefined) checks.push(conditional(condition, parts.child('then'), parts.child('else')));
  return checks;
}

function allOf(children: readonly Child[]): Check {
  return (value, run, at, seen) => {
    let isValid = true;
    for (const child of children) {
      isValid = child.check(value, run, at, seen) && isValid;
      if (!isValid && isDone(run)) break;
    }
    return isValid;
  };
}

/** `anyOf`, and `oneOf` where only one may fit. */
function someOf(children: readonly Child[], isOnly: boolean): Check {
  return (value, run, at, seen) => {
    let fitting = 0;
    for (const child of children) {
      if (!tryChild(child, value, run, at, seen)) continue;
      fitting++;
      // What all of them see counts, so that each is tried where that is asked for.
      if (!isOnly && seen === undefined) break;
      if (isOnly && fitting > 1) return fail(run, at, 'fits more than one of the allowed forms');
    }
    return fitting > 0 || fail(run, at, noneMessage(children, value));
  };
}

/** Tries a schema; what it sees counts where it fits. */
function tryChild(
  child: Child,
  value: JsonValue,
  run: Run,
  at: At | undefined,
  seen: Evaluated | undefined,
): boolean {
  if (seen !== undefined) spend(run, 6);
  const own = seen === undefined ? undefined : { properties: new Set<string>(), items: new Set<number>() };
  const isValid = attempt(run, () => child.check(value, run, at, own));
  if (isValid && own !== undefined && seen !== undefined) merge(run, own, seen);
  return isValid;
}

/** Where the value has none of the types that the schemas allow, the message names these. */
function noneMessage(children: readonly Child[], value: JsonValue): string {
  const types = children.map((child) => child.types());
  const allowed = types.flatMap((some) => some ?? []);
  const isTypeWrong = !types.includes(undefined) && !fits(value, allowed);
  return isTypeWrong ? `must be ${describeTypes(allowed)}` : 'fits none of the allowed forms';
}

function conditional(condition: Child, yes: Child | undefined, no: Child | undefined): Check {
  return (value, run, at, seen) => {
    const next = tryChild(condition, value, run, at, seen) ? yes : no;
    return next === undefined || next.check(value, run, at, seen);
  };
}
