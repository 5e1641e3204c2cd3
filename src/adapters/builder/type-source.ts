import type { JsonObject } from '../../lib/json/json.ts';
import type { InputSchema } from '../../ports/tool.ts';
import { built, type Shape } from './built.ts';

/** What gives a type to the compiler: a schema, such as one of zod, or {@link shape}. */
export type TypeSource<T> = InputSchema<T> | Shape<T>;

/** A type without a schema: `returns: shape<{ total: number }>()`. */
export function shape<T>(): Shape<T> {
  return { [built]: { kind: 'shape' } };
}

/** The JSON Schema of what comes in; undefined for a type without a schema. */
export function jsonSchemaOf(source: TypeSource<unknown> | JsonObject): JsonObject | undefined {
  if (isSchema(source)) {
    // As plain JSON: libraries add members that are none.
    const schema: JsonObject = JSON.parse(JSON.stringify(source.toJSONSchema({ io: 'input' })));
    return schema;
  }
  return built in source ? undefined : source;
}

function isSchema(source: TypeSource<unknown> | JsonObject): source is InputSchema<unknown> {
  return 'toJSONSchema' in source && typeof source.toJSONSchema === 'function';
}
