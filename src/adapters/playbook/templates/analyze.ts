import type { Template, Variable } from 'liquidjs';
import { quote } from '../../../lib/text/quote.ts';
import { dateFormats } from './filters.ts';
import { liquid } from './liquid.ts';

/** A variable that a template reads, as a path. A part is undefined where only the values decide it. */
export interface TemplateVariable {
  readonly path: readonly (string | number | undefined)[];
  /** From 1, within the template. */
  readonly line: number;
  readonly column: number;
}

/** The variables that a template reads and does not assign itself, or why it is not valid. */
export type TemplateAnalysis =
  | { readonly variables: readonly TemplateVariable[]; readonly error?: undefined }
  | { readonly error: string };

/** Maximum number of brackets around a part: the library takes time with the square of their number. */
const MAX_BRACKETS = 16;

/** Maximum number of loops around a part, so that the work of a reply is bounded on a busy machine too. */
const MAX_LOOPS = 2;

/** Parses a template and finds its variables. Never throws. */
export function analyzeTemplate(source: string): TemplateAnalysis {
  if (bracketDepth(source) > MAX_BRACKETS)
    return { error: `more than ${MAX_BRACKETS} brackets around a part` };
  if (loopDepth(source) > MAX_LOOPS) return { error: `more than ${MAX_LOOPS} loops around a part` };
  const format = unknownDateFormat(source);
  if (format !== undefined) {
    const expected = `${dateFormats.slice(0, -1).join(', ')} or ${dateFormats.at(-1)}`;
    return { error: `the filter date has no format ${quote(format)}; expected ${expected}` };
  }
  let parsed: Template[];
  try {
    parsed = liquid().parse(source);
    const { globals } = liquid().analyzeSync(parsed, { partials: false });
    return { variables: Object.values(globals).flat().map(toVariable) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

/** The first format of the filter `date` that there is not. Formats of strftime have a percent sign. */
function unknownDateFormat(source: string): string | undefined {
  const stated = source.matchAll(/\|\s*date\s*:\s*(?:"([^"]*)"|'([^']*)')/g);
  return Array.from(stated, ([, double, single = '']) => double ?? single).find(
    (format) => !format.includes('%') && !dateFormats.includes(format),
  );
}

function bracketDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of source.matchAll(/[[\]]/g)) {
    depth = bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function loopDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, end] of source.matchAll(/\{%-?\s*(end)?(?:for|tablerow)\b/g)) {
    depth = end === undefined ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function toVariable({ segments, location }: Variable): TemplateVariable {
  return {
    path: segments.map((segment) => (typeof segment === 'object' ? undefined : segment)),
    line: location.row,
    column: location.col,
  };
}

/** `undefined filter: shout (line 2, column 4 of the text)` */
function describeError(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const [, message = first, line, column] = /^(.*?)(?:, line:(\d+), col:(\d+))?$/.exec(first) ?? [];
  const place = line === undefined ? '' : ` (line ${line}, column ${column} of the text)`;
  return `${message.slice(0, 200)}${place}`;
}
