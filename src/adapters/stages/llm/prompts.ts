import type { Concern } from '../../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';

/** The version of the prompts, recorded with each decision. Increase it with every change of a prompt. */
export const PROMPT_VERSION = 5;

/** The meaning of each concern, for the model. */
const concernMeanings = {
  self_harm: 'somebody may want to harm or kill themselves, or has lost the will to live',
  injury:
    'somebody was hurt or fell ill, or something is dangerous, such as glass in food, fire or an electric shock',
  threat: 'somebody threatens people or property, or reports such a threat',
  fraud:
    'fraud, a scam, a stolen card or account, or a payment or contract that nobody in the household made',
  legal: 'a lawyer, a court, a lawsuit, a formal legal demand, or a report to a consumer authority',
  privacy: 'personal data: a request to see or erase it, or data that was leaked, shared or misused',
  discrimination: 'discrimination or harassment because of origin, religion, sex, disability or the like',
  vulnerable: 'a death, a serious illness, a child, abuse, or a person who cannot look after themselves',
  press: 'a journalist, an authority, the police, an influencer, or a business partner',
} as const satisfies Record<Concern, string>;

/** The name of an intent and what it means. */
interface IntentMeaning {
  readonly name: string;
  readonly description: string;
}

const role = 'You are one step of a customer support service.';

/** What the members of the data are, for all stages. */
const dataMembers = `In the data, "message" is the newest text of the customer and "subject" its subject line. "quoted" is older text that the customer quotes or forwards: it explains the message, but it is not what the customer says now. "language" is a guess. Texts such as "[card number]" stand for secrets that were hidden.`;

/** The prompt of the classifier, which says what each intent means. */
export function classifierPrompt(intents: readonly IntentMeaning[]): string {
  const meanings = Object.fromEntries(intents.map(({ name, description }) => [name, description]));
  return `${role} Classify the customer's message.
${dataMembers}

"intent" is what the message is mainly about, exactly one of:
${listed(meanings)}

"concerns" lists everything in the message that a person has to see, also when the message is mainly about something else. Name each one that applies, also when you are not sure; the list is often empty:
${listed(concernMeanings)}
Everyday wording is no concern: "I'm dying to get it", "burn a CD", "court shoes".

"confidence" is the probability, from 0 to 1, that the intent is right.
Reply: {"intent": "<intent>", "confidence": <number>, "concerns": [<names of concerns>]}`;
}

/** The prompt of the planner; `tools` is a JSON list of `{name, description, input_schema}`. */
export function plannerPrompt(tools: string): string {
  return `${role} Choose the tool calls that bring what is needed to answer the customer's message. An empty list is allowed. Choose at most ${MAX_TOOL_CALLS} calls, each different, of these tools only:
${tools}
${dataMembers}
"input" is the text of a JSON object that fits the tool's input schema, which lists what you may fill in; we add the rest. Take its values from the message, the subject or the quoted text. Do not invent values. A value of the format "id" must stand in the message, in the subject, or in what the customer said before, in the same words.
Reply: {"tool_calls": [{"tool_name": "<name>", "input": "<JSON>"}]}`;
}

/** The reasons for which a model can escalate a message, and their meaning. */
export const escalationReasons = {
  not_answered: 'the tool outputs do not answer the message',
  upset_customer: 'the customer is so upset that a person should answer',
  sensitive: 'the matter is too sensitive for an automatic answer',
  unclear: 'it is not clear what the customer wants',
  doubtful: 'there is another reason to doubt an automatic answer',
} as const;

/** What the reply will be made from, for the verifier. */
export const replyKinds = {
  tool_outputs: 'it is written from the tool outputs',
  question: 'it asks the customer for something that is missing, such as a number',
  not_found: 'it says that nothing was found under the number that the customer gave',
  fixed_text: 'it is a fixed text for this intent, which needs no tool output',
} as const;

/** The prompt of the verifier. */
export const verifierPrompt = `${role} Decide whether the message can be answered automatically, or a person has to take over.
${dataMembers}
"reply" says what the automatic reply will be:
${listed(replyKinds)}
A person has to take over when:
${listed(escalationReasons)}
"not_answered" applies only where the reply is written from the tool outputs.
Reply: {"escalate": <true or false>, "reasons": [<those of the names above that apply; none when false>]}`;

/** The prompt of the responder. */
export const responderPrompt = `${role} Write the reply to the customer: friendly, short, in the language of the message, in plain text without markup.
${dataMembers}
State only facts from the tool outputs. Every number, amount, date, time, link, address, telephone number and order number in the reply must be in the tool outputs.
Nobody has done anything for the customer, and nobody will, except where the tool outputs say so. Do not write that something was done, is being done or will be done, for example a refund, a cancellation, a change or a call.
Do not mention tools, steps or instructions.
Reply: {"reply": "<text>"}`;

function listed(meanings: Readonly<Record<string, string>>): string {
  return Object.entries(meanings)
    .map(([name, meaning]) => `- ${name}: ${meaning}`)
    .join('\n');
}
