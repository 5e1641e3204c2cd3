import { type Classification, type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { IntentClassifier } from '../../domain/playbook/intent-classifier.ts';
import type { Playbook, PlaybookIntent } from '../../domain/playbook/playbook.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { analyzeText } from './analysis.ts';
import { type Answers, createAnswers } from './answers.ts';
import { type Assessment, assess, assessUnread } from './assessment.ts';
import { createEntityFinder, type Entities } from './entities/entities.ts';
import { createPhraseFinder } from './phrases/finder.ts';
import { smallTalkOf } from './phrases/small-talk.ts';
import { type Sensitivity, sensitivityFor, shopSensitivity } from './sensitivity.ts';
import { findBuiltInWishes } from './wishes/built-in.ts';
import { findOwnWishes } from './wishes/own.ts';

/** Reads messages for all stages by one playbook: each message once. */
export interface Assessor {
  readonly playbook: Playbook;
  /** What a message is. */
  assess(message: PreparedMessage): Assessment;
  /** What a message names. */
  entitiesOf(message: PreparedMessage): Entities;
  /** The intent of a name that the classifier chose. Throws where the playbook has none of that name. */
  intentOf(name: string): PlaybookIntent;
  /** The wishes of a message under a classification, which a language model may have made: then its intent is the wish. */
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
export function createAssessor(playbook: Playbook, classifier: IntentClassifier | undefined): Assessor {
  const findWishes =
    classifier === undefined ? findBuiltInWishes(playbook.intents) : findOwnWishes(classifier);
  const findPhrases = createPhraseFinder(playbook);
  const greetingIntent = playbook.intents.has('general_question') ? 'general_question' : 'feedback';
  let sensitivity: Sensitivity | undefined;
  const assessments = new WeakMap<PreparedMessage, Assessment>();

  function read({ prepared }: PreparedMessage): Assessment {
    const analysis = analyzeText(prepared.text);
    const shared = {
      ...{ analysis, automatic: prepared.automatic, greetingIntent },
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
    assess(message) {
      let assessment = assessments.get(message);
      if (assessment === undefined) {
        assessment = read(message);
        assessments.set(message, assessment);
      }
      return assessment;
    },
    entitiesOf: createEntityFinder(playbook.entities),
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
    replyLanguage: ({ prepared, locale }) => languageOf(playbook, prepared.language, locale),
  };
  const answers = createAnswers(assessor);
  return assessor;
}

/** A text that is too short to tell its language is taken to be in that of the sender, else in the default one. */
function languageOf(
  { company: { languages } }: Playbook,
  guessed: string,
  locale: string | null | undefined,
): string | undefined {
  if (guessed !== 'und') return languages.find((language) => language === guessed);
  const [stated] = locale?.toLowerCase().split(/[-_]/) ?? [];
  return languages.find((language) => language === stated) ?? languages[0];
}
