import type { TextVector, VectorSpace } from '../domain/playbook/intent-classifier.ts';
import type { ModelFailure } from './language-model.ts';

/**
 * The reason for which there is no vector. Safe to show. `other_model`: vectors came, and they are not of the space
 * that is needed.
 */
export type EmbeddingFailure = Exclude<ModelFailure, 'truncated' | 'refused'> | 'other_model';

/** The outcome of a request: a vector for each text, in the order of the texts, or the reason of the failure. */
export type Embedding =
  | { readonly status: 'success'; readonly vectors: readonly TextVector[] }
  | { readonly status: 'error'; readonly reason: EmbeddingFailure };

/** A client of an embedding model. */
export interface Embedder {
  /** The name that it asks for. The provider may answer by another one. */
  readonly model: string;
  /**
   * Requests the vectors of texts, of which none is blank, in one call. Resolves within `timeoutMs` milliseconds and
   * never rejects. The vectors of one call have one model and the same dimensions.
   */
  embed(texts: readonly string[], timeoutMs: number): Promise<Embedding>;
}

/** The purpose of a vector. */
export type EmbeddingUse = 'classifier' | 'article_search' | 'playbook';

/**
 * Requests the vector of a text of a customer: once for each text, whoever asks. Resolves within `EMBEDDING_TIMEOUT_MS`
 * and never rejects: undefined, counted and logged, where there is no vector of that space; undefined for a blank text.
 */
export type EmbedMessage = (
  text: string,
  use: EmbeddingUse,
  space: VectorSpace,
) => Promise<TextVector | undefined>;

/** Counts what was decided by words alone because there was no vector: for which use, and why. Does not throw. */
export type EmbeddingObserver = (use: string, reason: string) => void;
