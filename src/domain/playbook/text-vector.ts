/** Vectors can be compared only where one embedding model made them. */
export interface VectorSpace {
  /** The name by which the provider answers. */
  readonly model: string;
  readonly dimensions: number;
}

/** What a text means, as an embedding model tells it. */
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
