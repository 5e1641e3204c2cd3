/** A message with the intent that it has, and the line of the file that it starts in. */
export interface LabeledTicket {
  readonly message: string;
  readonly intent: string;
  readonly line: number;
  /**
   * What its column `expected_escalated` says, unchecked: training does not use it. Undefined where it says nothing.
   */
  readonly expectedEscalated?: unknown;
}

/** A row of a file, with what its columns say; undefined where there is no such column. */
export interface TicketRow {
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
export type CheckedTicket = LabeledTicket | { readonly issue: string } | 'not accepted';

/** Checks a row of a file. */
export function checkTicket(row: TicketRow): CheckedTicket {
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

/** Whether a row is an example of a dataset that nobody has accepted. A column `status` alone may mean anything. */
function isNotAccepted({ example_id: id, status }: Pick<TicketRow, 'example_id' | 'status'>): boolean {
  return id !== undefined && id !== '' && (status === 'proposed' || status === 'rejected');
}

/**
 * The tickets, without examples that nobody has accepted, if all rows are right. Throws a {@link TicketFileError} with
 * the first problems.
 */
export function ticketsOf(checked: readonly CheckedTicket[]): readonly LabeledTicket[] {
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
export function failOnIssues(issues: readonly string[]): void {
  if (issues.length === 0) return;
  const more = issues.length - MAX_ISSUES;
  const shown = issues.slice(0, MAX_ISSUES);
  throw new TicketFileError([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
}
