import type { Client } from '../../../src/entries/client.ts';
import type { Answered } from '../../api/answer.ts';

/** Which tickets to evaluate: a dataset of accepted examples, or synthetic ones by seed and number. */
export type Source =
  | { readonly kind: 'dataset'; readonly id: string }
  | { readonly kind: 'synthetic'; readonly size: number; readonly seed: number };

/** The most wrong and needless tickets that the service lists. */
const MAX_LISTED = 1_000;

/** The call that evaluates them. */
export const evaluate = (source: Source) => (api: Client) =>
  api.evaluation.$post({
    json: {
      ...(source.kind === 'dataset' ? { dataset_id: source.id } : { size: source.size, seed: source.seed }),
      misclassified_limit: MAX_LISTED,
    },
  });

/** The answer of an evaluation. */
export type Evaluation = Answered<ReturnType<typeof evaluate>>;

/** The words for a source. */
export function wordsOf(source: Source): string {
  return source.kind === 'dataset'
    ? `dataset ${source.id}`
    : `${source.size.toLocaleString('en')} synthetic tickets, seed ${source.seed}`;
}
