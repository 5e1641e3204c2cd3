import type { ExpressionLanguage, ParseBudget } from '../../../domain/workflow/expression.ts';
import { createWork, type Work } from './cel/work.ts';
import { compileExpression, ExpressionError, parseExpression } from './expression.ts';
import { parseTexts, scanTemplate } from './templates.ts';

/** CEL, with bounds on the size and the work of an expression. `toError` makes the error that its user expects. */
export function createCel(toError: (message: string) => Error): ExpressionLanguage {
  function guard<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw error instanceof ExpressionError ? toError(error.message) : error;
    }
  }

  /** Parses with the work of one expression, at most what is left of the budget, and takes it from there. */
  function withBudget<T>(budget: ParseBudget | undefined, parse: (work: Work) => T): T {
    if (budget === undefined) return guard(() => parse(createWork()));
    const work = createWork(budget.left);
    const before = work.left;
    try {
      return guard(() => parse(work));
    } finally {
      budget.left -= before - work.left;
    }
  }

  return {
    parse(source, roots, budget) {
      const { kind, references, evaluate } = withBudget(budget, (work) =>
        parseExpression(source, roots, work),
      );
      return { kind, references, evaluate: (values) => guard(() => evaluate(values)) };
    },
    parseWhole(text, roots, budget) {
      const { kind, references, evaluate } = withBudget(budget, (work) => {
        const [part, ...others] = scanTemplate(text);
        if (part === undefined || 'literal' in part || others.length > 0) {
          throw new ExpressionError(`must be an object, or a text that is wholly one $${'{{ … }}'}`);
        }
        return compileExpression(part.source, roots, work);
      });
      return { kind, references, evaluate: (values) => guard(() => evaluate(values, createWork())) };
    },
    parseTexts(texts, roots, budget) {
      const { references, evaluate } = withBudget(budget, (work) =>
        parseTexts(
          texts.map(({ place, text }) => ({ path: [place], text })),
          roots,
          work,
        ),
      );
      return { references, evaluate: (values) => guard(() => evaluate(values)) };
    },
  };
}
