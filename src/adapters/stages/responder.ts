import type { CompleteVerdict, Concern, Decision, Intent } from '../../domain/message/message.ts';
import type { Playbook, Texts } from '../../domain/message/playbook.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import { MAX_REPLY_LENGTH } from '../../domain/message/stage-contract.ts';
import type { ResponseInput } from '../../ports/stages.ts';
import { assessMessage, wishesOf } from './assessment.ts';
import { findEntities } from './entities.ts';
import { isFor } from './planner.ts';
import { parseTemplate, type ReplyTemplate } from './playbook/templates.ts';
import {
  closing,
  greeting,
  greetingReply,
  handoverReply,
  languageReply,
  maskedNotice,
  offer,
  thanksReply,
  unresolvedReply,
  upsetReply,
} from './replies.ts';
import { answerOf, templateValues } from './tool-answers.ts';

/** Characters reserved for the greeting, the offer and the closing. */
const FRAME_LENGTH = 600;

/** A reply without its greeting, and the name of what it was made from. */
interface Draft {
  readonly template: string;
  readonly text: string;
  /** Whether it answers something, so that the customer may find that it does not. */
  readonly isAnswer: boolean;
}

/** The texts that stand for what `maskedNotice` speaks of. */
const masked = /\[(?:card number|security code|IBAN|password)\]/;

/** Creates the responder stage: it writes the reply from the texts of the playbook and from what the tools brought. */
export function createResponder(playbook: Playbook): (input: ResponseInput) => Decision<string> {
  const templates = new Map<string, ReplyTemplate>();
  const language = playbook.company.languages[0] ?? 'en';

  /** Each template is parsed once, for the first reply that needs it. */
  function templateFor(texts: Texts): ReplyTemplate | undefined {
    const source = texts[language];
    if (source === undefined) return undefined;
    let template = templates.get(source);
    if (template === undefined) {
      template = parseTemplate(source);
      templates.set(source, template);
    }
    return template;
  }

  function answerWish(wish: Intent, input: ResponseInput, wishes: number): string | undefined {
    const intent = playbook.intents[wish];
    const entities = findEntities(input.message);
    const question = intent.required.find(({ entity }) => entities[entity] === undefined)?.question;
    const own = wishes === 1 ? input.outcomes : input.outcomes.filter((outcome) => isFor(outcome, intent));
    const values = { ...templateValues(own), entities, company: { name: playbook.company.name } };
    if (question !== undefined && own.length === 0) return templateFor(question)?.render(values);
    if (own.some(({ notFound }) => notFound === true))
      return templateFor(intent.notFound)?.render(values) ?? notFoundReply;
    const rendered = templateFor(intent.replies)?.render(values);
    if (rendered !== undefined) return rendered;
    // A tool of another shape than the template expects is answered with what it brought.
    const answers = own.flatMap((outcome) => answerOf(outcome) ?? []);
    return answers.length > 0 ? answers.join('\n\n') : undefined;
  }

  function answer(input: ResponseInput): Draft {
    const { kind } = assessMessage(input.message);
    if (kind === 'thanks') return { template: 'thanks', text: thanksReply, isAnswer: false };
    if (kind === 'greeting') return { template: 'greeting', text: greetingReply, isAnswer: false };
    const wishes = wishesOf(input.message, input.classification);
    const answers = wishes.flatMap((wish) => answerWish(wish, input, wishes.length) ?? []);
    if (answers.length === 0) return { template: 'handover', text: handoverReply, isAnswer: false };
    const asks =
      input.verdict.reasons.includes('question_asked') || input.verdict.reasons.includes('not_found');
    return { template: wishes.join(', '), text: answers.join('\n\n'), isAnswer: !asks };
  }

  function handover({ classification, verdict, message }: ResponseInput): Draft {
    const concern = concernToSpeakOf(message, verdict);
    if (concern !== undefined) return handoverDraft(concern, concernText(concern));
    if (verdict.reasons.includes('language')) return handoverDraft('language', languageReply);
    if (verdict.reasons.includes('human_requested') || classification.intent === 'human_agent') {
      const text = templateFor(playbook.intents.human_agent.replies)?.render({});
      return handoverDraft('human_requested', text ?? handoverReply);
    }
    if (verdict.reasons.includes('not_resolved')) return handoverDraft('not_resolved', unresolvedReply);
    if (verdict.reasons.includes('upset_customer')) return handoverDraft('upset_customer', upsetReply);
    return handoverDraft('handover', handoverReply);
  }

  function concernText(concern: Concern): string {
    return playbook.concerns[concern].reply[language] ?? handoverReply;
  }

  return (input) => {
    const { classification, outcomes, verdict, message } = input;
    if (verdict.disposition === 'no_reply') return decided(input, 'no_reply', '');
    const { template, text, isAnswer } = verdict.escalated ? handover(input) : answer(input);
    const paragraphs = [greeting, text.slice(0, MAX_REPLY_LENGTH - FRAME_LENGTH).toWellFormed()];
    if (isAnswer && classification.intent !== 'feedback' && outcomes.length > 0) paragraphs.push(offer);
    if (masked.test(message.message)) paragraphs.push(maskedNotice);
    return decided(
      input,
      template,
      [...paragraphs, `${closing}\n${playbook.company.signature}`].join('\n\n'),
    );
  };
}

/**
 * The most serious concern that the reply speaks of. One that the rules are unsure about gets no text of its own, which
 * would read oddly where it is wrong.
 */
function concernToSpeakOf(message: PreparedMessage, verdict: CompleteVerdict): Concern | undefined {
  const { concerns: found, sureConcerns } = assessMessage(message);
  return verdict.concerns.find((concern) => sureConcerns.includes(concern) || !found.includes(concern));
}

/** The reply where a tool found nothing and the playbook has no text for it. */
const notFoundReply =
  'Thank you for your message. We cannot find what it names. Please check it and write to us again.';

function handoverDraft(template: string, text: string): Draft {
  return { template, text, isAnswer: false };
}

function decided(
  { classification, outcomes, verdict }: ResponseInput,
  template: string,
  reply: string,
): Decision<string> {
  return {
    value: reply,
    source: 'deterministic',
    summary:
      verdict.disposition === 'no_reply'
        ? 'Nothing is sent.'
        : `Replied with the text for ${template.replaceAll('_', ' ')}.`,
    data: {
      template,
      intent: classification.intent,
      escalated: verdict.escalated,
      tools: outcomes.map((outcome) => outcome.toolName),
    },
  };
}
