import { z } from 'zod';
import type { EvaluationRequest } from '../../application/evaluation/evaluate.ts';
import { findTicketIssue, type Ticket } from '../../domain/evaluation/tickets.ts';
import { concerns, dispositions } from '../../domain/message/message.ts';
import { isPlainObject } from '../../lib/json/json.ts';

/** Maximum number of issues of a ticket file in one error. */
const MAX_ISSUES = 10;

/** The schema of a ticket, with the limits of `POST /messages` and the intents of the playbook. */
function createTicketSchema(intents: readonly string[]) {
  return z
    .object({
      message: z
        .string()
        .max(32_768)
        .refine((text) => text.trim() !== '', 'must not be empty'),
      expected_intent: z.enum(intents).optional(),
      expected_tools: z.array(z.string()).optional(),
      expected_escalated: z.boolean().optional(),
      expected_disposition: z.enum(dispositions).optional(),
      expected_concerns: z.array(z.enum(concerns)).optional(),
    })
    .transform((one, context): Ticket => {
      const parsed = {
        message: one.message,
        expectedIntent: one.expected_intent,
        expectedTools: one.expected_tools,
        expectedEscalated: one.expected_escalated,
        expectedDisposition: one.expected_disposition,
        expectedConcerns: one.expected_concerns,
      };
      const issue = findTicketIssue(parsed);
      if (issue !== undefined) {
        context.addIssue({ code: 'custom', path: [`expected_${issue.expected}`], message: issue.message });
      }
      return parsed;
    });
}

/**
 * Parses the text of a ticket file: a list, a body of `POST /evaluation`, or, for a name that ends with `.jsonl`, one
 * ticket a line. Throws an error with the issues.
 */
export function parseTicketFile(text: string, name: string, intents: readonly string[]): EvaluationRequest {
  const json = name.endsWith('.jsonl') ? parseLines(text) : parseJson(text);
  return checkTickets(isPlainObject(json) ? json['tickets'] : json, intents);
}

/** Checks tickets, which are objects as in a body of `POST /evaluation`. Throws an error with the issues. */
export function checkTickets(tickets: unknown, intents: readonly string[]): EvaluationRequest {
  const parsed = z.array(createTicketSchema(intents)).min(1).safeParse(tickets);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`the tickets are not valid: ${issues.slice(0, MAX_ISSUES).join('; ')}`);
  }
  return { tickets: parsed.data };
}

function parseLines(text: string): readonly unknown[] {
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }));
  return lines.flatMap(({ line, number }) => {
    if (line.trim() === '') return [];
    const value = parseJson(line, `line ${number}`);
    // Files for training, and exported datasets, name the intent `intent`.
    if (!isPlainObject(value) || 'expected_intent' in value || !('intent' in value)) return [value];
    if (isNotAccepted(value)) return [];
    const expected_escalated = value['expected_escalated'] ?? undefined;
    return [{ ...value, expected_intent: value['intent'], expected_escalated }];
  });
}

/** True for an example of an exported dataset that has not been accepted. */
function isNotAccepted({ example_id: id, status }: Readonly<Record<string, unknown>>): boolean {
  return id !== undefined && (status === 'proposed' || status === 'rejected');
}

function parseJson(text: string, place = 'the file'): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`the tickets are not valid: ${place} is not JSON`, { cause });
  }
}
