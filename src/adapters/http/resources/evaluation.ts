import { z } from '@hono/zod-openapi';
import type { Evaluation, EvaluationRequest } from '../../../application/evaluation/evaluate.ts';
import type { Scores } from '../../../domain/evaluation/scores.ts';
import { findTicketIssue, isClassified, isCorrect, mistakesOf } from '../../../domain/evaluation/tickets.ts';
import { concerns, dispositions } from '../../../domain/message/message.ts';
import { handedOverIn } from '../../../domain/playbook/playbook.ts';
import { PLAYBOOK_INTENT } from '../docs/openapi.ts';
import { actionRoute, answer } from '../docs/routes.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { count, requiredText, text, textListSchema } from './schemas.ts';
import { fromWire, toWire } from './wire.ts';

/** `POST /evaluation`. */
export function evaluationResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  const evaluateRoute = createEvaluateRoute(() => orchestrator.playbook.intents);
  return app.openapi(endpoint(evaluateRoute), async (c) => {
    const request = c.req.valid('json');
    const evaluation = await orchestrator.evaluation.run(toEvaluationRequest(request));
    return jsonResponse(c, toEvaluationResponse(evaluation, request.misclassified_limit), 200);
  });
}

/** The body of the response. `limit` is the most tickets in each of its lists. */
export function toEvaluationResponse(
  { dataset, scores, judged, playbook }: Evaluation,
  limit: number = DEFAULT_MISCLASSIFIED,
): z.input<typeof evaluationSchema> {
  const handedOver = handedOverIn(playbook.intents);
  const misclassified = judged.filter(isClassified).filter((one) => !isCorrect(one));
  const needless = judged.filter((one) => mistakesOf(one, handedOver).needless);
  return {
    status: 'completed',
    dataset,
    ...toScores(scores),
    misclassified: misclassified.slice(0, limit).map(({ ticket, predicted, confidence }) => ({
      message: ticket.message,
      expected: ticket.expectedIntent,
      predicted,
      confidence,
    })),
    needless: needless.slice(0, limit).map(({ ticket, predicted, confidence, reasons }) => ({
      message: ticket.message,
      expected: ticket.expectedIntent ?? null,
      predicted,
      confidence,
      reasons: [...reasons],
    })),
  };
}

const MAX_TICKETS = 5_000;

const integer = { error: 'must be an integer' };

const DEFAULT_SEED = 0;
const DEFAULT_SIZE = 200;

const DEFAULT_MISCLASSIFIED = 20;
const MAX_MISCLASSIFIED = 1_000;

/** The members that say which tickets to evaluate: beside `dataset_id` none of the others. */
const otherSources = ['tickets', 'seed', 'size'] as const;

function createRequestSchema(intents: () => ReadonlyMap<string, unknown>) {
  const members = z.object({
    tickets: z
      .array(createTicketSchema(intents), { error: 'must be an array of tickets' })
      .min(1, 'must contain at least 1 ticket')
      .max(MAX_TICKETS, `must contain at most ${MAX_TICKETS} tickets`)
      .optional()
      .openapi({ description: 'Tickets to evaluate; without them, synthetic tickets are generated' }),
    dataset_id: text(128)
      .optional()
      .openapi({
        description: `The dataset whose accepted examples to evaluate, at most the newest ${MAX_TICKETS}; not together with \`tickets\`, \`seed\` or \`size\``,
      }),
    seed: z
      .int(integer)
      .optional()
      .openapi({ description: 'The same seed generates the same tickets', default: DEFAULT_SEED }),
    size: z
      .int(integer)
      .min(1, 'must be at least 1')
      .max(MAX_TICKETS, `must be at most ${MAX_TICKETS}`)
      .optional()
      .openapi({ description: 'Number of synthetic tickets to generate', default: DEFAULT_SIZE }),
    misclassified_limit: z
      .int(integer)
      .min(0, 'must be at least 0')
      .max(MAX_MISCLASSIFIED, `must be at most ${MAX_MISCLASSIFIED}`)
      .optional()
      .openapi({
        description: 'The most tickets in each of `misclassified` and `needless`',
        default: DEFAULT_MISCLASSIFIED,
      }),
  });
  return members
    .superRefine((request, context) => {
      if (request.dataset_id === undefined) return;
      for (const name of otherSources) {
        if (request[name] === undefined) continue;
        context.addIssue({ code: 'custom', path: [name], message: 'must not be given with dataset_id' });
      }
    })
    .openapi('EvaluationRequest');
}

type RequestSchema = ReturnType<typeof createRequestSchema>;

const oneOf = (names: readonly string[]): string => `must be one of ${names.join(', ')}`;

/** The schema of a ticket, whose expected intent is one of the playbook: `intents` are asked for each ticket. */
function createTicketSchema(intents: () => ReadonlyMap<string, unknown>) {
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
      const issue = findTicketIssue(fromWire(ticket));
      if (issue === undefined) return;
      context.addIssue({ code: 'custom', path: [`expected_${issue.expected}`], message: issue.message });
    })
    .openapi('Ticket');
}

const share = z.number().min(0).max(1);

const concernScoreSchema = z.object({
  recall: share.nullable(),
  precision: share.nullable(),
  support: z.number().int(),
});

const thresholdSchema = z.object({
  threshold: share,
  coverage: share,
  error_rate: share,
  escalation_rate: share,
});

