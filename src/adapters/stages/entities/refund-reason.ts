import { createPhraseIndex } from '../../../lib/text/phrase-index.ts';
import { readLexicon } from '../../shared/reading/model-files.ts';

let findReason: ReturnType<typeof createPhraseIndex> | undefined;

/** The first reason for a refund that a text gives: one of `models/refund-reasons.txt`, read for the first text. */
export function findRefundReason(text: string): string | undefined {
  findReason ??= createPhraseIndex(readLexicon('refund-reasons.txt'));
  return findReason(text);
}
