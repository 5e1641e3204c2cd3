import { type Concern, intents } from '../domain/message/message.ts';
import type { IntentClassifier, TextVectors } from '../domain/playbook/intent-classifier.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import { type StoredModel, storeCorrections } from '../lib/learning/stored-model.ts';
import type { EmbedMessage } from '../ports/embedder.ts';
import type { Stages } from '../ports/stages.ts';
import { combineClassifiers, createExampleClassifier, textsToEmbed } from './classifier/examples.ts';
import { loadTrainedClassifier } from './classifier/intent-model.ts';
import { loadBuiltInPlaybook } from './playbook/built-in.ts';
import { MODELS } from './shared/reading/model-files.ts';
import { readText } from './shared/reading/read-text.ts';
import { createJudge, learnHarmless, signals } from './stages/analysis/judgement.ts';
import { doubtOf, withDoubt } from './stages/assessment.ts';
import { type Assessor, createAssessor } from './stages/assessor.ts';
import { createStagesOf, DEFAULT_ESCALATION_THRESHOLD } from './stages/rule-based.ts';

/** The options of the deterministic stages. */
export interface RuleBasedOptions {
  /** The intents and replies of the company; the built-in playbook when absent. */
  readonly playbook?: Playbook | undefined;
  /**
   * Tells the intents of the playbook apart. When absent, the built-in model does so for its intents, and what the
   * playbook says of them for a company's own.
   */
  readonly classifier?: IntentClassifier | undefined;
  /** Messages with a lower confidence, from 0 to 1, are escalated; 0.45 when absent. */
  readonly escalationThreshold?: number;
  /**
   * False for a service without an inbox: then no built-in text promises a person, and what would be a draft is
   * escalated. True when absent.
   */
  readonly hasInbox?: boolean | undefined;
}

/**
 * The deterministic stages (specification, section 1): they use no network, clock or randomness, and decide the same
 * for the same message. Where the playbook is not the built-in one, give it to `defaultPorts` as `playbook` too.
 */
export function createRuleBasedStages(options: RuleBasedOptions = {}): Stages {
  return createStagesOf(
    createAssessorFor(options),
    options.escalationThreshold ?? DEFAULT_ESCALATION_THRESHOLD,
  );
}

/** The options of the assessor of messages. */
export interface AssessorOptions extends Omit<RuleBasedOptions, 'escalationThreshold'> {
  /** The vectors of {@link exampleTextsOf}, which are learned from where there is no classifier. */
  readonly vectors?: TextVectors | undefined;
  /** Requests the vectors of messages; undefined where there is no embedding model. */
  readonly embed?: EmbedMessage | undefined;
}

/** Creates what reads messages by a playbook. */
export function createAssessorFor(options: AssessorOptions): Assessor {
  const { playbook, classifier, vectors, embed, hasInbox = true } = options;
  const chosen = playbook ?? loadBuiltInPlaybook();
  const isBuiltIn = classifier === undefined && hasBuiltInIntents(chosen);
  const reading = classifier ?? (isBuiltIn ? shopClassifier : classifierOf(chosen, vectors));
  return createAssessor(chosen, { classifier: reading, isBuiltIn, embed }, hasInbox);
}

const builtIn: ReadonlySet<string> = new Set(intents);

function hasBuiltInIntents(playbook: Playbook): boolean {
  return [...playbook.intents.keys()].every((name) => builtIn.has(name));
}

/** The texts whose vectors {@link AssessorOptions} needs for a playbook without a trained classifier. */
export function exampleTextsOf(playbook: Playbook): readonly string[] {
  return hasBuiltInIntents(playbook) ? [] : textsToEmbed(playbook);
}

/** The intents that every playbook has: they are found by the signals of the built-in model. */
const standing: ReadonlySet<string> = new Set(['human_agent', 'spam', 'feedback']);

let shop: IntentClassifier | undefined;

/** The classifier of the built-in playbook. It is read for the first text, so that it does not delay the start. */
const shopClassifier: IntentClassifier = {
  get thresholds() {
    return loadShop().thresholds;
  },
  rank: (text, most) => loadShop().rank(text, most),
};

function loadShop(): IntentClassifier {
  shop ??= loadTrainedClassifier(new URL('shop.json', MODELS)).classifier;
  return shop;
}

/** A classifier from what a playbook says of its intents, beside the built-in one for those that it knows. */
function classifierOf(playbook: Playbook, vectors: TextVectors | undefined): IntentClassifier {
  const own = createExampleClassifier(playbook, createAnswerable(), vectors);
  const shared = [...playbook.intents.keys()].filter((name) => builtIn.has(name) && !standing.has(name));
  return shared.length === 0 ? own : combineClassifiers(own, shopClassifier, [...shared, ...standing]);
}

/** The probability that a text can be answered, from the confidence in its intent. */
export function createAnswerable(): (text: string, confidence: number) => number {
  const judge = createJudge();
  return (text, confidence) => withDoubt(confidence, doubtOf(judge(readText(text), 'und').signals, false));
}

/** The concerns that a text raises by a playbook, the built-in one when absent. */
export function createConcernFinder(playbook?: Playbook): (text: string) => readonly Concern[] {
  const assessor = createAssessorFor({ playbook, classifier: noClassifier });
  return (text) => {
    const prepared = { text, setApart: [], language: 'und', automatic: false } as const;
    return assessor.assess({ source: 'train', customerId: 'train', message: text, prepared }).concerns;
  };
}

/** A classifier for where only concerns are asked for. */
const noClassifier: IntentClassifier = { thresholds: new Map(), rank: () => [] };

/** The most bytes of what is learned from harmless tickets, in base64. */
const MAX_HARMLESS = 200 * 1024;

/** Learns texts as harmless, for a model file. */
export function learnFromTickets(texts: readonly string[]): StoredModel {
  return storeCorrections(learnHarmless(texts), signals.length, MAX_HARMLESS);
}
