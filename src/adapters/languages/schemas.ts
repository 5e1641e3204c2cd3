import { joinPointer } from '../../lib/json/pointer.ts';
import type { SchemaLanguage } from '../../ports/languages.ts';
import type { compileUserSchema } from '../shared/user-schema/user-schema.ts';
import { lazyModule } from './load.ts';

const load = lazyModule<{ readonly compileUserSchema: typeof compileUserSchema }>('user-schema/user-schema');

/** JSON Schema 2020-12, with bounds on the size of a schema and the work of a check. It is loaded at its first use. */
export const jsonSchemas: SchemaLanguage = {
  compile(schema, budget) {
    const compiled = load().compileUserSchema(schema, budget);
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
