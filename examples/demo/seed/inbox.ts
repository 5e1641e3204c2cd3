// The work of made-up colleagues in the inbox of a service that has just been filled.

import { bodyOf, type Client } from '../client.ts';
import type { LostRuns } from './lost.ts';
import type { DemoMessages } from './messages.ts';
import { type DemoRuns, untilRun } from './runs.ts';

/** An item of each kind and status, by its id. */
export interface DemoItems {
  /** Open, because of a low confidence. */
  readonly escalation: string;
  /** Open, and the most urgent. */
  readonly urgent: string;
  /** Open, with a proposed reply. */
  readonly draft: string;
  /** Open: the run `waitingForApproval` asks. */
  readonly approval: string;
  /** Claimed by `Demo: Ann`, with two notes. */
  readonly claimed: string;
  /** Resolved with a reply; its example is accepted. */
  readonly resolved: string;
  /** Open: whether a letter was sent. Undefined where no process was killed. */
  readonly recovery: string | undefined;
}

/** Messages whose items are resolved, with what a person decides about them. */
const decisions = [
  {
    message: 'I will take you to court over this office chair.',
    decision: {
      outcome: 'answered',
      intent: 'complaint',
      escalation_right: true,
      response: 'I am sorry. A new chair is on its way to you.',
    },
    judgement: 'accept',
  },
  {
    message: 'Can somebody call me back about my kettle?',
    decision: {
      outcome: 'answered',
      intent: 'human_agent',
      escalation_right: true,
      response: 'I have called you today at noon.',
    },
    judgement: 'accept',
  },
  {
    message: 'When does my kettle finally arrive?',
    decision: {
      outcome: 'dismissed',
      intent: 'order_status',
      escalation_right: false,
      note: 'This could have been answered.',
    },
    judgement: 'none',
  },
  {
    message: 'It is about the thing from last time, you know, the blue one.',
    decision: { outcome: 'spam', note: 'The third one of this sender.' },
    judgement: 'reject',
  },
] as const;

/** Claims, notes, resolves, accepts and rejects; leaves an item of each kind open. */
export async function seedInbox(
  client: Client,
  messages: DemoMessages,
  runs: DemoRuns,
  lost: LostRuns | undefined,
): Promise<DemoItems> {
  const itemOf = async (traceId: string): Promise<string> => {
    const { item_id } = await bodyOf(client.trace[':trace_id'].$get({ param: { trace_id: traceId } }));
    return known(item_id);
  };
  const claimed = await itemOf(messages.concern);
  await claimWithNotes(client, claimed);
  const resolved: string[] = [];
  for (const [index, decided] of decisions.entries()) resolved.push(await decide(client, index, decided));
  return {
    escalation: await itemOf(messages.escalated),
    urgent: await itemOf(messages.urgent),
    draft: await itemOf(messages.draft),
    approval: known(await itemOfRun(client, runs.waitingForApproval)),
    claimed,
    resolved: known(resolved[0]),
    recovery: lost === undefined ? undefined : known(await itemOfRun(client, lost.unknownOutcome)),
  };
}

/** The item through which a run asks; waits until it does. */
async function itemOfRun(client: Client, id: string): Promise<string | undefined> {
  const { waiting_for } = await untilRun(client, id, 'WAITING');
  return waiting_for[0]?.item_id;
}

async function claimWithNotes(client: Client, id: string): Promise<void> {
  const item = client.inbox[':id'];
  const param = { id };
  await bodyOf(item.claim.$post({ param, json: { by: 'Demo: Ann' } }));
  await bodyOf(
    item.notes.$post({ param, json: { by: 'Demo: Ann', note: 'I have asked the bank for the date.' } }),
  );
  await bodyOf(
    item.notes.$post({ param, json: { by: 'Demo: Ben', note: 'The same customer wrote to me in May.' } }),
  );
}

/** Sends a message that is escalated, and decides about its item; resolves to the id of the item. */
async function decide(
  client: Client,
  index: number,
  { message, decision, judgement }: (typeof decisions)[number],
): Promise<string> {
  const json = { source: 'email', customer_id: `demo-${20 + index}`, message };
  const { item_id } = await bodyOf(client.messages.$post({ json }));
  const id = known(item_id);
  await bodyOf(client.inbox[':id'].resolve.$post({ param: { id }, json: { by: 'Demo: Ann', ...decision } }));
  if (judgement === 'none') return id;
  const example = client.datasets[':id'].examples[':example_id'];
  const param = { id: 'inbox', example_id: id };
  await bodyOf(example[judgement].$post({ param, json: { by: 'Demo: Cleo' } }));
  return id;
}

function known(id: string | null | undefined): string {
  if (id === null || id === undefined) throw new Error('there is no item of the inbox');
  return id;
}
