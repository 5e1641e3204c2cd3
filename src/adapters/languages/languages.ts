import { createRequire } from 'node:module';
import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { InputError } from '../../domain/workflow/step-input.ts';
import type { SchemaLanguage } from '../../ports/languages.ts';
import type { createCel } from '../shared/expressions/language.ts';
import type { compileUserSchema } from '../shared/user-schema/user-schema.ts';

const loadCel = lazyModule<{ readonly createCel: typeof createCel }>('expressions/language');

let language: ExpressionLanguage | undefined;

function cel(): ExpressionLanguage {
  language ??= loadCel().createCel((message) => new InputError(message));
  return language;
}

/** CEL, with bounds on the size and the work of an expression. It is loaded at its first use. */
export const celExpressions: ExpressionLanguage = {
  parse: (...parameters) => cel().parse(...parameters),
  parseWhole: (...parameters) => cel().parseWhole(...parameters),
  parseTexts: (...parameters) => cel().parseTexts(...parameters),
};

const loadSchemas = lazyModule<{ readonly compileUserSchema: typeof compileUserSchema }>(
  'user-schema/user-schema',
);

/** JSON Schema 2020-12, with bounds on the size of a schema and the work of a check. It is loaded at its first use. */
export const jsonSchemas: SchemaLanguage = {
  compile(schema, budget) {
    const compiled = loadSchemas().compileUserSchema(schema, budget);
    if ('invalid' in compiled) return compiled;
    return {
      issues: (value) =>
        compiled.issues(value).map(({ path, message }) => ({
          pointer: path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
          message,
        })),
    };
  },
};

const require = createRequire(import.meta.url);

/** This code runs as TypeScript, and in the package as JavaScript. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * Loads a module of `src/adapters/shared` at its first use: the languages take longer to load than a start may take
 * that never uses them. The type parameter is that of the module.
 */
function lazyModule<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= require(`../shared/${name}.${extension}`) as Module;
    return loaded;
  };
}
