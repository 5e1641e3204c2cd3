import { concerns } from '../../../domain/message/message.ts';
import type { Corrections } from '../../../lib/learning/stored-model.ts';
import { type ReadText, vectorOf } from '../../../lib/learning/text-reader.ts';
import { readText } from '../../shared/reading/read-text.ts';
import type { Judge } from './judgement.ts';
import { signals } from './signals.ts';

/** The outputs that harmless texts correct: each concern, and any concern at all. */
const corrected = signals.flatMap((signal, at) => {
  return signal === 'concern' || concerns.some((concern) => concern === signal) ? [at] : [];
});

/** How often each text is learned from at most, and how far each time. */
const ROUNDS = 12;
const STEP = 0.25;

/** Harmless texts are to stay below this probability of a concern. */
const CALM = 0.04;

/**
 * Learns what is ordinary in a company from its harmless texts: small corrections of the weights of their features, until
 * the texts raise no concern. Words that stand in concerns of other texts too keep most of their weight. `known` are
 * corrections that were learned before.
 */
export function learnHarmless(
  texts: readonly string[],
  judgeWith: (corrections: Corrections) => Judge,
  known: Corrections = new Map(),
): Corrections {
  const corrections = new Map(Array.from(known, ([bucket, own]) => [bucket, Float32Array.from(own)]));
  let open: readonly ReadText[] = texts.map(readText).filter(({ words }) => words.length > 0);
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    const judge = judgeWith(corrections);
    open = open.filter((text) => {
      const { signals: found } = judge(text, 'en');
      const loud = corrected.filter((at) => found[signals[at] ?? 'concern'] > CALM);
      if (loud.length > 0) correct(text, loud, corrections);
      return loud.length > 0;
    });
  }
  return corrections;
}

function correct(text: ReadText, loud: readonly number[], corrections: Map<number, Float32Array>): void {
  for (const passage of [text.whole, ...text.parts]) {
    const { buckets, values } = vectorOf(text, passage);
    buckets.forEach((bucket, at) => {
      const own = corrections.get(bucket) ?? new Float32Array(signals.length);
      for (const output of loud) own[output] = Number(own[output]) - STEP * Number(values[at]);
      corrections.set(bucket, own);
    });
  }
}
