import { z } from '@hono/zod-openapi';
import { findTicketIssue, type Ticket } from '../../../../domain/evaluation/tickets.ts';
import {
  type Concern,
  concerns,
  type Disposition,
  dispositions,
} from '../../../../domain/message/message.ts';
import { PLAYBOOK_INTENT } from '../../docs/intents.ts';
import { requiredText, textListSchema } from '../schemas.ts';

const oneOf = (names: readonly string[]): string => `must be one of ${names.join(', ')}`;

/** The schema of a ticket, whose expected intent is one of the playbook: `intents` are asked for each ticket. */
export function createTicketSchema(intents: () => ReadonlyMap<string, unknown>) {
  const error = (): string => oneOf([...intents().keys()]);
  const members = z.object({
    message: z
      .string({ error: requiredText })
      .max(32_768, 'must be at most 32768 characters')
      .refine((value) => value.trim() !== '', 'must not be empty')
      .openapi({ description: 'What a customer might write' }),
    expected_intent: z
      .string({ error })
      .refine((intent) => intents().has(intent), { error })
      .optional()
      .openapi({
        format: PLAYBOOK_INTENT,
        description:
          'The intent that a person assigns to it; required unless `expected_disposition` or `expected_concerns` is given, and then not evaluated when absent',
      }),
    expected_tools: textListSchema({ notAList: 'must be an array', notAText: 'must be a string' })
      .optional()
      .openapi({ description: 'Names of the tools to call; not evaluated when absent' }),
    expected_escalated: z
      .boolean()
      .optional()
      .openapi({ description: 'Whether it must be escalated to a person; not evaluated when absent' }),
    expected_disposition: z
      .enum(dispositions, { error: oneOf(dispositions) })
      .optional()
      .openapi({ description: 'What must happen with the reply; not evaluated when absent' }),
    expected_concerns: z
      .array(z.enum(concerns, { error: oneOf(concerns) }), {
        error: 'must be an array',
      })
      .max(concerns.length, `must contain at most ${concerns.length} concerns`)
      .optional()
      .openapi({ description: 'The concerns to find, none for an empty list; not evaluated when absent' }),
  });

  return members
    .superRefine((ticket, context) => {
      const issue = findTicketIssue(expectationsOf(ticket));
      if (issue === undefined) return;
      context.addIssue({ code: 'custom', path: [`expected_${issue.expected}`], message: issue.message });
    })
    .openapi('Ticket');
}

/** What a ticket expects, on the wire. */
interface TicketExpectations {
  readonly expected_intent?: string | undefined;
  readonly expected_tools?: readonly string[] | undefined;
  readonly expected_escalated?: boolean | undefined;
  readonly expected_disposition?: Disposition | undefined;
  readonly expected_concerns?: readonly Concern[] | undefined;
}

/** The expectations of a ticket of a request. */
export function expectationsOf(ticket: TicketExpectations): Omit<Ticket, 'message'> {
  return {
    expectedIntent: ticket.expected_intent,
    expectedTools: ticket.expected_tools,
    expectedEscalated: ticket.expected_escalated,
    expectedDisposition: ticket.expected_disposition,
    expectedConcerns: ticket.expected_concerns,
  };
}
