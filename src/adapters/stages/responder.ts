import type { Decided } from '../../domain/message.ts';
import { MAX_REPLY_LENGTH } from '../../domain/stage-contract.ts';
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

/** Which text a reply is made from, and that text. */
interface Draft {
  readonly template: string;
  readonly text: string;
}

/**
 * Writes the reply from fixed texts and what the tools brought; of the customer's own words only an order id that
 * a tool has confirmed comes back (decisions, section 2).
 */
export function decideReply(input: ResponseInput): Decided<string> {
  const { template, text } = input.verdict.escalated ? handoverOf(input) : answerTo(input);
  const reply = `${greeting}\n\n${text.slice(0, MAX_REPLY_LENGTH - 200)}\n\n${closing}`;
  return {
    value: reply,
    source: 'deterministic',
    summary: `Replied with the text for ${template.replaceAll('_', ' ')}.`,
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
  const answers = outcomes.flatMap((outcome) => answerOf(outcome) ?? []);
  if (answers.length === 0) return { template: 'empty_handed', text: emptyHanded };
  return { template: intent, text: [introductions[intent], ...answers, offer].join('\n\n') };
}
