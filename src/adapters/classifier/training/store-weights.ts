import type { EncodedTexts } from '../../../lib/learning/encoded-texts.ts';
import type { MultinomialWeights } from '../../../lib/learning/multinomial.ts';
import { packWeights, quantizeRows } from '../../../lib/learning/quantize-rows.ts';
import type { StoredWeights } from '../model.ts';

/** The largest model file, in bytes. */
const MAX_FILE = 1024 * 1024;

/** What a model file has beside rows and words, in bytes: for all, and for each intent beside its name. */
const FRAME = 8_192;
const FRAME_OF_INTENT = 200;

/** Rounds the weights, so that the model file has at most 1 MiB. */
export function storeWeights(
  { buckets, occurrences, seen }: EncodedTexts,
  weights: MultinomialWeights,
  intents: readonly string[],
): StoredWeights {
  const words = Uint32Array.from(new Set(seen)).sort();
  const names = intents.reduce((sum, intent) => sum + 2 * Buffer.byteLength(intent), 0);
  const frame = FRAME + intents.length * FRAME_OF_INTENT + names;
  // Base64 makes four characters of three bytes; the number of a word takes two bytes at most.
  const maxBytes = Math.floor(((MAX_FILE - frame) * 3) / 4) - 2 * words.length;
  const rows = quantizeRows(weights, occurrences, maxBytes);
  return {
    buckets: rows.kept.map((row) => Number(buckets[row])),
    bits: rows.bits,
    largestScale: rows.largestScale,
    scaleSteps: rows.scaleSteps,
    packed: packWeights(rows),
    bias: Array.from(weights.bias, (value) => Math.round(value * 1e6) / 1e6),
    seen: words,
  };
}
