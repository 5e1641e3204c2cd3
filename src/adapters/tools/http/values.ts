import type { CallContext } from '../../../domain/message/call-context.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { membersOf } from '../../../lib/json/schema-members.ts';
import { quote } from '../../../lib/text/quote.ts';

/** What the expressions of a tool may read. */
export const toolRoots = ['input', 'customer', 'conversation', 'message', 'metadata'] as const;

/** The members of the roots that have fixed ones. */
const members: Readonly<Record<string, readonly string[]>> = {
  customer: ['id'],
  conversation: ['id'],
  message: ['text', 'subject', 'source', 'metadata'],
};

/** The values of the roots. Those about a message are null where the call serves none. */
export function valuesOf(input: JsonObject, context: CallContext): JsonObject {
  const { customerId, conversationId, source, message } = context;
  const metadata = context.metadata === null ? null : { ...context.metadata };
  return {
    input,
    customer: { id: customerId },
    conversation: { id: conversationId },
    message: { text: message?.text ?? null, subject: message?.subject ?? null, source, metadata },
    metadata,
  };
}

/** What is wrong with a path that an expression reads; undefined where nothing is known to be. */
export function referenceProblem(
  [root = '', member]: readonly string[],
  schema: JsonObject | undefined,
): string | undefined {
  if (member === undefined) return undefined;
  const known = root === 'input' ? inputMembers(schema) : members[root];
  if (known === undefined || known.includes(member)) return undefined;
  return `there is no ${quote(`${root}.${member}`)}: ${root} has ${known.join(', ') || 'no members'}`;
}

/** The members that an input may have; undefined where the schema does not say. */
function inputMembers(schema: JsonObject | undefined): readonly string[] | undefined {
  if (schema === undefined) return [];
  const known = membersOf(schema);
  return known && [...known.keys()];
}
