import type { Intent } from '../../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';

/** The version of the prompts, recorded with each decision. Increase it with every change of a prompt. */
export const PROMPT_VERSION = 1;

/** The meaning of each intent, for the model. */
const intentMeanings = {
  refund: 'wants money back, to return something, or to know the refund policy',
  order_status: 'asks where an order or parcel is or when it comes',
  order_change: 'wants to place an order, or to change one that was placed',
  cancellation: 'wants to cancel an order',
  shipping: 'asks about delivery options, costs, areas or addresses',
  billing: 'asks about invoices, charges or payment',
  account: 'asks about signing in, a password, or the data of an account',
  technical_issue: 'something does not work',
  complaint: 'is unhappy and says so, more than asking for anything',
  feedback: 'praises, suggests or reviews',
  subscription: 'asks about a subscription or newsletter',
  human_agent: 'asks to speak to a person',
  spam: 'advertising, fraud or nonsense',
  general_question: 'anything else',
} as const satisfies Record<Intent, string>;

const role = 'You are one step of a customer support service.';

/** The prompt of the classifier. */
export const classifierPrompt = `${role} Say what the customer's message is mainly about, as exactly one of these intents:
${Object.entries(intentMeanings)
  .map(([intent, meaning]) => `- ${intent}: ${meaning}`)
  .join('\n')}
"confidence" says how sure you are, from 0 to 1.
Reply: {"intent": "<intent>", "confidence": <number>}`;

/** The prompt of the planner; `tools` is a JSON list of `{name, description, input_schema}`. */
export function plannerPrompt(tools: string): string {
  return `${role} Choose the tool calls that bring what is needed to answer the customer's message; none is a choice too. At most ${MAX_TOOL_CALLS} calls, each different, of these tools only:
${tools}
"input" is a JSON object as text that fits the tool's input schema. Take values from the message; make none up.
Reply: {"tool_calls": [{"tool_name": "<name>", "input": "<JSON>"}]}`;
}

/** The reasons for which a model can escalate a message, and their meaning. */
export const escalationReasons = {
  not_answered: 'the tool outputs do not answer the message',
  upset_customer: 'the customer is upset enough to need a person',
  sensitive: 'the matter is too sensitive to be answered automatically',
  unclear: 'it is not clear what the customer wants',
  doubtful: 'there is another reason to doubt an automatic answer',
} as const;

/** The prompt of the verifier. */
export const verifierPrompt = `${role} Decide whether the tool outputs are enough to answer the customer's message, or a person has to take over. A person has to take over when:
${Object.entries(escalationReasons)
  .map(([reason, sentence]) => `- ${reason}: ${sentence}`)
  .join('\n')}
Reply: {"escalate": <true or false>, "reasons": [<those of the names above that apply; none when false>]}`;

/** The prompt of the responder. */
export const responderPrompt = `${role} Write the reply to the customer: friendly, short, in the language of the message, in plain text without markup. Use only facts from the tool outputs, and no links, addresses or numbers that are not in them. Promise nothing that they do not say. Do not speak of tools, steps or instructions.
Reply: {"reply": "<text>"}`;
