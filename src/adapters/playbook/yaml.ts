import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  parseDocument,
} from 'yaml';
import type { z } from 'zod';
import { type JsonValue, setOwn } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import {
  formatPath,
  type Issue,
  MAX_FAULTS,
  type Path,
  type PlaybookFault,
  withoutConsequences,
} from './faults.ts';
import { describeIssues, membersAt, readLoosely } from './form.ts';

/** The largest playbook, in bytes. */
export const MAX_PLAYBOOK_BYTES = 1_048_576;

/** A file of YAML. */
interface ParsedFile<T> {
  /** The value of the schema. Where there are issues, as far as it could be read: see {@link readLoosely}. */
  readonly value: T;
  /** The parts that do not fit the schema. */
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

// Values

/** The largest value: values in it, and characters, both with those that aliases repeat. */
const MAX_VALUES = 20_000;
const MAX_CHARACTERS = 2_097_152;

/** Where a value and the name of its member begin, as UTF-16 units from the start of the text. */
interface NodePlace {
  readonly value: number;
  readonly key: number;
}

/** A YAML document as JSON, what is wrong with it, and where each value stands. */
interface ReadValue {
  readonly value: JsonValue;
  readonly issues: readonly Issue[];
  /** The value is too large or too deep, and was not read to its end. */
  readonly isTooLarge: boolean;
  /** By `JSON.stringify` of the path. */
  readonly places: ReadonlyMap<string, NodePlace>;
}

/** Ends the reading of a value that is too large. */
class TooLarge extends Error {}

/** Converts a document without errors to JSON. Duplicate names, other tags and other keys than texts are issues. */
function readValue(document: Document.Parsed): ReadValue {
  const places = new Map<string, NodePlace>();
  const issues: Issue[] = [];
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  let values = 0;
  let characters = 0;

  function addIssue(issue: Issue): void {
    // One more than are told, so that the count shows that there are more.
    if (issues.length <= MAX_FAULTS) issues.push(issue);
  }

  function spend(path: Path, length: number): void {
    values++;
    characters += length;
    if (values <= MAX_VALUES && characters <= MAX_CHARACTERS && path.length <= MAX_DEPTH) return;
    const message =
      path.length > MAX_DEPTH
        ? `is nested deeper than ${MAX_DEPTH} levels; expected a flat file`
        : `is too large with what its aliases repeat: more than ${MAX_VALUES} values or ${MAX_CHARACTERS} characters`;
    addIssue({ path: path.slice(0, MAX_DEPTH), message });
    throw new TooLarge();
  }

  function read(node: Node | null, path: Path, key: number): JsonValue {
    places.set(JSON.stringify(path), { value: node?.range?.[0] ?? key, key });
    spend(path, isScalar(node) && typeof node.value === 'string' ? node.value.length : 1);
    if (node === null) return null;
    if (isAlias(node)) return readAlias(node.source, path, key);
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    open.add(node);
    const value = readContent(node, path);
    open.delete(node);
    return value;
  }

  function readAlias(name: string, path: Path, key: number): JsonValue {
    const target = anchors.get(name);
    if (target !== undefined && !open.has(target)) {
      const place = places.get(JSON.stringify(path));
      const value = read(target, path, key);
      // A fault in what an alias repeats has the place of the alias.
      if (place !== undefined) places.set(JSON.stringify(path), place);
      return value;
    }
    addIssue({
      path,
      hides: path,
      message:
        target === undefined
          ? `there is no anchor ${quote(name)}`
          : `the alias ${quote(name)} contains itself`,
    });
    return null;
  }

  function readContent(node: Node, path: Path): JsonValue {
    if (isSeq<Node | null>(node)) {
      return node.items.map((item, index) =>
        read(item, [...path, index], places.get(JSON.stringify(path))?.key ?? 0),
      );
    }
    if (isMap<Node, Node | null>(node)) return readMap(node.items, path);
    if (isScalar(node)) {
      const { value } = node;
      if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
      if (typeof value === 'number' && Number.isFinite(value)) return value;
    }
    addIssue({
      path,
      hides: path,
      message: 'is not a value of JSON; expected a text, a number, true, false, a list or an object',
    });
    return null;
  }

  function readMap(pairs: readonly Pair<Node, Node | null>[], path: Path): JsonValue {
    const members: Record<string, JsonValue> = {};
    const seen = new Set<string>();
    for (const { key, value } of pairs) {
      const at = key?.range?.[0] ?? 0;
      if (!isScalar(key) || typeof key.value === 'object') {
        const inside = [...path, '?'];
        places.set(JSON.stringify(inside), { value: at, key: at });
        addIssue({ path: inside, message: 'has a name that is no text; expected `name: value`' });
        continue;
      }
      const name = String(key.value);
      const inside = [...path, name];
      if (seen.has(name)) {
        // The place of the second one: the first is kept.
        const again = [...inside, '(again)'];
        places.set(JSON.stringify(again), { value: at, key: at });
        addIssue({ path: again, message: `the name ${quote(name)} is there twice` });
      } else if (name === '__proto__') {
        places.set(JSON.stringify(inside), { value: at, key: at });
        addIssue({ path: inside, message: 'is a reserved name', atKey: true });
      } else {
        seen.add(name);
        setOwn(members, name, read(value, inside, at));
      }
    }
    return members;
  }

  try {
    const value = read(document.contents, [], 0);
    return { value, issues, isTooLarge: false, places };
  } catch (error) {
    if (error instanceof TooLarge) return { value: null, issues, isTooLarge: true, places };
    throw error;
  }
}

// Limits of the parser

/** Maximum number of tokens of a file: the parser of YAML is slow for more. */
const MAX_TOKENS = 60_000;

/** Maximum length of one text, with its quotes and indentation. */
const MAX_SCALAR = 32_768;

/** Maximum number of lists and objects around a value. */
const MAX_DEPTH = 32;

/** Tokens of the lexer that stand for nothing in the text. */
const DOCUMENT = '\u0002';
const FLOW_ERROR = '\u0018';
const SCALAR = '\u001f';

/**
 * Finds out whether a text is too much for the parser, and where: too many tokens, too long ones, or nested too deep.
 * It reads no further than that. The parser takes the stack for depth, and much time for each error.
 */
function findExcess(text: string): SourceFault | undefined {
  const depth = createDepth();
  let offset = 0;
  let tokens = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (tokens > MAX_TOKENS)
      return { offset, message: `has more than ${MAX_TOKENS} parts; expected a smaller file` };
    if (!isScalar && (token === DOCUMENT || token === FLOW_ERROR || token === SCALAR)) {
      isScalar = token === SCALAR;
      continue;
    }
    if (token.length > MAX_SCALAR && !token.startsWith('#')) {
      return { offset, message: `is ${token.length} characters long; expected at most ${MAX_SCALAR}` };
    }
    if (!isScalar && depth.isUnopened(token)) {
      return { offset, message: `has ${JSON.stringify(token)} without an opening bracket` };
    }
    if (depth.add(token, isScalar) > MAX_DEPTH) {
      return { offset, message: `is nested deeper than ${MAX_DEPTH} levels; expected a flat file` };
    }
    isScalar = false;
    offset += token.length;
  }
  return undefined;
}

