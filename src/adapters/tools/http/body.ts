import { ToolError } from '../../../domain/tool-error.ts';
import { copyJson, JsonError } from '../../../lib/json/copy.ts';
import type { JsonObject, JsonValue } from '../../../lib/json/json.ts';
import { parseJsonTemplate } from '../../shared/expressions/templates.ts';
import { tryParse } from './issues.ts';
import {
  evaluateAt,
  evaluateText,
  isLiteral,
  type Place,
  parseParts,
  reportReferences,
  type TemplatePart,
  toolRoots,
} from './parts.ts';

/** Makes the body of a request. Throws a permanent `ToolError`. */
export interface Body {
  /** The `Content-Type` for a request whose headers name none. */
  readonly contentType: string;
  render(values: JsonObject): string;
}

/** Maximum size of a body in a definition, in bytes of JSON. */
const MAX_BYTES = 65_536;

const PLACE = 'request.body';

/** Compiles the body of a definition; `contentType` is the header that stands in it. */
export function compileBody(body: unknown, contentType: string | undefined, place: Place): Body | undefined {
  const value = jsonOf(body, place);
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return compileJson(value, place);
  const parts = parseParts(value, place);
  if (parts === undefined) return undefined;
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  // A text that is one expression is a value, unless it is sent as something else than JSON.
  if (parts.length === 1 && !isLiteral(parts) && (type === undefined || isJsonType(type))) {
    return compileJson(value, place);
  }
  return compileText(parts, type ?? 'text/plain', place);
}

function jsonOf(body: unknown, { path, report }: Place): JsonValue | undefined {
  try {
    return copyJson(body, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    report(path, error.message);
    return undefined;
  }
}

function compileJson(value: JsonValue, place: Place): Body | undefined {
  const template = tryParse(place.report, place.path, () => parseJsonTemplate(value, toolRoots));
  if (template === undefined) return undefined;
  reportReferences(template.references, place);
  return {
    contentType: 'application/json',
    render: (values) => JSON.stringify(evaluateAt(template, values, PLACE)),
  };
}

function compileText(parts: readonly TemplatePart[], type: string, place: Place): Body | undefined {
  const encode = encoderFor(type);
  if (encode === undefined && !isLiteral(parts)) {
    place.report(
      place.path,
      `must not have expressions, because it is not known how to encode values for ${type}`,
    );
    return undefined;
  }
  return {
    contentType: 'text/plain; charset=utf-8',
    render: (values) =>
      parts
        .map((part) =>
          typeof part === 'string' ? part : (encode?.(evaluateText(part, values, PLACE)) ?? ''),
        )
        .join(''),
  };
}

function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** The encoding of values within a text of that type; undefined where it is not known. */
function encoderFor(type: string): ((text: string) => string) | undefined {
  // Within the quotes of a text of JSON.
  if (isJsonType(type)) return (text) => JSON.stringify(text).slice(1, -1);
  if (type === 'application/x-www-form-urlencoded') return encodeURIComponent;
  if (type === 'application/xml' || type === 'text/xml' || type === 'text/html' || type.endsWith('+xml')) {
    return encodeXml;
  }
  return type === 'text/plain' ? (text) => text : undefined;
}

const xmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function encodeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot express them.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text)) {
    throw new ToolError(`${PLACE}: a value has a character that XML cannot express`, { permanent: true });
  }
  return text.replace(/[&<>"']/g, (sign) => xmlEntities[sign] ?? sign);
}
