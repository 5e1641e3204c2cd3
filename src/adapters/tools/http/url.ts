import { ToolError } from '../../../domain/tool-error.ts';
import { isJsonArray, type JsonObject } from '../../../lib/json/json.ts';
import { hasDotSegment } from '../../shared/dot-segments.ts';
import {
  evaluateAt,
  evaluateText,
  isLiteral,
  type Place,
  parseParts,
  type Render,
  type TemplatePart,
  textOf,
} from './parts.ts';
import type { HttpToolDefinition } from './schema.ts';

const PLACE = 'request.url';

/** The literal beginning of an address: scheme, host and port, up to the path, the query or the end. */
const origin = /^https?:\/\/[^/?#\\\s@$]+(?=[/?]|$)/i;

/** Compiles the address. Values may stand in the path and the query, and are encoded as parts of them. */
export function compileUrl(
  text: string,
  place: Place,
): { readonly host: string; readonly url: Render } | undefined {
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
  const start = typeof first === 'string' ? first : '';
  const text = origin.exec(start)?.[0];
  // An expression right after the host would be a part of it.
  if (text === undefined || (text === start && parts.length > 1) || !URL.canParse(text)) return undefined;
  return new URL(text).hostname;
}

/** The problem with the literal parts of an address. */
function literalProblem(parts: readonly TemplatePart[]): string | undefined {
  const literal = parts.filter((part) => typeof part === 'string').join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const isOdd = /[\s\\#\u0000-\u001f\u007f]/.test(literal);
  return isOdd ? 'must not contain white space, "\\", "#" or control characters' : undefined;
}

/** The parts before the first literal `?`, and those from it on. */
function splitAtQuery(
  parts: readonly TemplatePart[],
): readonly [readonly TemplatePart[], readonly TemplatePart[]] {
  const index = parts.findIndex((part) => typeof part === 'string' && part.includes('?'));
  const at = parts[index];
  if (typeof at !== 'string') return [parts, []];
  const split = at.indexOf('?');
  return [
    [...parts.slice(0, index), at.slice(0, split)],
    [at.slice(split), ...parts.slice(index + 1)],
  ];
}

/** The parts of each piece of a path between slashes. */
function splitSegments(parts: readonly TemplatePart[]): readonly (readonly TemplatePart[])[] {
  const segments: TemplatePart[][] = [[]];
  for (const part of parts) {
    const [head = part, ...rest] = typeof part === 'string' ? part.split('/') : [part];
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
  if (isLiteral(segment)) return text;
  const fail = (problem: string) =>
    new ToolError(`${PLACE}: a value makes a part of the path ${problem}`, { permanent: true });
  if (text === '') throw fail('empty');
  if (hasDotSegment(text)) throw fail('"." or ".."');
  return text;
}

function renderPart(part: TemplatePart, values: JsonObject): string {
  return typeof part === 'string' ? part : encodeURIComponent(evaluateText(part, values, PLACE));
}

/** Compiles the parameters, as `a=1&b=2`. A value that is a list becomes one parameter for each item. */
export function compileQuery(
  query: NonNullable<HttpToolDefinition['request']['query']>,
  { path, ...place }: Place,
): Render {
  const parameters = Object.entries(query).map(([name, value]) => {
    const parts = parseParts(String(value), { ...place, path: [...path, name] }) ?? [];
    return (values: JsonObject) =>
      parameterTexts(parts, values, `request.query.${name}`).map(
        (text) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text)}`,
      );
  });
  return (values) => parameters.flatMap((parameter) => parameter(values)).join('&');
}

function parameterTexts(
  parts: readonly TemplatePart[],
  values: JsonObject,
  place: string,
): readonly string[] {
  const [only, ...others] = parts;
  if (typeof only === 'object' && others.length === 0) {
    const value = evaluateAt(only, values, place);
    return isJsonArray(value) ? value.map((item) => textOf(item, place)) : [textOf(value, place)];
  }
  const texts = parts.map((part) =>
    typeof part === 'string' ? part.toWellFormed() : evaluateText(part, values, place),
  );
  return [texts.join('')];
}
