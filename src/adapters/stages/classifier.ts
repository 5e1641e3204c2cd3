import type { Classification, CustomerMessage, Decision } from '../../domain/message/message.ts';
import { analyzeMessage, analyzeText } from './analysis.ts';
import { type ClassifiedText, classifyClauses } from './rules/classify.ts';
import { weights } from './rules/cue-matcher.ts';

/**
 * Classifies a text by its words: it is split into clauses, whose concepts, with typing errors corrected, are matched
 * with the cue table. The same text always has the same result; the time grows with its length.
 */
export function classifyText(text: string): ClassifiedText {
  return classifyClauses(analyzeText(text).clauses);
}

/** True when a clause of a message asks for a person, whatever the intent of the message is. */
export function asksForHuman(message: CustomerMessage): boolean {
  return analyzeMessage(message).clauses.some(({ cues }) =>
    cues.some((cue) => cue.topic === 'human_agent' && cue.weight === weights.decisive),
  );
}

/** The classifier stage. Its data names the cues and the next likely intents. */
export function classifyMessage(message: CustomerMessage): Decision<Classification> {
  const { intent, confidence, cues, alternatives } = classifyClauses(analyzeMessage(message).clauses);
  const rounded = round(confidence);
  return {
    value: { intent, confidence: rounded },
    source: 'deterministic',
    summary: `The message is classified as ${intent} with confidence ${rounded.toFixed(2)}.`,
    data: {
      intent,
      confidence: rounded,
      cues,
      alternatives: alternatives.map((one) => ({ intent: one.intent, confidence: round(one.confidence) })),
    },
  };
}

function round(confidence: number): number {
  return Math.round(confidence * 10_000) / 10_000;
}
