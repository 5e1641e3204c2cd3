import { z } from 'zod';

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
