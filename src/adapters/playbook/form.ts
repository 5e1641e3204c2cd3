import { z } from 'zod';
import { nearestName } from '../../lib/text/nearest-name.ts';
import { quote } from '../../lib/text/quote.ts';
import { type Issue, type Path, suggest } from './faults.ts';

type ZodIssue = z.core.$ZodIssue;

/** The types of JSON by their names in zod, in the words of error texts. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'nothing',
};

/** The codes of values of another form than expected. */
const hiding: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** Puts the issues of a schema into words: what is wrong, and what is expected. `known` gives the members at a path. */
export function describeIssues(
  issues: readonly ZodIssue[],
  value: unknown,
  known: (path: Path) => readonly string[],
): Issue[] {
  return issues.flatMap(withinFittingOption).flatMap((issue): Issue[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys') {
      const names = known(path);
      return issue.keys.map((key) => {
        // It may be meant for another one, of which nothing is known then.
        const meant = nearestName(key, names);
        return {
          path: [...path, key],
          message: `unknown member ${quote(key)}${suggest(key, names) || expectedNames(names)}`,
          atKey: true,
          hides: meant === undefined ? undefined : [...path, meant],
        };
      });
    }
    if (issue.code === 'invalid_key') {
      const reason = issue.issues[0]?.message ?? 'is not a valid name';
      return [{ path, message: `the name ${quote(String(path.at(-1)))} ${reason}`, atKey: true }];
    }
    const message = describe(issue, valueAt(value, path));
    return [{ path, message, hides: hiding.has(issue.code) ? path : undefined }];
  });
}

/** The issues within the one of several forms that a value is of, such as an object in place of a text. */
function withinFittingOption(issue: ZodIssue): readonly ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const fitting = issue.errors.filter((option) => !option.some(isOfAnotherForm));
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) return [issue];
  return only.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function isOfAnotherForm({ code, path }: ZodIssue): boolean {
  return code === 'invalid_type' && path.length === 0;
}

function expectedNames(names: readonly string[]): string {
  return names.length === 0 ? '' : `; expected ${names.join(', ')}`;
}

function describe(issue: ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = kinds[issue.expected] ?? issue.expected;
      return value === undefined
        ? `is missing; expected ${expected}`
        : `is ${kindOf(value)}; expected ${expected}`;
    }
    case 'invalid_value': {
      const wrong = typeof value === 'string' ? quote(value) : kindOf(value);
      const values = issue.values.map(String);
      const near = typeof value === 'string' ? suggest(value, values) : '';
      return `is ${wrong}; expected ${values.map((one) => `"${one}"`).join(' or ')}${near}`;
    }
    case 'too_big':
      return `is ${sizeOf(value)}; expected at most ${issue.maximum}${unitOf(value)}`;
    case 'too_small':
      return `is ${sizeOf(value)}; expected at least ${issue.minimum}${unitOf(value)}`;
    case 'invalid_format':
    case 'custom':
      return typeof value === 'string' && value !== '' ? `${quote(value)} ${issue.message}` : issue.message;
    case 'invalid_union':
      return `is ${kindOf(value)}; expected ${formsOf(issue)}`;
    default:
      return issue.message;
  }
}

/** `a text or an object` for the forms of which a value may be. */
function formsOf({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const forms = errors.flat().flatMap((one) => (one.code === 'invalid_type' ? [one] : []));
  const names = forms.map(({ expected }) => kinds[expected] ?? expected);
  return names.length === 0 ? 'another value' : [...new Set(names)].join(' or ');
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  return kinds[typeof value] ?? 'not JSON';
}

function sizeOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters long`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return String(value);
}

function unitOf(value: unknown): string {
  if (typeof value === 'string') return ' characters';
  return Array.isArray(value) ? ' items' : '';
}

function valueAt(value: unknown, path: Path): unknown {
  let found: unknown = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = Reflect.get(found, part);
  }
  return found;
}

// Members

/** The names of the members that a schema knows at a path; none where it has no fixed members. */
export function membersAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  let found: z.core.$ZodType | undefined = unwrap(schema);
  for (const part of path) {
    if (found instanceof z.ZodObject) found = ownMember(found.shape, String(part));
    else if (found instanceof z.ZodArray) found = found.element;
    else if (found instanceof z.ZodRecord) found = found.valueType;
    else return [];
    if (found === undefined) return [];
    found = unwrap(found);
  }
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function ownMember(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  name: string,
): z.core.$ZodType | undefined {
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let found = schema;
  while (found instanceof z.ZodOptional || found instanceof z.ZodDefault) found = found.unwrap();
  if (!(found instanceof z.ZodUnion)) return found;
  return found.options.find((option) => option instanceof z.ZodObject) ?? found;
}

// Values of another form

/**
 * A value in the form that a schema describes, as far as it has that form, so that what is well formed can be checked
 * beside what is not. Unknown members are left out. A text, number or list keeps its form where it only breaks a limit
 * or a pattern. What has another form, or is missing, becomes an empty one, or the first of the values that are
 * allowed.
 */
export function readLoosely<S extends z.core.$ZodType>(schema: S, value: unknown): z.output<S> {
  return read(schema, value) as z.output<S>;
}

function read(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return value === undefined ? undefined : read(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodObject) {
    const members = isRecord(value) ? value : {};
    const known = Object.entries<z.core.$ZodType>(schema.shape).map(([name, member]) => [
      name,
      read(member, Object.hasOwn(members, name) ? members[name] : undefined),
    ]);
    return Object.fromEntries(known.filter(([, member]) => member !== undefined));
  }
  if (schema instanceof z.ZodRecord) {
    const members = isRecord(value) ? Object.entries(value) : [];
    return Object.fromEntries(members.map(([name, member]) => [name, read(schema.valueType, member)]));
  }
  if (schema instanceof z.ZodArray) {
    return Array.isArray(value) ? value.map((item) => read(schema.element, item)) : [];
  }
  if (schema instanceof z.ZodUnion) {
    const [first] = schema.options;
    const fits = schema.options.some((option) => z.safeParse(option, value).success);
    return fits || first === undefined ? value : read(first, value);
  }
  if (schema instanceof z.ZodString) return typeof value === 'string' ? value : '';
  if (schema instanceof z.ZodNumber) return typeof value === 'number' ? value : 0;
  if (schema instanceof z.ZodBoolean) return typeof value === 'boolean' ? value : true;
  if (schema instanceof z.ZodEnum) return firstUnless(schema.options, value);
  if (schema instanceof z.ZodLiteral) return firstUnless([...schema.values], value);
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstUnless(allowed: readonly unknown[], value: unknown): unknown {
  return allowed.includes(value) ? value : allowed[0];
}
