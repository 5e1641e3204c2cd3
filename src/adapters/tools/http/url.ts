import { ToolError } from '../../../domain/tool-error.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { hasDotSegment } from '../../shared/dot-segments.ts';
import { evaluateText, type Render } from './evaluate.ts';
import { type Place, parseParts, type TemplatePart } from './places.ts';

const PLACE = 'request.url';

/** The literal beginning of an address: scheme, host and port, up to the path, the query or the end. */
const origin = /^https?:\/\/[^/?#\\\s@$]+(?=[/?]|$)/i;

/** The address of a tool, and the host in it. */
export interface CompiledUrl {
  readonly host: string;
  readonly url: Render;
}

/** Compiles the address. Values may stand in the path and the query, and are encoded as parts of them. */
export function compileUrl(text: string, place: Place): CompiledUrl | undefined {
  const parts = parseParts(text, place);
  if (parts === undefined) return undefined;
  const host = hostOf(parts);
  const problem = host === undefined ? ORIGIN_PROBLEM : literalProblem(parts);
  if (problem !== undefined) place.report(place.path, problem);
  if (host === undefined || problem !== undefined) return undefined;
  const [path, query] = splitAtQuery(parts);
  const segments = splitSegments(path);
  const url: Render = (values) =>
    segments.map((segment) => renderSegment(segment, values)).join('/') +
    query.map((part) => renderPart(part, values)).join('');
  return { host, url };
}

const ORIGIN_PROBLEM =
  'must begin with https:// or http:// and a host, without expressions in the scheme, host or port, and without a user';

/** The host of an address that begins with a literal scheme, host and port; undefined for any other. */
function hostOf(parts: readonly TemplatePart[]): string | undefined {
  const [first] = parts;
  const start = first !== undefined && 'literal' in first ? first.literal : '';
  const text = origin.exec(start)?.[0];
  // An expression right after the host would be a part of it.
  if (text === undefined || (text === start && parts.length > 1) || !URL.canParse(text)) return undefined;
  return new URL(text).hostname;
}

/** The fault of the literal parts of an address. */
function literalProblem(parts: readonly TemplatePart[]): string | undefined {
  const literal = parts.map((part) => ('literal' in part ? part.literal : '')).join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const isOdd = /[\s\\#\u0000-\u001f\u007f]/.test(literal);
  return isOdd ? 'must not contain white space, "\\", "#" or control characters' : undefined;
}

/** The parts before the first literal `?`, and those from it on. */
function splitAtQuery(
  parts: readonly TemplatePart[],
): readonly [readonly TemplatePart[], readonly TemplatePart[]] {
  const index = parts.findIndex((part) => 'literal' in part && part.literal.includes('?'));
  const at = parts[index];
  if (at === undefined || !('literal' in at)) return [parts, []];
  const split = at.literal.indexOf('?');
  return [
    [...parts.slice(0, index), { literal: at.literal.slice(0, split) }],
    [{ literal: at.literal.slice(split) }, ...parts.slice(index + 1)],
  ];
}

/** The parts of each piece of a path between slashes. */
function splitSegments(parts: readonly TemplatePart[]): readonly (readonly TemplatePart[])[] {
  const segments: TemplatePart[][] = [[]];
  for (const part of parts) {
    const [head = part, ...rest] =
      'literal' in part ? part.literal.split('/').map((literal) => ({ literal })) : [part];
    segments.at(-1)?.push(head);
    segments.push(...rest.map((piece) => [piece]));
  }
  return segments;
}

/**
 * A segment with its values. One that values make empty, or that servers may take as the way to another segment, would
 * be another address than the one that was defined: it throws `ToolError`.
 */
function renderSegment(segment: readonly TemplatePart[], values: JsonObject): string {
  const text = segment.map((part) => renderPart(part, values)).join('');
  if (segment.every((part) => 'literal' in part)) return text;
  const fail = (problem: string) =>
    new ToolError(`${PLACE}: a value makes a part of the path ${problem}`, { permanent: true });
  if (text === '') throw fail('empty');
  if (hasDotSegment(text)) throw fail('"." or ".."');
  return text;
}

function renderPart(part: TemplatePart, values: JsonObject): string {
  return 'literal' in part ? part.literal : encodeURIComponent(evaluateText(part.value, values, PLACE));
}