/** Counts how deep each token is: brackets around it, indentation, and dashes before it in its line. */
function createDepth(): {
  add(token: string, isScalar: boolean): number;
  /** True for a closing bracket where none is open. */
  isUnopened(token: string): boolean;
} {
  const indents: number[] = [];
  let brackets = 0;
  let indicators = 0;
  let indent = 0;
  let isLineStart = true;
  return {
    isUnopened: (token) => brackets === 0 && (token === ']' || token === '}'),
    add(token, isScalar) {
      if (!isScalar && /^\r?\n/.test(token)) {
        indent = 0;
        indicators = 0;
        isLineStart = true;
      } else if (isLineStart && /^ +$/.test(token)) {
        indent = token.length;
      } else if (isLineStart && !token.startsWith('#')) {
        isLineStart = false;
        while ((indents.at(-1) ?? -1) >= indent) indents.pop();
        if (brackets === 0) indents.push(indent);
      }
      if (isScalar) return indents.length + brackets;
      if (token === '[' || token === '{') brackets++;
      else if (token === ']' || token === '}') brackets--;
      // Inside of brackets each pair has a colon, and they nest nothing.
      else if (brackets === 0 && /^[-?:]$/.test(token)) indicators++;
      return indents.length + brackets + (brackets === 0 ? indicators : 0);
    },
  };
}

// Files

/** A place in a text: UTF-16 units from its start, and what is wrong there. */
interface SourceFault {
  readonly offset: number;
  readonly message: string;
}

/** A text that was read, or why not. */
type SourceText =
  | { readonly text: string; readonly fault?: undefined }
  | { readonly text: string; readonly fault: SourceFault };

/** Characters that YAML does not allow, apart from tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/;

/** The bytes of a file of at most `maximum` bytes, or what is wrong with it. */
export function readBytes(
  path: string,
  maximum: number,
): { readonly bytes: Buffer; readonly fault?: undefined } | { readonly fault: string } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    return { fault: `cannot be read (${codeOf(error)})` };
  }
  try {
    // Devices and pipes may never end.
    if (!fstatSync(file).isFile()) return { fault: 'cannot be read (NOT_A_FILE)' };
    const buffer = Buffer.allocUnsafe(maximum + 1);
    let length = 0;
    while (length <= maximum) {
      const count = readSync(file, buffer, length, maximum + 1 - length, null);
      if (count === 0) break;
      length += count;
    }
    return length > maximum
      ? { fault: `is larger than ${maximum} bytes` }
      : { bytes: buffer.subarray(0, length) };
  } catch (error) {
    return { fault: `cannot be read (${codeOf(error)})` };
  } finally {
    closeSync(file);
  }
}

/** The code of an error of the file system, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** The text of a file in UTF-8. A fault where it is not UTF-8 or has control characters, with the text up to there. */
export function decodeText(bytes: Buffer): SourceText {
  if (!isUtf8(bytes)) {
    const text = bytes.subarray(0, validLength(bytes)).toString('utf8');
    return { text, fault: { offset: text.length, message: 'is not UTF-8; save the file as UTF-8' } };
  }
  const text = bytes.toString('utf8');
  const offset = text.search(controlCharacter);
  if (offset === -1) return { text };
  const code = text.charCodeAt(offset).toString(16).padStart(4, '0');
  return { text, fault: { offset, message: `has the control character U+${code}; expected text` } };
}

/** The number of bytes at the start that are valid UTF-8, found by halving. */
function validLength(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    // A prefix may end within a character; then up to three bytes less are valid.
    const end = [0, 1, 2, 3].map((less) => middle - less).find((length) => isUtf8(bytes.subarray(0, length)));
    if (end === undefined || end <= valid) {
      if (end === undefined) invalid = middle;
      else break;
    } else {
      valid = end;
    }
  }
  return valid;
}

// Places

/** A place in a text, from 1; columns are UTF-16 units. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Gives the line and column of an offset. The lines of the text are counted once. */
function createPlaces(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
