import { isJsonArray, type JsonValue } from '../../../lib/json/json.ts';
import { countCharacters } from '../../../lib/text/characters.ts';
import { formats } from './formats.ts';
import { type TypeName, typeWords } from './keywords.ts';
import type { Parts } from './node.ts';
import {
  type Check,
  type CheckOf,
  canonical,
  counted,
  createRun,
  fail,
  matches,
  type Run,
  spend,
  typeOf,
} from './run.ts';

/** Maximum length of a value or pattern that is shown in a message. */
const MAX_SHOWN = 100;

/** The check of `type`. */
export function typeCheck(types: readonly TypeName[]): Check {
  const message = `must be ${describeTypes(types)}`;
  return (value, run, at) => fits(value, types) || fail(run, at, message);
}

/** True when the type of the value is among them. */
export function fits(value: JsonValue, types: readonly TypeName[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** The types in words: `text or a number`. */
export function describeTypes(types: readonly TypeName[]): string {
  return [...new Set(types)].map((type) => typeWords[type]).join(' or ');
}

/** The checks of values, numbers and texts. */
export function scalarChecks(parts: Parts): readonly Check[] {
  return [...valueChecks(parts), ...numberChecks(parts), ...textChecks(parts)];
}

function valueChecks({ schema }: Parts): Check[] {
  const checks: Check[] = [];
  if (isJsonArray(schema['enum'])) checks.push(oneOfValues(schema['enum']));
  if (schema['const'] !== undefined) checks.push(oneOfValues([schema['const']]));
  return checks;
}

function oneOfValues(values: readonly JsonValue[]): Check {
  const allowed = new Set(values.map((value) => canonical(createRun(), value)));
  const shown = [...allowed].join(', ');
  const message =
    shown.length > MAX_SHOWN
      ? 'must be one of the allowed values'
      : `must be ${allowed.size === 1 ? '' : 'one of '}${shown}`;
  return (value, run, at) => allowed.has(canonical(run, value)) || fail(run, at, message);
}

/** A check of numbers only. */
function ofNumbers(check: CheckOf<number>): Check {
  return (value, run, at, seen) => typeof value !== 'number' || check(value, run, at, seen);
}

function ofTexts(check: CheckOf<string>): Check {
  return (value, run, at, seen) => typeof value !== 'string' || check(value, run, at, seen);
}

function numberChecks({ number }: Parts): Check[] {
  const checks: Check[] = [];
  const add = (
    keyword: string,
    words: string,
    holds: (value: number, limit: number, run: Run) => boolean,
  ) => {
    const limit = number(keyword);
    if (limit === undefined) return;
    checks.push(
      ofNumbers((value, run, at) => holds(value, limit, run) || fail(run, at, `must be ${words} ${limit}`)),
    );
  };
  add('minimum', 'at least', (value, limit) => value >= limit);
  add('maximum', 'at most', (value, limit) => value <= limit);
  add('exclusiveMinimum', 'above', (value, limit) => value > limit);
  add('exclusiveMaximum', 'below', (value, limit) => value < limit);
  add('multipleOf', 'a multiple of', isMultiple);
  return checks;
}

/** Exact for the decimal digits that are written: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number, run: Run): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  spend(run, 100);
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

function textChecks({ schema, number, pattern }: Parts): Check[] {
  const checks: Check[] = [];
  const [min, max] = [number('minLength'), number('maxLength')];
  if (min !== undefined)
    checks.push(lengthCheck((length) => length >= min, `must have at least ${counted(min, 'character')}`));
  if (max !== undefined)
    checks.push(lengthCheck((length) => length <= max, `must have at most ${counted(max, 'character')}`));
  if (typeof schema['pattern'] === 'string') {
    const source = schema['pattern'];
    const compiled = pattern(source, 'pattern');
    const message =
      source.length > MAX_SHOWN ? 'does not match the pattern' : `must match the pattern ${source}`;
    if (compiled !== undefined) {
      checks.push(ofTexts((value, run, at) => matches(run, compiled, value) || fail(run, at, message)));
    }
  }
  const { format } = schema;
  if (typeof format === 'string' && Object.hasOwn(formats, format)) {
    const isValid = formats[format];
    checks.push(
      ofTexts((value, run, at) => {
        spend(run, value.length / 8);
        return isValid?.(value) !== false || fail(run, at, `must be a valid ${format}`);
      }),
    );
  }
  return checks;
}

function lengthCheck(holds: (length: number) => boolean, message: string): Check {
  return ofTexts((value, run, at) => {
    spend(run, value.length / 16);
    return holds(countCharacters(value)) || fail(run, at, message);
  });
}
