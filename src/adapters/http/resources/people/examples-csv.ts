import type { DatasetExample } from '../../../../domain/inbox/example.ts';
import { yieldIfDue } from '../../../../lib/async/yield.ts';
import { truncate } from '../../../../lib/text/truncate.ts';
import type { ExamplePage } from '../../../../ports/storage/example-store.ts';

/** The columns of an export; the command `train` reads the first two. */
const columns = ['message', 'intent', 'expected_escalated', 'status', 'example_id'] as const;

/** Characters of CSV in a chunk: few enough that making them does not block the event loop. */
const CHUNK_LENGTH = 65_536;

/** The longest message that `train` reads, in UTF-16 units. */
const MAX_MESSAGE = 32_768;

/** What a spreadsheet would calculate, also with the full-width signs of Asian keyboards, or in quotation marks. */
const formulaStart = /^"*[=+\-@＝＋－＠]|^[\t\r]/;

/**
 * A message as a cell. A spreadsheet must not run what a customer wrote as a formula: such a text begins with an
 * apostrophe, which spreadsheets show as the mark of a text.
 */
function messageCell(message: string): string {
  return truncate(formulaStart.test(message) ? `'${message}` : message, MAX_MESSAGE);
}

/** A row by RFC 4180: with quotation marks around each cell that needs them. */
function row(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\r\n`;
}

function exampleRow({ message, intent, escalated, status, exampleId }: DatasetExample): string {
  const expected = escalated === null ? '' : String(escalated);
  return row([messageCell(message), intent, expected, status, exampleId]);
}

/**
 * All examples as CSV, in chunks: those of the first page, and of the pages that `next` reads. Throws as it rejects.
 */
export async function* examplesCsv(
  first: ExamplePage,
  next: (cursor: number) => Promise<ExamplePage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let text = row(columns);
  for (let page = first; ; ) {
    for (const example of page.examples) {
      text += exampleRow(example);
      if (text.length < CHUNK_LENGTH) continue;
      yield Buffer.from(text);
      text = '';
      await yieldIfDue();
    }
    if (page.nextCursor === null) break;
    page = await next(page.nextCursor);
  }
  if (text !== '') yield Buffer.from(text);
}
