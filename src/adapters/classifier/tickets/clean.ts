import { failOnIssues, type LabeledTicket, TicketFileError } from './ticket.ts';

/** Tickets with the same message and different intents. */
export interface Contradiction {
  readonly lines: readonly number[];
  readonly intents: readonly string[];
}

/** Tickets to train on. */
export interface CleanTickets {
  /** Each message once, in the order of the file. */
  readonly examples: readonly LabeledTicket[];
  /** The intents, sorted. */
  readonly intents: readonly string[];
  /** How many tickets say the same as an earlier one. */
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