const evaluationSchema = z
  .object({
    status: z.literal('completed').describe('The response is sent when the evaluation has ended'),
    dataset: z
      .object({
        name: z.string(),
        size: z.number().int(),
        seed: z.number().int().nullable(),
        description: z.string(),
      })
      .describe(
        '`synthetic` with its seed, `request` or the `dataset_id` without one, and what the tickets are',
      ),
    total_tickets: count('Number of tickets evaluated'),
    classification_accuracy: share.describe('Share of correct intents, of the tickets that expect one'),
    macro_f1: share.describe('Mean F1 over the intents'),
    tool_selection_accuracy: share
      .nullable()
      .describe('Share of correct tool selections; null when no tools were expected'),
    escalation_accuracy: share
      .nullable()
      .describe('Share of correct escalations; null when no escalations were expected'),
    escalation_rate: share.describe('Share of tickets escalated to a person'),
    escalation_reasons: z
      .record(z.string(), z.number().int())
      .describe('Number of tickets escalated for each reason; one may have several'),
    answered_wrong_rate: share.describe(
      'Share of all tickets that were answered although the intent is wrong, or although they should have been escalated or get no reply',
    ),
    failure_rate: share.describe('Share of tickets on which a stage failed'),
    average_latency_ms: z.number().describe('Mean milliseconds per ticket'),
    p95_latency_ms: z.number().describe('95th percentile of the milliseconds per ticket'),
    calibration_error: share.describe('Mean difference between confidence and accuracy'),
    calibration: z
      .array(z.object({ from: share, to: share, count: z.number().int(), accuracy: share.nullable() }))
      .describe(
        'Ten bins of confidence with the share of correct intents among their tickets, null in an empty bin',
      ),
    per_intent: z
      .record(z.string(), z.object({ precision: share, recall: share, f1: share, support: z.number().int() }))
      .describe('Scores by intent; `support` is the number of tickets that expected it'),
    confusion: z
      .record(z.string(), z.record(z.string(), z.number().int()))
      .describe('Number of tickets by expected and predicted intent'),
    concerns: z
      .object({
        recall: share.nullable(),
        precision: share.nullable(),
        per_concern: z.record(z.string(), concernScoreSchema),
      })
      .describe(
        'Over the tickets with `expected_concerns`. `recall`: of those that expect a concern, the share escalated for one. `precision`: of those escalated for a concern, the share that expect one. `per_concern`: the same by name, with the number of tickets that expect it. Null where there is nothing to divide by',
      ),
    dispositions: z
      .record(z.string(), z.record(z.string(), z.number().int()))
      .describe(
        'Number of tickets by expected and actual disposition; those without an expected one are left out',
      ),
    misclassified: z
      .array(
        z.object({ message: z.string(), expected: z.string(), predicted: z.string(), confidence: share }),
      )
      .describe('The first tickets with a wrong intent, at most `misclassified_limit`'),
    needless: z
      .array(
        z.object({
          message: z.string(),
          expected: z.string().nullable(),
          predicted: z.string(),
          confidence: share,
          reasons: z.array(z.string()),
        }),
      )
      .describe(
        'The first tickets that were escalated although they expect no person, with the reasons, at most `misclassified_limit`. A ticket that expects nothing but an intent expects no person unless the playbook hands that intent over',
      ),
    thresholds: z
      .array(thresholdSchema)
      .describe(
        'The effect of each threshold of the verifier, in steps of 0.05: `coverage` is the share that needs no person, `error_rate` the share of these that is wrong, `escalation_rate` the share escalated to a person',
      ),
  })
  .openapi('Evaluation');

function createEvaluateRoute(intents: () => ReadonlyMap<string, unknown>) {
  return actionRoute('/evaluation', {
    operationId: 'evaluate',
    tag: 'Evaluation',
    summary: 'Evaluate the stages on labeled tickets',
    description:
      'Runs the same stages as messages; stores no traces, opens no inbox items and changes no metrics. With `dataset_id`, the tickets are examples that people have made in the inbox, of which somebody has accepted each. One evaluation runs at a time, a few wait, and further ones get 503.',
    body: [createRequestSchema(intents), 'The tickets'],
    isBodyOptional: true,
    answers: { 200: answer(evaluationSchema, 'The scores') },
    errors: [404],
  });
}

function toEvaluationRequest(request: z.output<RequestSchema>): EvaluationRequest {
  const { tickets, dataset_id: datasetId, seed = DEFAULT_SEED, size = DEFAULT_SIZE } = request;
  if (datasetId !== undefined) return { datasetId };
  return tickets === undefined ? { seed, size } : { tickets: tickets.map((ticket) => fromWire(ticket)) };
}

const toThreshold = toWire(thresholdSchema);

const toScores = toWire(
  evaluationSchema.omit({ status: true, dataset: true, misclassified: true, needless: true }),
  (scores: Scores) => ({
    escalation_reasons: Object.fromEntries(scores.escalationReasons),
    per_intent: Object.fromEntries(scores.perIntent),
    confusion: toCounts(scores.confusion),
    concerns: {
      recall: scores.concerns.recall,
      precision: scores.concerns.precision,
      per_concern: Object.fromEntries(scores.concerns.perConcern),
    },
    dispositions: toCounts(scores.dispositions),
    thresholds: scores.thresholds.map(toThreshold),
  }),
);

function toCounts(
  rows: readonly (readonly [string, readonly (readonly [string, number])[]])[],
): Record<string, Record<string, number>> {
  return Object.fromEntries(rows.map(([expected, row]) => [expected, Object.fromEntries(row)]));
}
