import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { InputError } from '../../domain/workflow/template.ts';
import type { createCel } from '../shared/expressions/language.ts';
import { lazyModule } from './load.ts';

const load = lazyModule<{ readonly createCel: typeof createCel }>('expressions/language');

let language: ExpressionLanguage | undefined;

function cel(): ExpressionLanguage {
  language ??= load().createCel((message) => new InputError(message));
  return language;
}

/** CEL, with bounds on the size and the work of an expression. It is loaded at its first use. */
export const celExpressions: ExpressionLanguage = {
  parse: (...parameters) => cel().parse(...parameters),
  parseWhole: (...parameters) => cel().parseWhole(...parameters),
  parseTexts: (...parameters) => cel().parseTexts(...parameters),
};
