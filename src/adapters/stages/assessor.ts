import { type Classification, type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { IntentClassifier } from '../../domain/playbook/intent-classifier.ts';
import type { Playbook, PlaybookIntent } from '../../domain/playbook/playbook.ts';
import { replyLanguage, speakingPlaybook } from '../../domain/playbook/replies.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { analyzeText } from './analysis.ts';
import { type Answers, createAnswers } from './answers.ts';
import { type Assessment, assess, assessUnread } from './assessment.ts';
import { completeWish } from './conversation/completion.ts';
import { type Turn, turnsOf, wasAnswered } from './conversation/turns.ts';
import { withoutUnanswered } from './conversation/unanswered.ts';
import { saysUnhelpful } from './conversation/unhelpful.ts';
import { createEntityFinder, createTextFinder, type Entities } from './entities/entities.ts';
import { createPhraseFinder } from './phrases/finder.ts';
import { smallTalkOf } from './phrases/small-talk.ts';
import { type Sensitivity, sensitivityFor, shopSensitivity } from './sensitivity.ts';
import { findBuiltInWishes } from './wishes/built-in.ts';
import { findOwnWishes } from './wishes/own.ts';

/** Reads messages for all stages by one playbook: each message once. */
export interface Assessor {
  /** As its replies are made from it: see {@link speakingPlaybook}. */
  readonly playbook: Playbook;
  /** Whether somebody sees what is handed over, and drafts. */
  readonly hasInbox: boolean;
  /** What a message is. */
  assess(message: PreparedMessage): Assessment;
  /** What a message names, and what the earlier turns name whose wish it completes. */
  entitiesOf(message: PreparedMessage): Entities;
  /** What a text of a conversation names; `isAsked` after a question for it, when a bare number is enough. */
  entitiesIn(text: string, isAsked: boolean): Entities;
  /** The earlier turns of the conversation of a message, the oldest first. */
  turnsOf(message: PreparedMessage): readonly Turn[];
  /** The intent of a name that the classifier chose. Throws where the playbook has none of that name. */
  intentOf(name: string): PlaybookIntent;
  /**
   * The wishes of a message under a classification, which a language model may have made: then its intent is the wish.
   */
  wishesOf(message: PreparedMessage, classification: Classification): readonly string[];
  /** The probability that all wishes of a message are right. */
  confidenceIn(message: PreparedMessage, classification: Classification): number;
  /** The concerns that the classifier or the rules found: a language model can add one, never remove one. */
  concernsOf(message: PreparedMessage, classification: Classification): readonly Concern[];
  /** The texts that answer the wishes of a message in a language, written once. */
  answersTo(input: VerificationInput, language: string): Answers;
  /** The language of the reply; undefined where the playbook has none in that of the message. */
  replyLanguage(message: PreparedMessage): string | undefined;
}

/** The language that the built-in model was trained on. */
const MODEL_LANGUAGE = 'en';

/**
 * Creates the assessor of a playbook. `classifier` tells its intents apart; undefined where they all are intents of the
 * built-in playbook, which the built-in model knows.
 */
export function createAssessor(
  given: Playbook,
  classifier: IntentClassifier | undefined,
  hasInbox: boolean,
): Assessor {
  const playbook = speakingPlaybook(given, hasInbox);
  const findWishes =
    classifier === undefined ? findBuiltInWishes(playbook.intents) : findOwnWishes(classifier);
  const findPhrases = createPhraseFinder(playbook);
  const greetingIntent = playbook.intents.has('general_question') ? 'general_question' : 'feedback';
  let sensitivity: Sensitivity | undefined;
  const assessments = new WeakMap<PreparedMessage, Assessment>();

  const findEntities = createEntityFinder(playbook.entities);
  const entitiesIn = createTextFinder(playbook.entities);

  /** Reads a message by itself, and then as a part of its conversation. */
  function read(message: PreparedMessage): Assessment {
    const { prepared } = message;
    // A complaint about silence is none about an answer that there never was.
    const rest = wasAnswered(message.history) ? undefined : withoutUnanswered(prepared.text);
    const own = rest === undefined ? readText(prepared) : readUnanswered(prepared, rest);
    const turns = assessor.turnsOf(message);
    const last = turns.at(-1);
    if (last === undefined) return own;
    const assessText = (text: string) => readText({ ...prepared, text, automatic: false });
    const completed = completeWish(prepared.text, own, turns, {
      playbook,
      entitiesIn,
      assessText,
      hasPhrase: (text) => findPhrases(text).size > 0,
    });
    if (completed !== undefined) return completed;
    if (own.automatic !== false || last.outcome === 'other') return own;
    const said = saysUnhelpful(rest ?? prepared.text);
    if (said === undefined || (said === 'part' && own.kind === 'spam')) return own;
    // A mere `no` raises no concern, whatever the model makes of it.
    const calm = said === 'whole' && findPhrases(prepared.text).size === 0;
    const concerns = calm ? { concerns: [], sureConcerns: [] } : {};
    const reasons = [...new Set([...own.reasons, 'not_resolved' as const])];
    return { ...own, ...concerns, kind: 'wish', reasons };
  }

  /** Reads the message of a customer who was never answered and says so. `rest` is what it says beside that. */
  function readUnanswered(prepared: PreparedMessage['prepared'], rest: string): Assessment {
    const own = readText(prepared);
    if (rest === '' && findPhrases(prepared.text).size === 0) {
      return { ...own, kind: 'wish', concerns: [], sureConcerns: [], reasons: ['needs_person'] };
    }
    if (!own.reasons.includes('not_resolved')) return own;
    if (readText({ ...prepared, text: rest }).reasons.includes('not_resolved')) return own;
    return { ...own, reasons: own.reasons.filter((reason) => reason !== 'not_resolved') };
  }

  function readText(prepared: PreparedMessage['prepared']): Assessment {
    const analysis = analyzeText(prepared.text);
    const shared = {
      analysis,
      automatic: prepared.automatic,
      greetingIntent,
      wishes: findWishes(prepared.text, analysis),
      stated: findPhrases(prepared.text),
    };
    if (prepared.language !== MODEL_LANGUAGE && playbook.company.languages.includes(prepared.language)) {
      return assessUnread({ ...shared, smallTalk: smallTalkOf(prepared.text, prepared.language) });
    }
    sensitivity ??= classifier === undefined ? shopSensitivity : sensitivityFor(playbook);
    return assess({ ...shared, sensitivity, isBuiltIn: classifier === undefined });
  }

  const assessor: Assessor = {
    playbook,
    hasInbox,
    assess(message) {
      let assessment = assessments.get(message);
      if (assessment === undefined) {
        assessment = read(message);
        assessments.set(message, assessment);
      }
      return assessment;
    },
    entitiesOf: (message) => assessor.assess(message).completion?.entities ?? findEntities(message),
    entitiesIn,
    turnsOf: ({ history }) => (history === undefined ? [] : turnsOf(history)),
    intentOf(name) {
      const intent = playbook.intents.get(name);
      if (intent === undefined) throw new Error(`the playbook has no intent ${name}`);
      return intent;
    },
    wishesOf(message, { intent }) {
      const { kind, intent: own, wishes } = assessor.assess(message);
      if (kind === 'thanks' || kind === 'greeting') return [];
      return own === intent ? wishes : [intent];
    },
    confidenceIn(message, { intent, confidence }) {
      const { intent: own, wishes, bothConfidence } = assessor.assess(message);
      return own === intent && wishes.length > 1 ? Math.max(confidence, bothConfidence) : confidence;
    },
    concernsOf(message, { concerns: others = [] }) {
      const own = assessor.assess(message).concerns;
      return concerns.filter((concern) => own.includes(concern) || others.includes(concern));
    },
    answersTo: (input, language) => answers(input, language),
    replyLanguage: (message) => replyLanguage(playbook, message),
  };
  const answers = createAnswers(assessor);
  return assessor;
}
