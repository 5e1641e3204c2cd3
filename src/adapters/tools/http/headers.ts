import { ToolError } from '../../../domain/tool-error.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { headerNameProblem, isHeaderValue } from '../../shared/outbound/exchange.ts';
import type { HttpToolIssue } from './issues.ts';
import { evaluateText, type Place, parseParts, type Render, type TemplatePart } from './parts.ts';
import type { HttpToolDefinition } from './schema.ts';
import type { SentSecret } from './secret-mask.ts';

/** The environment that secrets are taken from. */
export type HttpToolEnvironment = Readonly<Record<string, string | undefined>>;

type Headers = NonNullable<HttpToolDefinition['request']['headers']>;

/** A secret in a header: the variable, and what stands before its value, such as `Bearer`. */
interface Secret {
  readonly header: string;
  readonly scheme: string;
  readonly variable: string;
}

const secretPattern = /^(?:([A-Za-z][A-Za-z0-9-]{0,31}) )?env:([A-Za-z_][A-Za-z0-9_]{0,127})$/;

/** Compiles the headers with templates; those with secrets are left out. */
export function compileHeaders(headers: Headers, { path, ...place }: Place): (values: JsonObject) => Headers {
  const seen = new Set<string>();
  const compiled = Object.entries(headers).map(([name, text]): readonly [string, Render] => {
    const own = { ...place, path: [...path, name] };
    const problem = seen.has(name.toLowerCase()) ? 'is there twice' : headerNameProblem(name);
    if (problem !== undefined) place.report(own.path, problem);
    seen.add(name.toLowerCase());
    return [name, compileHeader(name, text, own)];
  });
  const sent = compiled.filter(([name]) => secretOf(name, headers[name] ?? '') === undefined);
  return (values) => Object.fromEntries(sent.map(([name, render]) => [name, render(values)]));
}

function compileHeader(name: string, text: string, place: Place): Render {
  if (secretOf(name, text) !== undefined) return () => '';
  if (/^(?:\S+ )?env:/.test(text)) {
    place.report(place.path, 'must be env:NAME or Bearer env:NAME, to take a secret from the environment');
  }
  const parts = parseParts(text, place) ?? [];
  if (!parts.every((part) => typeof part === 'object' || isHeaderValue(part))) {
    place.report(place.path, 'must be visible ASCII characters');
  }
  return (values) => renderHeader(parts, values, `request.headers.${name}`);
}

/** Throws a permanent `ToolError` for a value that could begin another header. */
function renderHeader(parts: readonly TemplatePart[], values: JsonObject, place: string): string {
  const text = parts
    .map((part) => (typeof part === 'string' ? part : evaluateText(part, values, place)))
    .join('');
  if (isHeaderValue(text)) return text;
  throw new ToolError(`${place}: a value must be visible ASCII characters`, { permanent: true });
}

function secretOf(header: string, text: string): Secret | undefined {
  const [, scheme = '', variable] = secretPattern.exec(text) ?? [];
  return variable === undefined ? undefined : { header, scheme, variable };
}

/** The headers that take a secret from the environment. */
function secretsIn(headers: Headers = {}): readonly Secret[] {
  return Object.entries(headers).flatMap(([name, text]) => secretOf(name, text) ?? []);
}

/** The issues of the variables that headers name: missing ones, and those that a header cannot have. */
export function environmentIssues(
  headers: Headers | undefined,
  env: HttpToolEnvironment,
): readonly HttpToolIssue[] {
  return secretsIn(headers).flatMap(({ header, variable }) => {
    const value = env[variable]?.trim() ?? '';
    if (value !== '' && isHeaderValue(value)) return [];
    const problem = value === '' ? 'is not set' : 'has characters that a header cannot have';
    return [
      { path: ['request', 'headers', header], message: `the environment variable ${variable} ${problem}` },
    ];
  });
}

/** The headers with secrets, with their values. */
export function secretHeaders(headers: Headers | undefined, env: HttpToolEnvironment): Headers {
  const entries = secretsIn(headers).map(({ header, scheme, variable }) => {
    const value = env[variable]?.trim() ?? '';
    return [header, scheme === '' ? value : `${scheme} ${value}`];
  });
  return Object.fromEntries(entries);
}

/** The secrets as headers send them, without missing ones. */
export function sentSecrets(headers: Headers | undefined, env: HttpToolEnvironment): readonly SentSecret[] {
  return secretsIn(headers)
    .map(({ scheme, variable }) => ({ scheme, value: env[variable]?.trim() ?? '' }))
    .filter(({ value }) => value !== '');
}

/** The values of the variables that headers name, without missing ones. */
export function secretValues(headers: Headers | undefined, env: HttpToolEnvironment): readonly string[] {
  return sentSecrets(headers, env).map(({ value }) => value);
}
