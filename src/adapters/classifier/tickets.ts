import { readFile } from 'node:fs/promises';
import { isPlainObject } from '../../lib/json/json.ts';

/** The largest file, in bytes, and the most tickets. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TICKETS = 100_000;

/**
 * Reads a file of tickets: JSON Lines where its first character is `{`, and CSV otherwise. Both are UTF-8. Throws a
 * {@link TicketFileError} that names the file and the lines that are wrong.
 */
export async function readTicketFile(path: string): Promise<readonly LabeledTicket[]> {
  try {
    return await readTickets(await readBytes(path));
  } catch (error) {
    if (!(error instanceof TicketFileError)) throw error;
    const lines = error.message.split('\n').map((line) => `${path}: ${line}`);
    throw new TicketFileError(lines.join('\n'), { cause: error });
  }
}

/** Reads tickets from the bytes of a file, as {@link readTicketFile} does. */
export async function readTickets(bytes: Uint8Array): Promise<readonly LabeledTicket[]> {
  if (bytes.length > MAX_BYTES) throw new TicketFileError(`is larger than ${MAX_BYTES / 2 ** 20} MiB`);
  const text = decode(bytes);
  const tickets = text.trimStart().startsWith('{') ? readJsonLines(text) : await readCsv(text);
  if (tickets.length === 0) throw new TicketFileError('has no tickets');
  if (tickets.length > MAX_TICKETS) throw new TicketFileError(`has more than ${MAX_TICKETS} tickets`);
  return tickets;
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new TicketFileError(reason, { cause });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    // The mark at the start of a file (BOM) is left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TicketFileError('is not UTF-8; save it with this encoding', { cause });
  }
}

// Tickets

/** A message with the intent that it has, and the line of the file that it starts in. */
export interface LabeledTicket {
  readonly message: string;
  readonly intent: string;
  readonly line: number;
  /**
   * The value of its column `expected_escalated`, unchecked: training does not use it. Undefined where it says nothing.
   */
  readonly expectedEscalated?: unknown;
}

/** A row of a file, with what its columns say; undefined where there is no such column. */
interface TicketRow {
  readonly line: number;
  readonly message: unknown;
  readonly intent: unknown;
  readonly expected_escalated?: unknown;
  /** These two are in the export of a dataset. */
  readonly status?: unknown;
  readonly example_id?: unknown;
}

/** A file of tickets cannot be used. The message lists what is wrong, one problem a line. */
export class TicketFileError extends Error {
  override readonly name = 'TicketFileError';
}

/** Maximum number of problems in one error. */
const MAX_ISSUES = 10;

/** The longest message, as in `POST /messages`, and the longest name of an intent, in characters. */
const MAX_MESSAGE = 32_768;
const MAX_INTENT = 64;

/** A ticket, what is wrong with it, or an example of a dataset that nobody has accepted. */
type CheckedTicket = LabeledTicket | { readonly issue: string } | 'not accepted';

/** Checks a row of a file. */
function checkTicket(row: TicketRow): CheckedTicket {
  const { message, intent, line, expected_escalated: escalated } = row;
  if (isNotAccepted(row)) return 'not accepted';
  const problem = (text: string): CheckedTicket => ({ issue: `line ${line}: ${text}` });
  if (typeof message !== 'string') return problem('message must be a text');
  if (typeof intent !== 'string') return problem('intent must be a text');
  if (message.trim() === '') return problem('message is empty');
  if (message.length > MAX_MESSAGE) return problem(`message is longer than ${MAX_MESSAGE} characters`);
  const name = intent.trim();
  if (name === '') return problem('intent is empty');
  if (name.length > MAX_INTENT) return problem(`intent is longer than ${MAX_INTENT} characters`);
  if (/\p{Cc}/u.test(name)) return problem('intent has a control character or a line break');
  const isStated = escalated !== undefined && escalated !== null && escalated !== '';
  return { message, intent: name, line, ...(isStated ? { expectedEscalated: escalated } : {}) };
}

/**
 * True for a row that is an example of a dataset which nobody has accepted. A column `status` alone may mean
 * anything.
 */
