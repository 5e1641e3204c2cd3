import type { IntentClassifier } from '../../../domain/playbook/intent-classifier.ts';
import type { TextVectors } from '../../../domain/playbook/text-vector.ts';
import { calibrationError } from '../../../lib/learning/calibration.ts';
import { accuracyOf, type Judged, scoreJudged } from '../figures.ts';
import type { LabeledTicket } from '../tickets/ticket.ts';

/** How a model does on tickets that it was not trained on. Shares are from 0 to 1. */
export interface TestFigures {
  /** The tickets whose intent the model knows. */
  readonly tickets: number;
  readonly accuracy: number;
  readonly macroF1: number;
  readonly calibrationError: number;
  /** The share of them whose confidence reaches the suggested threshold, and how many of these are right. */
  readonly aboveThreshold: number;
  readonly rightAboveThreshold: number;
  /** The tickets of other intents, and the share of them above a threshold: all of these would be wrong answers. */
  readonly otherTickets: number;
  readonly othersAboveThreshold: number;
}

/** Tests a model: by words, or with vectors of all tickets also by these. */
export function testModel(
  { rank, ...classifier }: IntentClassifier,
  intents: readonly string[],
  tickets: readonly LabeledTicket[],
  vectors?: TextVectors,
): TestFigures {
  const { thresholds } = vectors === undefined ? classifier : (classifier.vectors ?? classifier);
  const judged = tickets.map(({ message, intent }): Judged => {
    const [best] = rank(message, undefined, vectors?.of(message));
    const expected = intents.indexOf(intent);
    const predicted = best === undefined ? -1 : intents.indexOf(best.intent);
    return { expected, predicted, confidence: best?.confidence ?? 0, right: expected === predicted };
  });
  const reaches = ({ predicted, confidence }: Judged): boolean =>
    confidence >= (thresholds.get(intents[predicted] ?? '') ?? 1);
  const known = judged.filter(({ expected }) => expected >= 0);
  const others = judged.filter(({ expected }) => expected < 0);
  const above = known.filter(reaches);
  const scores = scoreJudged(known, intents.length);
  return {
    tickets: known.length,
    accuracy: scores.accuracy,
    macroF1: scores.macroF1,
    calibrationError: calibrationError(known),
    aboveThreshold: share(above.length, known.length),
    rightAboveThreshold: accuracyOf(above),
    otherTickets: others.length,
    othersAboveThreshold: share(others.filter(reaches).length, others.length),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
