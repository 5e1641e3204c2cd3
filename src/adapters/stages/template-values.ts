import type { ToolOutcome } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { Company } from '../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Entities } from './entities/entities.ts';
import { outcomeValues } from './tool-answers.ts';

/** What the inputs of tools see: the values of `${{ … }}`. */
export function inputValues(message: PreparedMessage, entities: Entities): JsonObject {
  const { prepared, source, customerId, subject = null, conversationId = null, metadata } = message;
  return {
    entities,
    message: { text: prepared.text, subject, source, metadata: metadata ?? {} },
    customer: { id: customerId },
    conversation: { id: conversationId },
  };
}

/** What the templates of replies see: the same, the company, and what the tools brought. */
export function replyValues(
  message: PreparedMessage,
  entities: Entities,
  company: Company,
  outcomes: readonly ToolOutcome[],
): JsonObject {
  const { name, signature, contact, languages } = company;
  return {
    ...inputValues(message, entities),
    company: { name, signature, contact, languages },
    ...outcomeValues(outcomes),
  };
}
