import { intents } from '../domain/message/message.ts';
import type { IntentClassifier } from '../domain/playbook/intent-classifier.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import type { Stages } from '../ports/stages.ts';
import { combineClassifiers } from './classifier/combined.ts';
import { createExampleClassifier } from './classifier/examples/classifier.ts';
import { loadBuiltInPlaybook } from './playbook/built-in.ts';
import { type Assessor, createAssessor } from './stages/assessor.ts';
import { createStagesOf, DEFAULT_ESCALATION_THRESHOLD } from './stages/rule-based.ts';
import { builtInClassifier } from './stages/wishes/built-in.ts';

/** What the deterministic stages decide by. */
export interface RuleBasedOptions {
  /** What the company answers, and how; the built-in playbook when absent. */
  readonly playbook?: Playbook | undefined;
  /**
   * Tells the intents of the playbook apart. When absent, the built-in model does so for its intents, and their examples
   * for a company's own.
   */
  readonly classifier?: IntentClassifier | undefined;
  /** Messages with a lower confidence, from 0 to 1, are escalated; 0.45 when absent. */
  readonly escalationThreshold?: number;
  /**
   * False for a service without an inbox: then no built-in text promises a person, and what would be a draft is escalated.
   * True when absent.
   */
  readonly hasInbox?: boolean | undefined;
}

/**
 * The deterministic stages (specification, section 1): they use no network, clock or randomness, and decide the same for
 * the same message. Where the playbook is not the built-in one, give it to `defaultPorts` as `playbook` too.
 */
export function createRuleBasedStages(options: RuleBasedOptions = {}): Stages {
  return createStagesOf(
    createAssessorFor(options),
    options.escalationThreshold ?? DEFAULT_ESCALATION_THRESHOLD,
  );
}

/** Creates what reads messages by a playbook. */
export function createAssessorFor({ playbook, classifier, hasInbox = true }: RuleBasedOptions): Assessor {
  const chosen = playbook ?? loadBuiltInPlaybook();
  return createAssessor(chosen, classifier ?? classifierOf(chosen), hasInbox);
}

const builtInNames: ReadonlySet<string> = new Set(intents);

/** A classifier from the examples of a playbook; undefined where the built-in model knows all its intents. */
function classifierOf({ intents: stated }: Playbook): IntentClassifier | undefined {
  const names = [...stated.keys()];
  if (names.every((name) => builtInNames.has(name))) return undefined;
  const own = createExampleClassifier([...stated.values()]);
  return combineClassifiers(own, builtInClassifier, names);
}
