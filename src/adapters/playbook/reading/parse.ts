import { parseDocument } from 'yaml';
import type { z } from 'zod';
import {
  formatPath,
  type Issue,
  MAX_FAULTS,
  type Path,
  type PlaybookFault,
  withoutConsequences,
} from '../faults.ts';
import { readLoosely } from '../schema/loose.ts';
import { membersAt } from '../schema/members.ts';
import { describeIssues } from './describe.ts';
import { createPlaces } from './lines.ts';
import { decodeText, type SourceFault } from './source.ts';
import { findExcess } from './tokens.ts';
import { type NodePlace, readValue } from './value.ts';

/** The largest playbook, in bytes. */
export const MAX_PLAYBOOK_BYTES = 1_048_576;

/** A file of YAML. */
export interface ParsedFile<T> {
  /** What the schema describes. Where there are issues, as far as it could be read: see {@link readLoosely}. */
  readonly value: T;
  /** What does not fit the schema. */
  readonly issues: readonly Issue[];
  readonly faults?: undefined;
  /** Gives an issue its place in the file. */
  locate(issue: Issue): PlaybookFault;
}

/** Parses YAML, of which JSON is a part, and checks it by a schema. Only what is no YAML has faults here. */
export function parseYaml<T>(
  bytes: Buffer,
  schema: z.ZodType<T>,
): ParsedFile<T> | { readonly faults: readonly PlaybookFault[] } {
  const { text, fault } = decodeText(bytes);
  const toPlace = createPlaces(text);
  const toFault = ({ offset, message }: SourceFault): PlaybookFault => ({
    path: '',
    ...toPlace(offset),
    message,
  });
  const excess = fault ?? findExcess(text);
  if (excess !== undefined) return { faults: [toFault(excess)] };

  // The check of unique keys takes time with the square of their number, and pretty errors cost a search each.
  const document = withoutStackTraces(() =>
    parseDocument(text, {
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
      stringKeys: false,
    }),
  );
  const broken = [...document.errors, ...document.warnings].slice(0, MAX_FAULTS + 1);
  if (broken.length > 0) {
    return {
      faults: broken.map(({ pos, code, message }) =>
        toFault({ offset: pos[0], message: describeError(code, message) }),
      ),
    };
  }

  const { value, issues, isTooLarge, places } = readValue(document);
  const locate = createLocate(places, toPlace);
  if (isTooLarge) return { faults: issues.map(locate) };
  const checked = checkForm(schema, value);
  return {
    value: checked.value,
    issues: [...issues, ...withoutConsequences(issues, checked.issues)],
    locate,
  };
}

/** Checks a value by a schema. With issues, the value is what could be read of it: see {@link readLoosely}. */
export function checkForm<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly value: T; readonly issues: readonly Issue[] } {
  const checked = schema.safeParse(value);
  if (checked.success) return { value: checked.data, issues: [] };
  const issues = describeIssues(checked.error.issues, value, (path) => membersAt(schema, path));
  return { value: readLoosely(schema, value), issues };
}

/** Runs something that makes an error for each fault of a text, of which stack traces would take most of the time. */
function withoutStackTraces<T>(run: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The message of the parser in one line. */
function describeError(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'begins a second document; expected one';
  return message.split('\n', 1)[0]?.slice(0, 200) ?? message;
}

function createLocate(
  places: ReadonlyMap<string, NodePlace>,
  toPlace: (offset: number) => { readonly line: number; readonly column: number },
): (issue: Issue) => PlaybookFault {
  return ({ path, message, atKey }) => {
    const exact = places.get(JSON.stringify(path));
    const found = exact ?? nearestPlace(places, path);
    const offset = atKey === true && exact !== undefined ? exact.key : found.value;
    const shown = path.filter((part) => part !== '?' && part !== '(again)');
    return { path: formatPath(shown), ...toPlace(offset), message };
  };
}

/** The place of the innermost list or object around a member that is not there. */
function nearestPlace(places: ReadonlyMap<string, NodePlace>, path: Path): NodePlace {
  for (let length = path.length - 1; length >= 0; length--) {
    const found = places.get(JSON.stringify(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return { value: 0, key: 0 };
}
