import { readFile } from 'node:fs/promises';
import { readCsv } from './csv.ts';
import { readJsonLines } from './json-lines.ts';
import { type LabeledTicket, TicketFileError } from './ticket.ts';

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
