import { STATUS_CODES } from 'node:http';
import type { RequestIssue as CoreIssue } from '../../domain/errors.ts';
import { namesMediaType } from './parse-headers.ts';

/**
 * The body of every error response: the standard phrase of the status, and what was wrong (specification, section 7).
 */
export interface ErrorBody {
  readonly error: string;
  readonly detail: string;
}

/** One invalid part of a request. */
export interface RequestIssue {
  /** A JSON pointer into the body, which is empty for the body as a whole, or the name of a parameter or header. */
  readonly pointer: string;
  /** The problem of that part. */
  readonly detail: string;
}

/** An {@link ErrorBody} as problem details (RFC 9457), with the members of both. */
export interface ProblemBody extends ErrorBody {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** Only with status 422. */
  readonly errors?: readonly RequestIssue[];
}

/** An error to respond with. */
export interface ErrorReport {
  readonly status: number;
  readonly detail: string;
  /** The invalid parts of the request, for status 422. Read from `detail` when absent. */
  readonly issues?: readonly RequestIssue[] | undefined;
  /** The most characters of `detail` that are sent; 2,000 when absent. */
  readonly maxDetail?: number | undefined;
}

/** The maximum length of `detail`, in characters, unless a report says otherwise, and of `errors`. */
const MAX_DETAIL = 2_000;
const MAX_ERRORS = 100;

/** Creates an {@link ErrorBody}; `detail` is truncated to 2,000 characters when nothing else is said. */
export function errorBody(status: number, detail: string, maxDetail: number = MAX_DETAIL): ErrorBody {
  return { error: STATUS_CODES[status] ?? 'Error', detail: detail.slice(0, maxDetail) };
}

/** Creates a {@link ProblemBody}, with the first 100 of its issues. */
export function problemBody({ status, detail, issues, maxDetail }: ErrorReport): ProblemBody {
  const body = errorBody(status, detail, maxDetail);
  const problem = {
    type: 'about:blank',
    title: body.error,
    status,
    detail: body.detail,
    error: body.error,
  } as const;
  if (status !== 422) return problem;
  return { ...problem, errors: (issues ?? [parseIssue(detail)]).slice(0, MAX_ERRORS) };
}

/** The media type of problem details. */
const problemType = 'application/problem+json';

/** An error as it is sent. */
export interface SerializedError {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Serializes an error: as problem details for a client whose Accept header names them, else as {@link ErrorBody}. */
export function serializeError(error: ErrorReport, accept: string | undefined): SerializedError {
  if (accept === undefined || !namesMediaType(accept, problemType)) {
    const body = JSON.stringify(errorBody(error.status, error.detail, error.maxDetail));
    return { body, headers: { 'Content-Type': 'application/json' } };
  }
  const body = JSON.stringify(problemBody(error));
  return { body, headers: { 'Content-Type': problemType, Vary: 'Accept' } };
}

/** The JSON pointer (RFC 6901) of a path of member names and indexes. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const field = /^(\w+(?:\.\w+)*): /;

/** An issue of the core, as it is sent. */
export function toRequestIssue(issue: CoreIssue): RequestIssue {
  if (typeof issue === 'string') return parseIssue(issue);
  return { pointer: jsonPointer(issue.path), detail: issue.detail };
}

/** Reads an issue of the core, such as `steps.0.id: is required`. One that names no field is about the whole body. */
export function parseIssue(text: string): RequestIssue {
  const [prefix = '', path = ''] = field.exec(text) ?? [];
  const pointer = path === '' || path === 'body' ? '' : jsonPointer(path.split('.'));
  return { pointer, detail: text.slice(prefix.length) };
}
