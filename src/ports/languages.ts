import type { ParseBudget } from '../domain/workflow/expression.ts';
import type { JsonObject, JsonValue } from '../lib/json/json.ts';

export type { ExpressionLanguage } from '../domain/workflow/expression.ts';

/** A fault of a schema that a user wrote, or of a value. */
export interface SchemaIssue {
  /** A JSON pointer into the schema or the value. */
  readonly pointer: string;
  readonly message: string;
}

/** A compiled JSON Schema. */
export interface CompiledSchema {
  /** The faults of a value, each with its place; empty where it fits. The work is bounded. Never throws. */
  issues(value: JsonValue): readonly SchemaIssue[];
}

/** The language of the schemas in definitions: JSON Schema 2020-12. */
export interface SchemaLanguage {
  /**
   * Compiles a schema that a user wrote; what is wrong with it where it is not valid. The work is bounded; it is taken
   * from `budget`, and a schema is not valid where nothing is left. Never throws.
   */
  compile(
    schema: JsonObject,
    budget?: ParseBudget,
  ): CompiledSchema | { readonly invalid: readonly SchemaIssue[] };
}
