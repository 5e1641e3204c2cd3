import { type Classification, type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { IntentClassifier } from '../../domain/playbook/intent-classifier.ts';
import type { Playbook, PlaybookEntity, PlaybookIntent } from '../../domain/playbook/playbook.ts';
import { replyLanguage, speakingPlaybook } from '../../domain/playbook/replies.ts';
import type { TextVector } from '../../domain/playbook/text-vector.ts';
import type { EmbedMessage } from '../../ports/embedder.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { readText } from '../shared/reading/read-text.ts';
import { type AnalyzerParts, analyze } from './analysis/analysis.ts';
import { learnHarmless } from './analysis/harmless.ts';
import { createJudge, type Judge } from './analysis/judgement.ts';
import { createPhraseFinder } from './analysis/phrases.ts';
import { type Answers, type MadeAnswers, makeAnswers } from './answers.ts';
import { type Assessment, assess } from './assessment.ts';
import { completeWish } from './conversation/completion.ts';
import { saysUnhelpful, withoutUnanswered } from './conversation/follow-ups.ts';
import { type Turn, turnsOf, wasAnswered } from './conversation/turns.ts';
import { builtInEntities, createEntityFinder, createTextFinder, type Entities } from './entities/entities.ts';
import type { ModelNotes } from './llm/notes.ts';
import { findWishes } from './wishes.ts';

/** Reads messages for all stages by one playbook: each message once. */
export interface Assessor {
  /** As its replies are made from it: see {@link speakingPlaybook}. */
  readonly playbook: Playbook;
  /** True where the built-in model tells the intents apart, and no classifier of the company. */
  readonly isBuiltIn: boolean;
  /** Whether somebody sees what is handed over, and drafts. */
  readonly hasInbox: boolean;
  /**
   * Waits for the vector of a message, where one can help: to be called before the message is assessed. Never
   * rejects. Undefined where there is nothing to wait for. Resolves to false where words alone decide although
   * vectors could help.
   */
  findVector(message: PreparedMessage): Promise<boolean> | undefined;
  /** The judgement of a message: by the language model where it judged it, else by the built-in judgement. */
  assess(message: PreparedMessage): Assessment;
  /** The built-in judgement of a message, whoever decides. */
  builtIn(message: PreparedMessage): Assessment;
  /** Lets the judgement of a language model decide from now on, with what it read beside what patterns found. */
  decide(message: PreparedMessage, judged: Assessment, entities: Entities): void;
  /** The notes of the stages of a language model about a message. */
  notesOf(message: PreparedMessage): ModelNotes;
  /**
   * The things that a message can name for an intent: the entities of the playbook, and the built-in ones that it
   * requires.
   */
  readonly namedEntities: readonly PlaybookEntity[];
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
  /** The concerns that the classifier or the rules found: a language model can add one, never remove one. */
  concernsOf(message: PreparedMessage, classification: Classification): readonly Concern[];
  /** The confidence from which on an intent of a message is answered. */
  leastConfidence(message: PreparedMessage, intent: string, byModel?: boolean): number;
  /** The texts that answer the wishes of a message in a language, written once. */
  answersTo(input: VerificationInput, language: string): Answers;
  /** The language of the reply; undefined where the playbook has none in that of the message. */
  replyLanguage(message: PreparedMessage): string | undefined;
  /**
   * The language in which a language model may reply beside those of the playbook: that of the message, where the
   * playbook allows any and the model and the preparation agree on it.
   */
  modelLanguage(message: PreparedMessage): string | undefined;
}

/** The findings of the stages about one message, each made once. */
interface MessageRecord {
  vector?: TextVector;
  builtIn?: Assessment;
  assessment?: Assessment;
  entities?: Entities;
  turns?: readonly Turn[];
  answers?: MadeAnswers;
  notes?: ModelNotes;
}

/** The confidence that an answer needs where neither the playbook nor the classifier states one. */
const LEAST_CONFIDENCE = 0.6;

/** How a playbook's intents are told apart. */
export interface IntentReading {
  readonly classifier: IntentClassifier;
  /** True where all intents are those of the built-in playbook. */
  readonly isBuiltIn: boolean;
  /** Requests the vectors of messages; undefined where there is no embedding model. */
  readonly embed: EmbedMessage | undefined;
}

/** Creates the assessor of a playbook. */
export function createAssessor(
  given: Playbook,
  { classifier, isBuiltIn, embed }: IntentReading,
  hasInbox: boolean,
): Assessor {
  const playbook = speakingPlaybook(given, hasInbox);
  const greetingIntent = playbook.intents.has('general_question') ? 'general_question' : 'feedback';
  const known = new Set(playbook.intents.keys());
  const records = new WeakMap<PreparedMessage, MessageRecord>();
  const findEntities = createEntityFinder(playbook.entities);
  const entitiesIn = createTextFinder(playbook.entities);
  const parts = createParts(playbook, classifier);

  function recordOf(message: PreparedMessage): MessageRecord {
    let record = records.get(message);
    if (record === undefined) {
      record = {};
      records.set(message, record);
    }
    return record;
  }

  /** Reads a message by itself, and then as a part of its conversation. */
  function read(message: PreparedMessage): Assessment {
    const { prepared } = message;
    const { vector } = recordOf(message);
    // A complaint about silence is none about an answer that there never was.
    const rest = wasAnswered(message.history) ? undefined : withoutUnanswered(prepared.text);
    const own = rest === undefined ? assessText(prepared, vector) : assessUnanswered(prepared, rest, vector);
    const turns = assessor.turnsOf(message);
    const last = turns.at(-1);
    if (last === undefined) return own;
    const completed = completeWish(prepared.text, own, turns, {
      playbook,
      entitiesIn,
      assessText: (text: string) => assessText({ ...prepared, text, automatic: false }),
      hasPhrase: parts.hasPhrase,
      leastConfidence: (intent) => own.thresholds.get(intent) ?? LEAST_CONFIDENCE,
    });
    if (completed !== undefined) return completed;
    if (own.automatic !== false || last.outcome === 'other') return own;
    const said = saysUnhelpful(rest ?? prepared.text);
    if (said === undefined || (said === 'part' && own.kind === 'spam')) return own;
    // A mere `no` raises no concern, whatever the model makes of it.
    const calm = said === 'whole' && !parts.hasPhrase(prepared.text);
    const raised = calm ? { concerns: [], sureConcerns: [] } : {};
    const reasons = [...new Set([...own.reasons, 'not_resolved' as const])];
    return { ...own, ...raised, kind: 'wish', reasons };
  }

  /** Reads the message of a customer who was never answered and says so. `rest` is what it says beside that. */
  function assessUnanswered(
    prepared: PreparedMessage['prepared'],
    rest: string,
    vector: TextVector | undefined,
  ): Assessment {
    const own = assessText(prepared, vector);
    if (rest === '' && !parts.hasPhrase(prepared.text)) {
      return { ...own, kind: 'wish', concerns: [], sureConcerns: [], reasons: ['needs_person'] };
    }
    if (!own.reasons.includes('not_resolved')) return own;
    if (assessText({ ...prepared, text: rest }).reasons.includes('not_resolved')) return own;
    return { ...own, reasons: own.reasons.filter((reason) => reason !== 'not_resolved') };
  }

  function assessText(prepared: PreparedMessage['prepared'], vector?: TextVector): Assessment {
    const analysis = analyze(prepared, parts, vector);
    const wishes = findWishes(prepared.text, analysis, classifier.rank, known);
    // The parts of a text have no vectors: their confidences are those of words.
    const usesVector = vector !== undefined && wishes.wishes.length === 1;
    return assess({
      analysis,
      automatic: prepared.automatic,
      greetingIntent,
      wishes,
      thresholds: (usesVector ? classifier.vectors?.thresholds : undefined) ?? classifier.thresholds,
      playbook,
      isBuiltIn,
    });
  }

  const assessor: Assessor = {
    playbook,
    isBuiltIn,
    hasInbox,
    findVector(message) {
      if (embed === undefined || classifier.vectors === undefined) return undefined;
      return embed(message.prepared.text, 'classifier', classifier.vectors).then((vector) => {
        if (vector !== undefined) recordOf(message).vector = vector;
        return vector !== undefined;
      });
    },
    assess(message) {
      const record = recordOf(message);
      record.assessment ??= assessor.builtIn(message);
      return record.assessment;
    },
    builtIn(message) {
      const record = recordOf(message);
      record.builtIn ??= read(message);
      return record.builtIn;
    },
    decide(message, judged, entities) {
      const found = { ...entities, ...assessor.entitiesOf(message) };
      const record = recordOf(message);
      record.assessment = judged;
      record.entities = found;
    },
    notesOf(message) {
      const record = recordOf(message);
      record.notes ??= {};
      return record.notes;
    },
    namedEntities: namedEntitiesOf(playbook),
    entitiesOf(message) {
      const record = recordOf(message);
      record.entities ??= assessor.assess(message).completion?.entities ?? findEntities(message);
      return record.entities;
    },
    entitiesIn,
    turnsOf(message) {
      const record = recordOf(message);
      record.turns ??= message.history === undefined ? [] : turnsOf(message.history);
      return record.turns;
    },
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
    concernsOf(message, { concerns: others = [] }) {
      const own = assessor.assess(message).concerns;
      return concerns.filter((concern) => own.includes(concern) || others.includes(concern));
    },
    leastConfidence(message, name, byModel = false) {
      const { modelThreshold = playbook.modelThreshold, threshold } = assessor.intentOf(name);
      if (byModel) return modelThreshold;
      return threshold ?? assessor.assess(message).thresholds.get(name) ?? LEAST_CONFIDENCE;
    },
    answersTo(input, language) {
      const record = recordOf(input.message);
      record.answers = makeAnswers(input, language, assessor, record.answers);
      return record.answers.answers;
    },
    replyLanguage: (message) => replyLanguage(playbook, message),
    modelLanguage(message) {
      const { language } = message.prepared;
      const isAgreed = assessor.assess(message).language === language;
      return playbook.company.anyLanguage && isAgreed ? language : undefined;
    },
  };
  return assessor;
}

function namedEntitiesOf({ entities, intents }: Playbook): readonly PlaybookEntity[] {
  const required = new Set([...intents.values()].flatMap((one) => one.required.map(({ entity }) => entity)));
  const own = new Set(entities.map(({ name }) => name));
  return [...entities, ...builtInEntities.filter(({ name }) => required.has(name) && !own.has(name))];
}

/** What reads texts by a playbook: its phrases, and what is harmless in it. */
function createParts(
  { concerns: stated, company, intents }: Playbook,
  classifier: IntentClassifier,
): AnalyzerParts & { hasPhrase(text: string): boolean } {
  const own = concerns.flatMap((concern) => stated[concern].phrases.map((text) => ({ concern, text })));
  const findPhrases = createPhraseFinder(own);
  let judge: Judge | undefined;
  // What an intent that is answered has as examples is ordinary.
  const harmless = [
    ...concerns.flatMap((concern) => stated[concern].harmless),
    ...[...intents.values()].flatMap(({ handover, examples }) => (handover ? [] : examples)),
  ];
  return {
    judge: (text, language) => {
      judge ??= createJudge(learnHarmless(harmless, classifier.harmless));
      return judge(text, language);
    },
    findPhrases,
    rank: classifier.rank,
    languages: company.languages,
    hasPhrase: (text) => findPhrases(readText(text), company.languages).size > 0,
  };
}
