import { PatternError } from '../../shared/linear-pattern.ts';
import { normalizeValue } from '../compile/entities.ts';
import type { EntityDefinition } from '../definition.ts';
import type { Path } from '../faults.ts';
import { show } from '../nearest.ts';
import { compilePattern, MAX_TOTAL_SIZE, type Pattern } from '../patterns.ts';
import type { Report } from './report.ts';

/**
 * Checks that each pattern is linear, not too large, and matches its own examples as a whole, and that a value is left
 * of them.
 */
export function checkEntities(entities: readonly EntityDefinition[], report: Report): void {
  let total = 0;
  for (const [index, { pattern: source, examples = [], normalize = [] }] of entities.entries()) {
    const path = ['entities', index];
    const pattern = compileOrReport(source, [...path, 'pattern'], report);
    if (pattern === undefined) continue;
    total += pattern.size;
    if (total > MAX_TOTAL_SIZE) {
      report.fault(
        path,
        `makes the patterns too large: ${total} parts in all; expected at most ${MAX_TOTAL_SIZE}`,
      );
      return;
    }
    for (const group of pattern.otherGroups) {
      report.warn(
        [...path, 'pattern'],
        `the group ${show(group)} is not used; only one with the name "value" is`,
      );
    }
    for (const [at, example] of examples.entries()) {
      const found = pattern.find(example);
      const place = [...path, 'examples', at];
      if (found?.text !== example) {
        const what = found === undefined ? 'nothing' : show(found.text);
        report.fault(place, `the pattern finds ${what} in ${show(example)}; expected all of it`);
      } else if (normalizeValue(found.value, normalize) === '') {
        report.fault(place, `no value is left of ${show(example)}; expected one`);
      }
    }
  }
}

function compileOrReport(source: string, path: Path, report: Report): Pattern | undefined {
  try {
    return compilePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    report.fault(path, error.message);
    return undefined;
  }
}
