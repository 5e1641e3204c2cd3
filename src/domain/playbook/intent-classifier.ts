/** An intent and the probability, from 0 to 1, that it is the right one. */
export interface RankedIntent {
  readonly intent: string;
  readonly confidence: number;
  /** The words of the text that say most for it, the strongest first; absent where the classifier does not tell. */
  readonly evidence?: readonly string[] | undefined;
}

/** Tells the intents of a playbook apart. */
export interface IntentClassifier {
  /**
   * Ranks the intents for a text, the likeliest first; with `most`, only so many of the likeliest. The probabilities
   * add up to at most 1: what is missing is the probability that it is none of them. With the vector of the text,
   * which must be in the space of `vectors`, it decides too. Deterministic; the time is linear in the length of the
   * text.
   */
  rank(text: string, most?: number, vector?: TextVector): readonly RankedIntent[];
  /**
   * The least confidences for an answer that were measured for this classifier, by intent; empty where there are none.
   */
  readonly thresholds: ReadonlyMap<string, number>;
  /** The vectors that it can use; absent where it goes by words alone. */
  readonly vectors?: UsableVectors | undefined;
  /**
   * The corrections by harmless texts that were learned beside it: see `train --harmless`. Absent where nothing was.
   */
  readonly harmless?: ReadonlyMap<number, Float32Array> | undefined;
}

/** The vectors that a classifier can use, and the least confidences for an answer where it has one. */
export interface UsableVectors extends VectorSpace {
  readonly thresholds: ReadonlyMap<string, number>;
}

// Vectors

/** Vectors can be compared only where one embedding model made them. */
export interface VectorSpace {
  /** The name by which the provider answers. */
  readonly model: string;
  readonly dimensions: number;
}

/** The meaning of a text, as an embedding model tells it. */
export interface TextVector {
  readonly model: string;
  /** Of length 1. */
  readonly values: Float32Array;
}

/** Vectors of texts, all of one space. */
export interface TextVectors extends VectorSpace {
  /** The vector of a text; undefined for one that is not among them, such as a blank one. */
  of(text: string): TextVector | undefined;
}

/** True for a vector that can be compared with those of a space. */
export function isIn({ model, values }: TextVector, space: VectorSpace): boolean {
  return model === space.model && values.length === space.dimensions;
}
