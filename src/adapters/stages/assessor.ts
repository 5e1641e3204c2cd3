import {
  type Classification,
  type Concern,
  concerns,
  type ToolOutcome,
} from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { IntentClassifier, TextVector } from '../../domain/playbook/intent-classifier.ts';
import {
  type Playbook,
  type PlaybookEntity,
  type PlaybookIntent,
  type RequiredEntity,
  replyLanguage,
  speakingPlaybook,
} from '../../domain/playbook/playbook.ts';
import { getOwn } from '../../lib/json/json.ts';
import type { EmbedMessage } from '../../ports/embedder.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { readText } from '../shared/reading/read-text.ts';
import { type AnalyzerParts, analyze, createPhraseFinder } from './analysis/analysis.ts';
import { createJudge, type Judge, learnHarmless } from './analysis/judgement.ts';
import { type Assessment, assess, findIntents } from './assessment.ts';
import { completeIntent, type Turn, turnsOf, wasAnswered } from './conversation.ts';
import { builtInEntities, createEntityFinder, createTextFinder, type Entities } from './entities.ts';
import { saysUnhelpful, withoutUnanswered } from './follow-ups.ts';
import type { ModelNotes } from './llm/ask.ts';
import { answerOf, replyValues } from './template-values.ts';

/** Reads messages for all stages by one playbook: each message once. */
export interface Assessor {
  /** As its replies are made from it: see {@link speakingPlaybook}. */
  readonly playbook: Playbook;
  /** True where the built-in model tells the intents apart, and no classifier of the company. */
  readonly isBuiltIn: boolean;
  /** True where people see drafts and what is handed over. */
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
  /** The entities of a message, and of the earlier turns whose intent it completes. */
  entitiesOf(message: PreparedMessage): Entities;
  /** The entities of a text of a conversation; `isAsked` after a question for it, when a bare number is enough. */
  entitiesIn(text: string, isAsked: boolean): Entities;
  /** The earlier turns of the conversation of a message, the oldest first. */
  turnsOf(message: PreparedMessage): readonly Turn[];
  /** The intent of a name that the classifier chose. Throws where the playbook has none of that name. */
  intentOf(name: string): PlaybookIntent;
  /**
   * The intents of a message under a classification; that of a language model has one.
   */
  intentsOf(message: PreparedMessage, classification: Classification): readonly string[];
  /** The concerns that the classifier or the rules found: a language model can add one, never remove one. */
  concernsOf(message: PreparedMessage, classification: Classification): readonly Concern[];
  /** The confidence from which on an intent of a message is answered. */
  leastConfidence(message: PreparedMessage, intent: string, byModel?: boolean): number;
  /** The texts that answer the intents of a message in a language, written once. */
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

/** The classifier of a playbook's intents. */
interface IntentReading {
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
    const completed = completeIntent(prepared.text, own, turns, {
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
    const found = findIntents(prepared.text, analysis, classifier.rank, known);
    // The parts of a text have no vectors: their confidences are those of words.
    const usesVector = vector !== undefined && found.intents.length === 1;
    return assess({
      analysis,
      automatic: prepared.automatic,
      greetingIntent,
      found,
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
    intentsOf(message, { intent }) {
      const { kind, intent: own, intents } = assessor.assess(message);
      if (kind === 'thanks' || kind === 'greeting') return [];
      return own === intent ? intents : [intent];
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

/** The parts that read texts by a playbook: its phrases, and its harmless texts. */
function createParts(
  { concerns: stated, company, intents }: Playbook,
  classifier: IntentClassifier,
): AnalyzerParts & { hasPhrase(text: string): boolean } {
  const own = concerns.flatMap((concern) => stated[concern].phrases.map((text) => ({ concern, text })));
  const findPhrases = createPhraseFinder(own);
  let judge: Judge | undefined;
  // Examples of an intent that is answered are ordinary.
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

// Answers

/**
 * The text that answers each intent of a message, in their order. Undefined where there is none: the
 * playbook has no text in the language, or a tool did not bring what the text names.
 */
type Answers = readonly (string | undefined)[];

/** The answers to a message, and what they were made from. */
interface MadeAnswers {
  readonly outcomes: readonly ToolOutcome[];
  readonly intent: string;
  readonly language: string;
  readonly answers: Answers;
}

/** The answers to a message: those that were made before, where they were made from the same. */
function makeAnswers(
  input: VerificationInput,
  language: string,
  assessor: Assessor,
  before: MadeAnswers | undefined,
): MadeAnswers {
  const { message, outcomes, classification } = input;
  const { intent } = classification;
  if (before?.outcomes === outcomes && before.intent === intent && before.language === language) {
    return before;
  }
  const intents = assessor.intentsOf(message, classification).map(assessor.intentOf);
  const answers = intents.map((one) => answerIntent(one, input, intents.length, language, assessor));
  return { outcomes, intent, language, answers };
}

function answerIntent(
  intent: PlaybookIntent,
  { message, outcomes }: VerificationInput,
  count: number,
  language: string,
  assessor: Assessor,
): string | undefined {
  const { playbook } = assessor;
  const own = count === 1 ? outcomes : outcomes.filter((outcome) => isFor(outcome, intent, assessor));
  const values = replyValues(message, assessor.entitiesOf(message), playbook.company, own);
  const missing = missingEntity(intent, message, assessor);
  if (missing !== undefined && own.length === 0) return missing.question.get(language)?.render(values);
  if (own.some(({ notFound }) => notFound === true)) {
    return intent.notFound.get(language)?.render(values) ?? playbook.texts.get(language)?.not_found;
  }
  const rendered = intent.replies.get(language)?.render(values);
  if (rendered !== undefined) return rendered;
  // An output is listed only where a company states no text: it may have members that no customer should see.
  // The built-in playbook lists what a tool in place of an example brought, as before.
  if (intent.replies.size > 0 && playbook.source !== 'built-in') return undefined;
  const answers = own.flatMap((outcome) => answerOf(outcome) ?? []);
  return answers.length > 0 ? answers.join('\n\n') : undefined;
}

/** The first thing that a message has to name for an intent and does not. */
export function missingEntity(
  { required }: PlaybookIntent,
  message: PreparedMessage,
  assessor: Assessor,
): RequiredEntity | undefined {
  if (required.length === 0) return undefined;
  const entities = assessor.entitiesOf(message);
  return required.find(({ entity }) => entities[entity] === undefined);
}

/** True for an outcome of a call that the playbook states for an intent. */
export function isFor(
  { toolName, input }: ToolOutcome,
  { tools, name }: PlaybookIntent,
  { playbook }: Assessor,
): boolean {
  if (tools.length > 0) return tools.some((tool) => tool.name === toolName);
  return toolName === playbook.articlesTool && getOwn(input, 'intent') === name;
}
