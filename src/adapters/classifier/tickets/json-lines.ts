import { isPlainObject } from '../../../lib/json/json.ts';
import { type CheckedTicket, checkTicket, type LabeledTicket, ticketsOf } from './ticket.ts';

/**
 * Reads tickets from JSON Lines: an object with `message` and `intent` in each line, further members are ignored as in
 * CSV, and so are empty lines. Throws a `TicketFileError` with the lines that are wrong.
 */
export function readJsonLines(text: string): readonly LabeledTicket[] {
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
