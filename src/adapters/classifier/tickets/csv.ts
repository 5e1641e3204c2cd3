import { type CheckedTicket, checkTicket, type LabeledTicket, TicketFileError, ticketsOf } from './ticket.ts';

/** What may separate columns. */
const delimiters = [',', ';', '\t'] as const;

/** The longest row, in characters: a quotation mark that is never closed ends here at the latest. */
const MAX_ROW = 262_144;

/**
 * Reads tickets from CSV (RFC 4180): a header with the columns `message` and `intent` in any order, further columns are
 * ignored, but for those of an exported dataset: of its examples only the accepted ones count. Commas, semicolons or
 * tabs separate columns. Throws a {@link TicketFileError} with the lines that are wrong.
 */
export async function readCsv(content: string): Promise<readonly LabeledTicket[]> {
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