function isNotAccepted({ example_id: id, status }: Pick<TicketRow, 'example_id' | 'status'>): boolean {
  return id !== undefined && id !== '' && (status === 'proposed' || status === 'rejected');
}

/**
 * The tickets, without examples that nobody has accepted, if all rows are right. Throws a {@link TicketFileError} with
 * the first problems.
 */
function ticketsOf(checked: readonly CheckedTicket[]): readonly LabeledTicket[] {
  const tickets: LabeledTicket[] = [];
  const issues: string[] = [];
  for (const one of checked) {
    if (one === 'not accepted') continue;
    if ('issue' in one) issues.push(one.issue);
    else tickets.push(one);
  }
  failOnIssues(issues);
  if (tickets.length === 0 && checked.length > 0) throw new TicketFileError('has no accepted examples');
  return tickets;
}

/** Throws a {@link TicketFileError} with the first problems, and how many more there are. */
function failOnIssues(issues: readonly string[]): void {
  if (issues.length === 0) return;
  const more = issues.length - MAX_ISSUES;
  const shown = issues.slice(0, MAX_ISSUES);
  throw new TicketFileError([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
}

// Cleaning

/** Tickets with the same message and different intents. */
interface Contradiction {
  readonly lines: readonly number[];
  readonly intents: readonly string[];
}

/** Tickets to train on. */
export interface CleanTickets {
  /** Each message once, in the order of the file. */
  readonly examples: readonly LabeledTicket[];
  /** The intents, sorted. */
  readonly intents: readonly string[];
  /** The number of tickets that say the same as an earlier one. */
  readonly duplicates: number;
  /** These are left out: nothing says which of the intents is right. */
  readonly contradictions: readonly Contradiction[];
}

/** Fewer different messages of an intent cannot be learned from and tested on. */
const MIN_EXAMPLES = 2;

/** A model of more intents would not fit into its file. */
const MAX_INTENTS = 300;

/**
 * Leaves out tickets that repeat or contradict others; case and white space do not make a message another one. Throws a
 * {@link TicketFileError} where there are fewer than two intents, or an intent has fewer than two examples: most often
 * that is a typing error in the name of the intent.
 */
export function cleanTickets(tickets: readonly LabeledTicket[]): CleanTickets {
  const groups = new Map<string, LabeledTicket[]>();
  for (const ticket of tickets) {
    const key = ticket.message.trim().toLowerCase().replaceAll(/\s+/g, ' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [ticket]);
    else group.push(ticket);
  }
  const examples: LabeledTicket[] = [];
  const contradictions: Contradiction[] = [];
  let duplicates = 0;
  for (const group of groups.values()) {
    const intents = [...new Set(group.map(({ intent }) => intent))].sort();
    if (intents.length > 1) contradictions.push({ lines: group.map(({ line }) => line), intents });
    else {
      examples.push(...group.slice(0, 1));
      duplicates += group.length - 1;
    }
  }
  const intents = [...new Set(tickets.map(({ intent }) => intent))].sort();
  checkIntents(intents, tickets, examples);
  return { examples, intents, duplicates, contradictions };
}

function checkIntents(
  intents: readonly string[],
  tickets: readonly LabeledTicket[],
  examples: readonly LabeledTicket[],
): void {
  if (intents.length < 2)
    throw new TicketFileError('has tickets of one intent only; at least two are needed');
  if (intents.length > MAX_INTENTS) throw new TicketFileError(`has more than ${MAX_INTENTS} intents`);
  const counts = new Map(intents.map((intent) => [intent, 0]));
  for (const { intent } of examples) counts.set(intent, (counts.get(intent) ?? 0) + 1);
  failOnIssues(
    [...counts].flatMap(([intent, count]) => {
      if (count >= MIN_EXAMPLES) return [];
      const line = tickets.find((ticket) => ticket.intent === intent)?.line ?? 0;
      return [
        `line ${line}: the intent ${intent} needs at least ${MIN_EXAMPLES} different messages, and has ${count}`,
      ];
    }),
  );
}

// CSV

/** The separators of columns. */
const delimiters = [',', ';', '\t'] as const;

/** The longest row, in characters: a quotation mark that is never closed ends here at the latest. */
const MAX_ROW = 262_144;

/**
 * Reads tickets from CSV (RFC 4180): a header with the columns `message` and `intent` in any order, further columns are
 * ignored, but for those of an exported dataset: of its examples only the accepted ones count. Commas, semicolons or
 * tabs separate columns. Throws a {@link TicketFileError} with the lines that are wrong.
 */
async function readCsv(content: string): Promise<readonly LabeledTicket[]> {
  const text = content.replaceAll(/\r\n?/g, '\n');
  // Loaded here, because only training needs it.
  const { parse } = await import('csv-parse/sync');
  const broken: string[] = [];
  const rows: CsvRow[] = [];
  const bytes = Buffer.from(text);
  const lineBefore = createLineCounter(bytes);
  parse(bytes, {
    delimiter: delimiterOf(text),
    max_record_size: MAX_ROW,
    on_record(cells, { bytes: end }) {
      rows.push({ cells, line: lineBefore(end) });
      return null;
    },
    on_skip(error) {
      broken.push(problemOf(error));
      return undefined;
    },
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  const [header, ...others] = rows;
  if (header === undefined) throw new TicketFileError(broken[0] ?? headerProblem);
  const columns = header.cells.map((name) => name.trim().toLowerCase());
  const message = columns.indexOf('message');
  const intent = columns.indexOf('intent');
  if (message < 0 || intent < 0) throw new TicketFileError(headerProblem);
  const checked = others.map(({ cells, line }): CheckedTicket => {
    if (cells.length !== columns.length) {
      return { issue: `line ${line}: has ${cells.length} columns, and the header has ${columns.length}` };
    }
    const cell = (name: string): string | undefined => cells[columns.indexOf(name)];
    return checkTicket({
      message: cells[message],
      intent: cells[intent],
      line,
      expected_escalated: cell('expected_escalated'),
      status: cell('status'),
      example_id: cell('example_id'),
    });
  });
  // After a quotation mark in the wrong place nothing is certain: only that one is reported.
  return ticketsOf(broken[0] === undefined ? checked : [{ issue: broken[0] }]);
}

const headerProblem = 'line 1: the header must have the columns message and intent, each once';

/** A row, and the line that it starts in. */
interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The delimiter with which the first line has the two columns; a comma where none has. */
function delimiterOf(text: string): string {
  const end = text.indexOf('\n');
  const header = (end < 0 ? text : text.slice(0, end)).toLowerCase();
  const names = (delimiter: string): readonly string[] =>
    header.split(delimiter).map((name) => name.replaceAll('"', '').trim());
  return (
    delimiters.find((one) => names(one).includes('message') && names(one).includes('intent')) ?? delimiters[0]
  );
}

const LINE_BREAK = 10;

/** Tells the line that each row starts in, by the byte that it ends at; the rows must come in their order. */
function createLineCounter(bytes: Uint8Array): (end: number) => number {
  let line = 1;
  let at = 0;
  return (end) => {
    // Empty lines before a row belong to none.
    for (; bytes[at] === LINE_BREAK; at++) line++;
    const start = line;
    for (; at < end; at++) if (bytes[at] === LINE_BREAK) line++;
    return start;
  };
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const line = error instanceof Error && 'lines' in error ? String(error.lines) : '?';
  const reason =
    code === 'CSV_MAX_RECORD_SIZE'
      ? `a row longer than ${MAX_ROW} characters; is there a quotation mark that is never closed?`
      : 'a quotation mark in the wrong place, or one that is never closed';
  return `line ${line}: ${reason}`;
}

// JSON Lines

/**
 * Reads tickets from JSON Lines: an object with `message` and `intent` in each line, further members are ignored as in
 * CSV, and so are empty lines. Throws a `TicketFileError` with the lines that are wrong.
 */
function readJsonLines(text: string): readonly LabeledTicket[] {
  const checked = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [checkLine(line, at + 1)]));
  return ticketsOf(checked);
}

function checkLine(text: string, line: number): CheckedTicket {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { issue: `line ${line}: is not JSON` };
  }
  if (!isPlainObject(value)) return { issue: `line ${line}: is no JSON object` };
  const { message, intent, expected_escalated, status, example_id } = value;
  return checkTicket({ message, intent, expected_escalated, status, example_id, line });
}
