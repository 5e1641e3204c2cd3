import { z } from 'zod';
import type { Path } from '../faults.ts';

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
