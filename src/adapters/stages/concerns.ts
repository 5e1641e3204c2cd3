import { type Classification, type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import { assessMessage } from './assessment.ts';

/** The concerns that the classifier or the rules found: a language model can add one, never remove one. */
export function concernsOf(message: PreparedMessage, classification: Classification): readonly Concern[] {
  const own = assessMessage(message).concerns;
  const others = classification.concerns ?? [];
  return concerns.filter((concern) => own.includes(concern) || others.includes(concern));
}
