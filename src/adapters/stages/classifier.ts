import type { Classification, CustomerMessage, Decision } from '../../domain/message/message.ts';
import { readMessage, readText } from './reading.ts';
import { type Classified, classifyClauses } from './rules/classify.ts';
import { weights } from './rules/tables.ts';

/**
 * Classifies a message by its words: clauses are read as concepts, typing errors and inflections allowed for, and
 * weighed by the cue table. The same message always gives the same answer; time grows with its length.
 */
export function classifyText(message: string): Classified {
  return classifyClauses(readText(message).wishes);
}

/** True when some clause of a message asks for a person, whatever else the message is about. */
export function asksForHuman(message: CustomerMessage): boolean {
  return readMessage(message).wishes.some(({ cues }) =>
    cues.some((cue) => cue.topic === 'human_agent' && cue.weight === weights.decisive),
  );
}

/** The classifier's stage: its account names the cues and the next likely intents. */
export function decideIntent(message: CustomerMessage): Decision<Classification> {
  const { intent, confidence, cues: found, alternatives } = classifyClauses(readMessage(message).wishes);
  const rounded = round(confidence);
  return {
    value: { intent, confidence: rounded },
    source: 'deterministic',
    summary: `The message is read as ${intent} with confidence ${rounded.toFixed(2)}.`,
    data: {
      intent,
      confidence: rounded,
      cues: found,
      alternatives: alternatives.map((one) => ({ intent: one.intent, confidence: round(one.confidence) })),
    },
  };
}

function round(confidence: number): number {
  return Math.round(confidence * 10_000) / 10_000;
}
