import { type Decision, intents } from '../../domain/message/message.ts';
import { MAX_REPLY_LENGTH } from '../../domain/message/stage-contract.ts';
import type { ResponseInput } from '../../ports/stages.ts';
import { concerns } from './concerns.ts';
import {
  closing,
  concernReplies,
  emptyHanded,
  greeting,
  humanReply,
  introductions,
  offer,
  orderNumberReply,
  spamReply,
  unsureReply,
} from './replies.ts';
import { answerOf } from './tool-answers.ts';

/** What replies are made from: a fixed text, or the introduction for an intent with what the tools brought. */
const templates = [
  ...concerns,
  'human_requested',
  'order_number_needed',
  'handover',
  'empty_handed',
  ...intents,
] as const;

type Template = (typeof templates)[number];

/** What the trace says of each template. */
const summaries: ReadonlyMap<Template, string> = new Map(
  templates.map((template) => [template, `Replied with the text for ${template.replaceAll('_', ' ')}.`]),
);

/** Which text a reply is made from, and that text. */
interface Draft {
  readonly template: Template;
  readonly text: string;
}

/**
 * Writes the reply from fixed texts and what the tools brought; of the customer's own words only an order id that
 * a tool has confirmed comes back (decisions, section 2).
 */
export function decideReply(input: ResponseInput): Decision<string> {
  const { template, text } = input.verdict.escalated ? handoverOf(input) : answerTo(input);
  const reply = `${greeting}\n\n${text.slice(0, MAX_REPLY_LENGTH - 200)}\n\n${closing}`;
  return {
    value: reply,
    source: 'deterministic',
    summary: summaries.get(template) ?? '',
    data: {
      template,
      intent: input.classification.intent,
      escalated: input.verdict.escalated,
      tools: input.outcomes.map((outcome) => outcome.toolName),
    },
  };
}

function handoverOf({ classification, outcomes, verdict }: ResponseInput): Draft {
  const concern = concerns.find((one) => verdict.reasons.includes(one));
  if (concern !== undefined) return { template: concern, text: concernReplies[concern] };
  if (classification.intent === 'human_agent' || verdict.reasons.includes('human_requested')) {
    return { template: 'human_requested', text: humanReply };
  }
  if (classification.intent === 'order_status' && outcomes.length === 0) {
    return { template: 'order_number_needed', text: orderNumberReply };
  }
  return { template: 'handover', text: unsureReply };
}

function answerTo({ classification, outcomes }: ResponseInput): Draft {
  const { intent } = classification;
  if (intent === 'spam') return { template: 'spam', text: spamReply };
  let text: string = introductions[intent];
  let answered = false;
  for (const outcome of outcomes) {
    const answer = answerOf(outcome);
    if (answer === undefined) continue;
    text += `\n\n${answer}`;
    answered = true;
  }
  if (!answered) return { template: 'empty_handed', text: emptyHanded };
  return { template: intent, text: `${text}\n\n${offer}` };
}
