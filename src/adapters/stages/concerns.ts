import type { CustomerMessage } from '../../domain/message/message.ts';
import { readMessage } from './reading.ts';
import { type Concern, concerns } from './rules/concern-cues.ts';

export { type Concern, concerns };

/**
 * The concerns that a message raises, the gravest first. Refusing counts too (`I do not want to sue you, but …`): a
 * person shall see it. Time grows with the length of the message.
 */
export function findConcerns(message: CustomerMessage): readonly Concern[] {
  const raised = readMessage(message).concerns;
  if (raised.length === 0) return [];
  return concerns.filter((concern) => raised.some((cue) => cue.topic === concern));
}
