/** A message with the intent that it has, and the line of the file that it starts in. */
export interface LabeledTicket {
  readonly message: string;
  readonly intent: string;
  readonly line: number;
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

/** A ticket, or what is wrong with it. */
export type CheckedTicket = LabeledTicket | { readonly issue: string };

/** Checks what a row of a file says. */
export function checkTicket(message: unknown, intent: unknown, line: number): CheckedTicket {
  const problem = (text: string): CheckedTicket => ({ issue: `line ${line}: ${text}` });
  if (typeof message !== 'string') return problem('message must be a text');
  if (typeof intent !== 'string') return problem('intent must be a text');
  if (message.trim() === '') return problem('message is empty');
  if (message.length > MAX_MESSAGE) return problem(`message is longer than ${MAX_MESSAGE} characters`);
  const name = intent.trim();
  if (name === '') return problem('intent is empty');
  if (name.length > MAX_INTENT) return problem(`intent is longer than ${MAX_INTENT} characters`);
  if (/\p{Cc}/u.test(name)) return problem('intent has a control character or a line break');
  return { message, intent: name, line };
}

/** The tickets, if all rows are right. Throws a {@link TicketFileError} with the first problems. */
export function ticketsOf(checked: readonly CheckedTicket[]): readonly LabeledTicket[] {
  const tickets: LabeledTicket[] = [];
  const issues: string[] = [];
  for (const one of checked) {
    if ('issue' in one) issues.push(one.issue);
    else tickets.push(one);
  }
  failOnIssues(issues);
  return tickets;
}

/** Throws a {@link TicketFileError} with the first problems, and how many more there are. */
export function failOnIssues(issues: readonly string[]): void {
  if (issues.length === 0) return;
  const more = issues.length - MAX_ISSUES;
  const shown = issues.slice(0, MAX_ISSUES);
  throw new TicketFileError([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
}
