import type { ConfidenceModel } from '../../lib/learning/confidence.ts';

/** How good a model is on texts that it was not trained on. Shares are from 0 to 1. */
export interface ModelFigures {
  readonly accuracy: number;
  readonly macroF1: number;
  /** The expected calibration error. */
  readonly calibrationError: number;
  readonly perIntent: readonly IntentFigures[];
}

/** The figures of one intent. */
export interface IntentFigures {
  readonly intent: string;
  /** The number of different messages. */
  readonly examples: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** The suggested least confidence for an answer. */
  readonly threshold: number;
}

/** How a model was trained. */
export interface TrainingRecord {
  readonly examples: number;
  readonly folds: number;
  readonly epochs: number;
  readonly seed: number;
}

/** The weights as they are stored. */
export interface StoredWeights {
  /** The bucket of each row, ascending. */
  readonly buckets: Uint32Array;
  readonly bits: 4 | 8;
  readonly largestScale: number;
  readonly scaleSteps: Uint8Array;
  /** The rows, packed. */
  readonly packed: Uint8Array;
  readonly bias: readonly number[];
  /** The buckets of the words that were seen, ascending. */
  readonly seen: Uint32Array;
}

/** A trained model. */
export interface ClassifierModel {
  /** In the order of the weights of a row. */
  readonly intents: readonly string[];
  /** True where what the built-in rules find is a feature. */
  readonly usesRules: boolean;
  readonly confidence: ConfidenceModel;
  readonly figures: ModelFigures;
  readonly training: TrainingRecord;
  readonly weights: StoredWeights;
}
