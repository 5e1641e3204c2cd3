import type { Classification, Decision } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import { roundProbability } from './analysis/limits.ts';
import type { Assessor } from './assessor.ts';
import type { Completion } from './conversation/completion.ts';

/**
 * The classifier stage: the built-in judgement. The same text always has the same result; the time grows with its
 * length. Its data names the concerns, the words that decided, and the next likely intents; and where vectors could
 * help, whether there was one.
 */
export function classifyMessage(
  message: PreparedMessage,
  assessor: Assessor,
  hasVector?: boolean,
): Decision<Classification> {
  const { intent, confidence, concerns, wishes, evidence, alternatives, completion } =
    assessor.assess(message);
  const rounded = roundProbability(confidence);
  const others = wishes.filter((wish) => wish !== intent);
  return {
    value: {
      intent,
      confidence: rounded,
      concerns,
      ...(others.length === 0 ? {} : { otherIntents: others }),
    },
    source: 'deterministic',
    summary: `The message is classified as ${intent} with confidence ${rounded.toFixed(2)}.`,
    data: {
      judge: assessor.isBuiltIn ? 'built_in' : 'classifier',
      intent,
      confidence: rounded,
      wishes: [...wishes],
      concerns: [...concerns],
      evidence: Object.fromEntries(Object.entries(evidence).map(([name, words]) => [name, [...words]])),
      alternatives: alternatives.map((one) => ({
        intent: one.intent,
        confidence: roundProbability(one.confidence),
      })),
      ...(hasVector === undefined ? {} : { vector: hasVector }),
      ...(completion === undefined ? {} : { conversation: describe(completion) }),
    },
  };
}

/** What of the conversation decided, without any words of the customer. */
function describe({ intent, named }: Completion): string {
  return `The message names ${named.join(' and ')}, which completes the earlier wish ${intent}.`;
}
