import type { ExpressionValues } from '../../../domain/workflow/expression.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { createWork, type Work } from './cel/work.ts';
import { ExpressionError } from './error.ts';
import { uniquePaths } from './expression.ts';
import { compileTemplate, createTemplateBudget } from './value-template.ts';

/** A text that may contain `${{ … }}`, and the name that errors give it. */
interface PlacedText {
  readonly place: string;
  readonly text: string;
}

/** Texts that were parsed together. */
export interface PlacedTemplates {
  /** The paths that their expressions read, as in `Expression`. */
  readonly references: readonly (readonly string[])[];
  /** The value of each text. The work is bounded for all of them together. Throws `ExpressionError`. */
  evaluate(values: ExpressionValues): readonly JsonValue[];
}

/**
 * Parses texts with `${{ … }}`. The work is bounded for all of them together; it is that of one template when `work` is
 * absent. Throws `ExpressionError`, whose message begins with the place of the text.
 */
export function parsePlacedTexts(
  texts: readonly PlacedText[],
  roots: readonly string[],
  work: Work = createWork(),
): PlacedTemplates {
  const budget = { ...createTemplateBudget(), work };
  const templates = texts.map(({ place, text }) => ({
    place,
    template: atPlace(place, () => compileTemplate(text, roots, budget)),
  }));
  return {
    references: uniquePaths(templates.flatMap(({ template }) => template.references)),
    evaluate: (values) => {
      const evaluation = createWork();
      return templates.map(({ place, template }) =>
        atPlace(place, () => template.evaluate(values, evaluation)),
      );
    },
  };
}

function atPlace<T>(place: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ExpressionError(`${place}: ${error.message}`, undefined, { offset: error.offset });
  }
}
