/** The way to a value within a playbook. */
export type Path = readonly (string | number)[];

/** Something that is wrong in a playbook, before its place in a file is known. */
export interface Issue {
  readonly path: Path;
  /** What is wrong, and what is expected. Contains no values of secrets. */
  readonly message: string;
  /** The name of a member is wrong, not its value. */
  readonly atKey?: boolean;
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
  /** At most 100; the last one then counts the rest. */
  readonly faults: readonly PlaybookFault[];

  constructor(source: string, faults: readonly PlaybookFault[]) {
    super(faults.map((fault) => formatFault(source, fault)).join('\n'));
    this.faults = faults;
  }
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

/** At most {@link MAX_FAULTS}, of which the last counts those that are left out. */
export function limitFaults(faults: readonly PlaybookFault[]): readonly PlaybookFault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const more = faults.length - MAX_FAULTS + 1;
  const message = `and ${more} more faults`;
  return [...faults.slice(0, MAX_FAULTS - 1), { path: '', line: undefined, column: undefined, message }];
}
