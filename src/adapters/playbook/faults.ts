import { nearestName } from '../../lib/text/nearest-name.ts';

/** The way to a value within a playbook. */
export type Path = readonly (string | number)[];

/** Something that is wrong in a playbook, before its place in a file is known. */
export interface Issue {
  readonly path: Path;
  /** The fault, and what is expected. Contains no values of secrets. */
  readonly message: string;
  /** The name of a member is wrong, not its value. */
  readonly atKey?: boolean;
  /** The value that could not be read because of it: further faults within are not told. */
  readonly hides?: Path | undefined;
  /** Where else it would have to be mended if that could not be read: then it may not be wrong at all. */
  readonly restsOn?: readonly Path[] | undefined;
}

/** Something that is wrong in a playbook. */
export interface PlaybookFault {
  /** The way to it, such as `intents[0].replies.en`; empty for the playbook as a whole. */
  readonly path: string;
  /** From 1; undefined where the playbook is not from a file. */
  readonly line: number | undefined;
  /** From 1, in UTF-16 units; undefined where the playbook is not from a file. */
  readonly column: number | undefined;
  /** The file, where it is another one than the playbook, such as an article. */
  readonly file?: string;
  readonly message: string;
}

/** Maximum number of faults that are told. */
export const MAX_FAULTS = 100;

/** A playbook is not valid. The message tells all faults, one a line. */
export class PlaybookError extends Error {
  override readonly name = 'PlaybookError';
  /** The file of the faults that name none. */
  readonly source: string;
  /** At most 100; the last one then counts the rest. */
  readonly faults: readonly PlaybookFault[];

  constructor(source: string, faults: readonly PlaybookFault[]) {
    super(faults.map((fault) => formatFault(source, fault)).join('\n'));
    this.source = source;
    this.faults = faults;
  }
}

/** One error that tells the faults of several files, in their order. */
export function combineErrors(errors: readonly PlaybookError[]): PlaybookError {
  const faults = errors.flatMap((error) =>
    error.faults.map((fault): PlaybookFault => ({ file: error.source, ...fault })),
  );
  return new PlaybookError('', limitFaults(faults));
}

/** `file:line:column: path: message`, in one line; with `warning: ` before the path of a warning. */
export function formatFault(
  source: string,
  { file, line, column, path, message }: PlaybookFault,
  kind: 'fault' | 'warning' = 'fault',
): string {
  const place = [file ?? source, ...(line === undefined ? [] : [line, column ?? 1])].join(':');
  const subject = `${kind === 'warning' ? 'warning: ' : ''}${path === '' ? '' : `${path}: `}`;
  return `${place}: ${subject}${message}`.replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

/** A fault in no file, or of a file as a whole. */
export function withoutPlace(message: string, path: Path = []): PlaybookFault {
  return { path: formatPath(path), line: undefined, column: undefined, message };
}

/** Sorts faults by their lines and columns. */
export function byPlace(one: PlaybookFault, other: PlaybookFault): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

/** `intents[0].replies.en` for the way there. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = part.length > 64 ? `${part.slice(0, 64)}…` : part;
      if (!/^[A-Za-z0-9_-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}

/** Those of the issues that are none of the consequences of the known ones, which were found before. */
export function withoutConsequences(known: readonly Issue[], issues: readonly Issue[]): readonly Issue[] {
  const paths = new Set(known.map(keyOf));
  const hidden = known.flatMap(({ hides }) => (hides === undefined ? [] : [hides]));
  if (known.length === 0) return issues;
  return issues.filter(
    (issue) =>
      !paths.has(keyOf(issue)) &&
      !hidden.some((path) => isWithin(issue.path, path) || issue.restsOn?.some((one) => affects(path, one))),
  );
}

function keyOf({ path, atKey = false }: Issue): string {
  return JSON.stringify([path, atKey]);
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((part, at) => path[at] === part);
}

/** True where a list or object is not known without a value: without all of it, or the name of an item. */
function affects(hidden: Path, path: Path): boolean {
  return isWithin(path, hidden) || (isWithin(hidden, path) && hidden.at(-1) === 'name');
}

/** At most {@link MAX_FAULTS}, of which the last counts those that are left out. */
export function limitFaults(faults: readonly PlaybookFault[]): readonly PlaybookFault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const more = faults.length - MAX_FAULTS + 1;
  return [...faults.slice(0, MAX_FAULTS - 1), withoutPlace(`and ${more} more faults`)];
}

/** `; did you mean "x"?` for the known name that is nearest to a wrong one, or an empty text where none is near. */
export function suggest(wrong: string, known: Iterable<string>): string {
  const nearest = nearestName(wrong, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}
