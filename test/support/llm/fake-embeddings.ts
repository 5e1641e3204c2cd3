import { createRandom } from '../../../src/lib/learning/learner.ts';
import { hashText } from '../../../src/lib/learning/text-reader.ts';
import type { ProviderReply, ProviderRequest } from './fake-provider.ts';
import { json } from './provider-replies.ts';

const DIMENSIONS = 96;

/** Words that mean the same to the fake model, though they have no letters in common. */
const meanings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    bike: ['bike', 'bicycle', 'velocipede', 'wheels'],
    lost: ['lost', 'dropped', 'mislaid', 'vanished'],
    key: ['key', 'keys', 'opener'],
    brake: ['brake', 'brakes', 'stopper'],
    open: ['open', 'hours', 'closing', 'sunday'],
    parking: ['parking', 'park', 'car', 'automobile'],
    invoice: ['invoice', 'bill', 'receipt', 'quittance'],
  }).flatMap(([meaning, words]) => words.map((word) => [word, meaning])),
);

function vectorOfWord(word: string): readonly number[] {
  const random = createRandom(hashText(meanings[word] ?? word));
  return Array.from({ length: DIMENSIONS }, () => random() - 0.5);
}

/** The vector of a text in the fake model: the sum of its words, with a part that all texts share. */
export function fakeVector(text: string, dimensions = DIMENSIONS): number[] {
  const vector = Array.from({ length: dimensions }, (_, at): number => (at === 0 ? 1 : 0));
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const weight = meanings[word] === undefined ? 0.2 : 1;
    vectorOfWord(word).forEach((value, at) => {
      if (at < dimensions) vector[at] = Number(vector[at]) + weight * value;
    });
  }
  return vector;
}

/** The replies of the fake model. */
export interface FakeEmbeddings {
  /** The name by which it answers. */
  readonly model?: string;
  readonly dimensions?: number;
}

/** The texts of a request for vectors. */
export function inputOf({ body }: ProviderRequest): readonly string[] {
  const { input } = body as { input: readonly string[] };
  return input;
}

/** A reply with the vectors of all texts, in reverse order, since the index counts. */
export function vectorsReply(
  request: ProviderRequest,
  { model = 'fake-embedding', dimensions }: FakeEmbeddings = {},
): ProviderReply {
  const data = inputOf(request).map((text, index) => ({ index, embedding: fakeVector(text, dimensions) }));
  return json({ object: 'list', model, data: data.reverse(), usage: { prompt_tokens: 1, total_tokens: 1 } });
}
