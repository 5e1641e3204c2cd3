import type { JsonObject } from '../../../lib/json/json.ts';
import { scanTemplate } from '../../shared/expressions/scan.ts';
import { parseValueTemplate, type ValueTemplate } from '../../shared/expressions/value-template.ts';
import { type Report, tryParse } from './issues.ts';
import { referenceProblem, toolRoots } from './values.ts';

/** A part of a template: literal text, or one expression that keeps the type of its value. */
export type TemplatePart = { readonly literal: string } | { readonly value: ValueTemplate };

/** Where a template stands in a definition, and what its expressions may read of the input. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: JsonObject | undefined;
  readonly report: Report;
}

/** Maximum number of expressions in one address, header, parameter or text. */
const MAX_EXPRESSIONS = 32;

/**
 * The parts of a template. Reports wrong expressions and unknown values, and returns undefined where it cannot be used.
 */
export function parseParts(text: string, place: Place): readonly TemplatePart[] | undefined {
  const { path, report } = place;
  return tryParse(report, path, () => {
    // The whole first: its errors name the column in the text.
    const { references } = parseValueTemplate(text, toolRoots);
    reportReferences(references, place);
    const scanned = scanTemplate(text);
    if (scanned.filter((part) => 'source' in part).length > MAX_EXPRESSIONS) {
      report(path, `must have at most ${MAX_EXPRESSIONS} expressions`);
    }
    return scanned.map((part) =>
      'literal' in part ? part : { value: parseValueTemplate(`\${{${part.source.expression}}}`, toolRoots) },
    );
  });
}

/** Reports paths that lead to nothing. */
export function reportReferences(
  references: readonly (readonly string[])[],
  { path, schema, report }: Place,
): void {
  for (const reference of references) {
    const problem = referenceProblem(reference, schema);
    if (problem !== undefined) report(path, problem);
  }
}

/** True for a template that is literal text only. */
export function isLiteral(parts: readonly TemplatePart[]): boolean {
  return parts.every((part) => 'literal' in part);
}
