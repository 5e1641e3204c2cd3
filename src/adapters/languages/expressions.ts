import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { InputError } from '../../domain/workflow/template.ts';
import { createCel } from '../shared/expressions/language.ts';

/** CEL, with bounds on the size and the work of an expression. */
export const celExpressions: ExpressionLanguage = createCel((message) => new InputError(message));
