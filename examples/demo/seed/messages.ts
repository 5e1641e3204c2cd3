// Messages, goals and what people decide, for a service that has just been started.

import { bodyOf, type Client, type Message } from '../client.ts';
import { makeMessage } from '../data/messages.ts';
import type { Random } from '../data/random.ts';

/** A trace of each kind, by its id. */
export interface DemoMessages {
  readonly answered: string;
  /** The reply asks for an order number; the next two answer and thank, in the conversation `demo-conversation`. */
  readonly questionAsked: string;
  readonly followUp: string;
  readonly notFound: string;
  readonly noReply: string;
  readonly draft: string;
  /** Escalated because of a low confidence. */
  readonly escalated: string;
  /** Escalated with the concern `legal`. */
  readonly concern: string;
  /** Escalated with the concern `injury`, which is the most urgent. */
  readonly urgent: string;
  readonly foreign: string;
  /** `FAILED`, because a tool failed. */
  readonly failed: string;
}

/** The conversation of `questionAsked` and `followUp`. */
export const DEMO_CONVERSATION = 'demo-conversation';

const email = { source: 'email', customer_id: 'demo-7' };
const chat = { source: 'chat', customer_id: 'demo-8', conversation_id: DEMO_CONVERSATION };

const examples: Readonly<Record<keyof DemoMessages, Message>> = {
  answered: { ...email, subject: 'My order', message: 'Where is my order A-1234? It was due on Monday.' },
  questionAsked: { ...chat, message: 'Where is my order?' },
  followUp: { ...chat, message: 'B-7020' },
  notFound: { ...email, message: 'Where is my order missing-4711?' },
  noReply: {
    source: 'contact_form',
    customer_id: 'demo-9',
    message:
      'CONGRATULATIONS!!! You have won 1,000,000 USD. Click here to claim your prize now: http://prize.example',
  },
  draft: { ...email, message: 'How do I reset my password?', draft: true },
  escalated: {
    ...email,
    customer_id: 'demo-11',
    message: 'We spoke about this on Thursday, please go ahead as agreed.',
  },
  concern: {
    source: 'email',
    customer_id: 'demo-12',
    subject: 'Last warning',
    message:
      'If I do not have my money back by Monday, my lawyer will contact you.\n\nKind regards,\nDemo Customer\nTel. +44 20 7946 0000\n\n> On Friday, Demo Shop wrote:\n> Thank you for your patience.',
  },
  urgent: {
    ...email,
    customer_id: 'demo-13',
    message: 'The kettle caught fire and my daughter burned her hand.',
  },
  foreign: {
    ...email,
    customer_id: 'demo-14',
    message:
      'Guten Tag, meine Bestellung ist immer noch nicht angekommen. Können Sie bitte nachsehen, wo sie bleibt?',
  },
  failed: { ...email, customer_id: 'demo-15', message: 'Where is my order E-4711?' },
};

/** Sends `burst` messages of made-up customers at once, and then one of each kind, in this order. */
export async function seedMessages(client: Client, random: Random, burst: number): Promise<DemoMessages> {
  const messages = Array.from({ length: burst }, () => makeMessage(random));
  if (burst > 0) await bodyOf(client.messages.batch.$post({ json: { messages } }));
  const send = async (kind: keyof DemoMessages): Promise<string> =>
    (await bodyOf(client.messages.$post({ json: examples[kind] }))).trace_id;
  const answered = await send('answered');
  const questionAsked = await send('questionAsked');
  const followUp = await send('followUp');
  const notFound = await send('notFound');
  const noReply = await send('noReply');
  const draft = await send('draft');
  const escalated = await send('escalated');
  const concern = await send('concern');
  const urgent = await send('urgent');
  const foreign = await send('foreign');
  const failed = await send('failed');
  return {
    answered,
    questionAsked,
    followUp,
    notFound,
    noReply,
    draft,
    escalated,
    concern,
    urgent,
    foreign,
    failed,
  };
}

/** A routed goal of each status, by its id. */
export interface DemoRoutes {
  /** Three agents, and a clause that nobody takes. */
  readonly completed: string;
  readonly partial: string;
  readonly failed: string;
  /** Its subtasks were stated. */
  readonly explicit: string;
}

/** Goals as made-up programs send them. */
export const goals = {
  completed:
    'Where is my order A-2231? Send the invoice for it to demo-7. Pack the blue kettle in the warehouse. Paint the fence.',
  partial:
    'Pack order B-1002. Book a van for Sunday. And give me the gist of this: The rain began at noon. By two the road was closed. Nobody was hurt.',
  failed: 'Water the plants in the office.',
} as const;

/** Routes a goal of each kind. */
export async function seedRoutes(client: Client): Promise<DemoRoutes> {
  const route = async (json: Parameters<Client['agents']['route']['$post']>[0]['json']): Promise<string> => {
    const { routing_id } = await bodyOf(client.agents.route.$post({ json }));
    if (routing_id === null) throw new Error('a goal that is routed has an id');
    return routing_id;
  };
  const completed = await route({ goal: goals.completed });
  const partial = await route({ goal: goals.partial });
  const failed = await route({ goal: goals.failed });
  const explicit = await route({
    goal: 'Repeat, and ask somebody who does not exist',
    subtasks: [{ agent_name: 'echo', payload: { text: 'demo' } }, { agent_name: 'demo_nobody' }],
  });
  return { completed, partial, failed, explicit };
}
