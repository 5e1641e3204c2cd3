import { createRoute, z } from '@hono/zod-openapi';
import type { Evaluation, EvaluationRequest } from '../../../application/evaluation/evaluate.ts';
import { intents } from '../../../domain/message/message.ts';
import { evaluationExample, evaluationRequestExample } from '../docs/examples-agents.ts';
import { errorResponses, jsonContent, requiredText, textListSchema } from './schemas.ts';

const MAX_TICKETS = 5_000;

const integer = { error: 'must be a whole number' };

const ticketSchema = z
  .object({
    message: z
      .string({ error: requiredText })
      .max(32_768, 'must be at most 32768 characters')
      .refine((value) => value.trim() !== '', 'must not be empty')
      .openapi({ description: 'What a customer might write' }),
    expected_intent: z
      .enum(intents, { error: `must be one of ${intents.join(', ')}` })
      .openapi({ description: 'What a person reads in it' }),
    expected_tools: textListSchema({ noList: 'must be an array', noText: 'must be a string' })
      .optional()
      .openapi({ description: 'Names of the tools to call; not judged when absent' }),
    expected_escalated: z
      .boolean()
      .optional()
      .openapi({ description: 'Whether a person has to see it; not judged when absent' }),
  })
  .openapi('Ticket');

const requestSchema = z
  .object({
    tickets: z
      .array(ticketSchema, { error: 'must be an array of tickets' })
      .min(1, 'must hold at least 1 ticket')
      .max(MAX_TICKETS, `must hold at most ${MAX_TICKETS} tickets`)
      .optional()
      .openapi({ description: 'Tickets of your own; without them, synthetic ones are made' }),
    seed: z.int(integer).default(0).openapi({ description: 'The same seed makes the same tickets' }),
    size: z
      .int(integer)
      .min(1, 'must be at least 1')
      .max(MAX_TICKETS, `must be at most ${MAX_TICKETS}`)
      .default(200)
      .openapi({ description: 'How many synthetic tickets to make' }),
  })
  .openapi('EvaluationRequest');

const share = z.number().min(0).max(1);

const evaluationSchema = z
  .object({
    status: z.literal('completed').describe('An evaluation is answered when it has ended'),
    dataset: z
      .object({ name: z.string(), size: z.number().int(), seed: z.number().int().nullable() })
      .describe('`synthetic` with its seed, or `request` without one'),
    total_tickets: z.number().int().describe('How many tickets were judged'),
    classification_accuracy: share.describe('Share of right intents'),
    macro_f1: share.describe('Mean of F1 over the intents'),
    tool_selection_accuracy: share.nullable().describe('Share of right tools; null where none were expected'),
    escalation_accuracy: share
      .nullable()
      .describe('Share of right escalations; null where none were expected'),
    escalation_rate: share.describe('Share handed to a person'),
    failure_rate: share.describe('Share on which a stage failed'),
    average_latency_ms: z.number().describe('Mean milliseconds for a ticket'),
    p95_latency_ms: z.number().describe('Milliseconds within which 95 of 100 tickets were done'),
    calibration_error: share.describe('Mean distance between confidence and accuracy'),
    per_intent: z
      .record(z.string(), z.object({ precision: share, recall: share, f1: share, support: z.number().int() }))
      .describe('Scores by intent; `support` is how many tickets expected it'),
    confusion: z
      .record(z.string(), z.record(z.string(), z.number().int()))
      .describe('How many tickets of each expected intent were read as which'),
    misclassified: z
      .array(
        z.object({ message: z.string(), expected: z.string(), predicted: z.string(), confidence: share }),
      )
      .describe('The first 20 tickets with a wrong intent'),
    thresholds: z
      .array(z.object({ threshold: share, coverage: share, error_rate: share, escalation_rate: share }))
      .describe(
        'What the threshold of the verifier would mean, in steps of 0.05: the share answered, the share of that which is wrong, and the share handed to a person',
      ),
  })
  .openapi('Evaluation');

export const evaluationRoute = createRoute({
  method: 'post',
  path: '/evaluation',
  operationId: 'evaluate',
  tags: ['Evaluation'],
  summary: 'Judge the stages by tickets with known answers',
  description:
    'Runs the same stages that serve messages; stores no traces and moves no metrics. One evaluation runs at a time, a few wait, more are answered 503.',
  request: {
    body: { ...jsonContent(requestSchema, 'Which tickets', evaluationRequestExample), required: false },
  },
  responses: {
    200: jsonContent(evaluationSchema, 'The scores', evaluationExample),
    ...errorResponses(400, 413, 415, 422, 503),
  },
});

/** An evaluation as the core wants it. */
export function toEvaluationRequest(request: z.output<typeof requestSchema>): EvaluationRequest {
  if (request.tickets === undefined) return { seed: request.seed, size: request.size };
  const tickets = request.tickets.map((ticket) => ({
    message: ticket.message,
    expectedIntent: ticket.expected_intent,
    expectedTools: ticket.expected_tools,
    expectedEscalated: ticket.expected_escalated,
  }));
  return { tickets };
}

/** An evaluation in its wire form. */
export function toWireEvaluation({ dataset, scores }: Evaluation): z.input<typeof evaluationSchema> {
  return {
    status: 'completed',
    dataset,
    total_tickets: scores.totalTickets,
    classification_accuracy: scores.classificationAccuracy,
    macro_f1: scores.macroF1,
    tool_selection_accuracy: scores.toolSelectionAccuracy,
    escalation_accuracy: scores.escalationAccuracy,
    escalation_rate: scores.escalationRate,
    failure_rate: scores.failureRate,
    average_latency_ms: scores.averageLatencyMs,
    p95_latency_ms: scores.p95LatencyMs,
    calibration_error: scores.calibrationError,
    per_intent: Object.fromEntries(scores.perIntent),
    confusion: Object.fromEntries(
      scores.confusion.map(([expected, row]) => [expected, Object.fromEntries(row)]),
    ),
    misclassified: scores.misclassified.map(({ ticket, predicted, confidence }) => ({
      message: ticket.message,
      expected: ticket.expectedIntent,
      predicted,
      confidence,
    })),
    thresholds: scores.thresholds.map(({ threshold, coverage, errorRate, escalationRate }) => ({
      threshold,
      coverage,
      error_rate: errorRate,
      escalation_rate: escalationRate,
    })),
  };
}
