import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { InputError } from '../../domain/workflow/template.ts';
import { joinPointer } from '../../lib/json/pointer.ts';
import type { SchemaLanguage } from '../../ports/languages.ts';
import { createCel } from '../shared/expressions/language.ts';
import { compileUserSchema } from '../shared/user-schema/user-schema.ts';

/** CEL, with bounds on the size and the work of an expression. */
export const celExpressions: ExpressionLanguage = createCel((message) => new InputError(message));

/** JSON Schema 2020-12, with bounds on the size of a schema and the work of a check. */
export const jsonSchemas: SchemaLanguage = {
  compile(schema, budget) {
    const compiled = compileUserSchema(schema, budget);
    if ('invalid' in compiled) return compiled;
    return {
      issues: (value) =>
        compiled.issues(value).map(({ path, message }) => ({
          pointer: path.map(String).reduce(joinPointer, ''),
          message,
        })),
    };
  },
};
