import { type Decision, intents } from '../../domain/message/message.ts';
import { MAX_REPLY_LENGTH } from '../../domain/message/stage-contract.ts';
import type { ResponseInput } from '../../ports/stages.ts';
import {
  closing,
  concernReplies,
  greeting,
  humanReply,
  introductions,
  noAnswerReply,
  offer,
  orderNumberReply,
  spamReply,
  unsureReply,
} from './replies.ts';
import { concerns } from './rules/concerns.ts';
import { answerOf } from './tool-answers.ts';

/** The templates of replies: a fixed text, or for an intent its introduction and the tool outputs. */
const templates = [
  ...concerns,
  'human_requested',
  'order_number_needed',
  'handover',
  'empty_handed',
  ...intents,
] as const;

type Template = (typeof templates)[number];

/** The summary of the decision for each template. */
function summaryOf(template: Template): string {
  return `Replied with the text for ${template.replaceAll('_', ' ')}.`;
}

/** Characters reserved for the greeting and the closing. */
const FRAME_LENGTH = 200;

/** A template and its filled-in text. */
interface Draft {
  readonly template: Template;
  readonly text: string;
}

/**
 * The responder stage: writes the reply from fixed texts and tool outputs. Of the customer's own words it repeats
 * only an order id that a tool has confirmed (decisions, section 2).
 */
export function writeReply(input: ResponseInput): Decision<string> {
  const { template, text } = input.verdict.escalated ? handover(input) : answer(input);
  const reply = `${greeting}\n\n${text.slice(0, MAX_REPLY_LENGTH - FRAME_LENGTH)}\n\n${closing}`;
  return {
    value: reply,
    source: 'deterministic',
    summary: summaryOf(template),
    data: {
      template,
      intent: input.classification.intent,
      escalated: input.verdict.escalated,
      tools: input.outcomes.map((outcome) => outcome.toolName),
    },
  };
}

function handover({ classification, outcomes, verdict }: ResponseInput): Draft {
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

function answer({ classification, outcomes }: ResponseInput): Draft {
  const { intent } = classification;
  if (intent === 'spam') return { template: 'spam', text: spamReply };
  let text: string = introductions[intent];
  let answered = false;
  for (const outcome of outcomes) {
    const paragraph = answerOf(outcome);
    if (paragraph === undefined) continue;
    text += `\n\n${paragraph}`;
    answered = true;
  }
  if (!answered) return { template: 'empty_handed', text: noAnswerReply };
  return { template: intent, text: `${text}\n\n${offer}` };
}
