import type { CompleteVerdict, Concern, Decision } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import { MAX_REPLY_LENGTH } from '../../domain/message/stage-contract.ts';
import type { StandardText } from '../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { ResponseInput } from '../../ports/stages.ts';
import type { Assessor } from './assessor.ts';
import { replyValues } from './template-values.ts';

/** A reply without its greeting, and the name of what it was made from. */
interface Draft {
  readonly template: string;
  readonly text: string;
  /** True where it answers something, so that the customer may find that it does not. */
  readonly isAnswer: boolean;
}

/** The texts that stand for what the text `masked` speaks of. */
export const masked = /\[(?:card number|security code|IBAN|password)\]/;

/** Creates the responder stage: it writes the reply from the texts of the playbook and from what the tools brought. */
export function createResponder(assessor: Assessor): (input: ResponseInput) => Decision<string> {
  const { playbook } = assessor;
  const [defaultLanguage] = playbook.company.languages;

  function textIn(language: string, name: StandardText): string {
    const texts = playbook.texts.get(language);
    if (texts === undefined) throw new Error(`the playbook has no texts in ${language}`);
    return texts[name];
  }

  function answer(input: ResponseInput, language: string): Draft {
    const { kind } = assessor.assess(input.message);
    if (kind === 'thanks') return fixedDraft('thanks', textIn(language, 'thanks'));
    if (kind === 'greeting') return fixedDraft('greeting', textIn(language, 'welcome'));
    const intents = assessor.intentsOf(input.message, input.classification);
    const answers = assessor.answersTo(input, language).flatMap((text) => text ?? []);
    if (answers.length === 0) return fixedDraft('handover', textIn(language, 'handover'));
    const asks =
      input.verdict.reasons.includes('question_asked') || input.verdict.reasons.includes('not_found');
    return { template: intents.join(', '), text: answers.join('\n\n'), isAnswer: !asks };
  }

  function handover({ classification, verdict, message }: ResponseInput, language: string): Draft {
    const values = replyValues(message, assessor.entitiesOf(message), playbook.company, []);
    const concern = concernToSpeakOf(message, verdict);
    if (concern !== undefined) return fixedDraft(concern, concernText(concern, language, values));
    if (verdict.reasons.includes('language')) {
      return fixedDraft('language', textIn(language, 'language'));
    }
    const isUnsure = verdict.reasons.includes('low_confidence');
    const wantsHuman = classification.intent === 'human_agent' && !isUnsure;
    if (verdict.reasons.includes('human_requested') || wantsHuman) {
      const own = assessor.intentOf('human_agent').replies.get(language)?.render(values);
      return fixedDraft('human_requested', own ?? textIn(language, 'human'));
    }
    if (verdict.reasons.includes('not_resolved') || verdict.reasons.includes('repeated_wish')) {
      return fixedDraft('not_resolved', textIn(language, 'unresolved'));
    }
    if (verdict.reasons.includes('upset_customer')) {
      return fixedDraft('upset_customer', textIn(language, 'upset'));
    }
    const intent = assessor.intentOf(classification.intent);
    const own = intent.handover && !isUnsure ? intent.replies.get(language)?.render(values) : undefined;
    return own === undefined
      ? fixedDraft('handover', textIn(language, 'handover'))
      : fixedDraft(intent.name, own);
  }

  function concernText(concern: Concern, language: string, values: JsonObject): string {
    const reply = playbook.concerns[concern].reply.get(language)?.render(values);
    return reply ?? textIn(language, 'handover');
  }

  /**
   * The most serious concern that the reply speaks of. One that the rules are unsure about gets no text of its own,
   * which would read oddly where it is wrong.
   */
  function concernToSpeakOf(message: PreparedMessage, verdict: CompleteVerdict): Concern | undefined {
    const { concerns: found, sureConcerns } = assessor.assess(message);
    return verdict.concerns.find((concern) => sureConcerns.includes(concern) || !found.includes(concern));
  }

  return (input) => {
    const { classification, outcomes, verdict, message } = input;
    if (verdict.disposition === 'no_reply') return decided(input, 'no_reply', '');
    const language = assessor.replyLanguage(message) ?? defaultLanguage;
    const { template, text, isAnswer } = verdict.escalated
      ? handover(input, language)
      : answer(input, language);
    const after: string[] = [];
    if (isAnswer && classification.intent !== 'feedback' && outcomes.length > 0) {
      after.push(textIn(language, 'offer'));
    }
    if (masked.test(message.message)) after.push(textIn(language, 'masked'));
    after.push(`${textIn(language, 'closing')}\n${playbook.company.signature}`);
    return decided(input, template, frame(textIn(language, 'greeting'), text, after.join('\n\n')));
  };
}

/** A reply from its parts. A text that is too long for one is cut. */
function frame(greeting: string, text: string, end: string): string {
  const longest = MAX_REPLY_LENGTH - greeting.length - end.length - 4;
  return [greeting, text.slice(0, longest).toWellFormed(), end].join('\n\n');
}

function fixedDraft(template: string, text: string): Draft {
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
