import { readFileSync } from 'node:fs';
import type { IntentClassifier, RankedIntent } from '../../domain/playbook/intent-classifier.ts';
import { itemAt } from '../../lib/array.ts';
import { toConfidences } from '../../lib/learning/confidence.ts';
import type { ClassifierModel, ModelFigures } from './model.ts';
import { decodeModelFile, ModelFileError } from './model-file.ts';
import { type RankByRules, ruleFeatures } from './rule-features.ts';
import { createScorer } from './scorer.ts';

/** A classifier from a model file. */
export interface TrainedClassifier {
  readonly classifier: IntentClassifier;
  /** The intents that it tells apart. */
  readonly intents: readonly string[];
  /** How good it was on texts that it was not trained on. */
  readonly figures: ModelFigures;
  /** The hash of the model, as `sha256:…`. */
  readonly hash: string;
}

/**
 * Loads a model that `orchestration-service train` wrote, from a file or from its bytes. The file is checked at once;
 * the weights are decoded for the first text. Models whose intents are all built-in need `rankByRules`. Throws a
 * {@link ModelFileError} that names the file where it cannot be used.
 */
export function loadTrainedClassifier(
  source: string | Uint8Array,
  rankByRules?: RankByRules,
): TrainedClassifier {
  const name = typeof source === 'string' ? source : 'the model';
  const { model, hash } = decodeModelFile(typeof source === 'string' ? readModelFile(source) : source, name);
  if (model.usesRules && rankByRules === undefined) {
    throw new ModelFileError(`${name}: needs what the built-in rules find in a text, and none are given`);
  }
  return {
    classifier: createTrainedClassifier(model, rankByRules),
    intents: model.intents,
    figures: model.figures,
    hash,
  };
}

function readModelFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new ModelFileError(`${path}: ${reason}`, { cause });
  }
}

function createTrainedClassifier(
  { intents, usesRules, confidence, figures, weights }: ClassifierModel,
  rankByRules: RankByRules | undefined,
): IntentClassifier {
  let score: ReturnType<typeof createScorer> | undefined;
  return {
    thresholds: new Map(figures.perIntent.map(({ intent, threshold }) => [intent, threshold])),
    rank(text) {
      score ??= createScorer(weights);
      const extras = usesRules && rankByRules !== undefined ? ruleFeatures(rankByRules(text)) : [];
      const { scores, unknown } = score(text, extras);
      toConfidences(scores, unknown, confidence);
      return Array.from(descending(scores), (at): RankedIntent => {
        return { intent: itemAt(intents, at), confidence: Number(scores[at]) };
      });
    },
  };
}

/** The places of numbers, the largest first. Insertion: for some hundred numbers it is faster than a sort. */
function descending(numbers: Float64Array): Uint32Array {
  const order = new Uint32Array(numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    let place = at;
    for (; place > 0 && Number(numbers[Number(order[place - 1])]) < Number(numbers[at]); place--) {
      order[place] = Number(order[place - 1]);
    }
    order[place] = at;
  }
  return order;
}
