import type { TextVector, TextVectors } from '../../../src/domain/playbook/intent-classifier.ts';
import { roundVector, unitVector } from '../../../src/lib/learning/dense-vector.ts';
import { fakeVector } from '../llm/fake-embeddings.ts';

/** The vector of a text by the fake embedding model. */
export function fakeTextVector(text: string, model = 'fake-embedding'): TextVector {
  return { model, values: unitVector(roundVector(fakeVector(text))) };
}

/** The vectors of all texts by the fake embedding model. */
export const fakeVectors: TextVectors = {
  model: 'fake-embedding',
  dimensions: fakeVector('').length,
  of: (text) => fakeTextVector(text),
};
