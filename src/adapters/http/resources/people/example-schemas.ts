import { z } from '@hono/zod-openapi';
import { type DatasetExample, exampleStatuses } from '../../../../domain/inbox/example.ts';
import { idParameter } from '../schemas.ts';
import { bySchema } from './item-requests.ts';

/** The path parameter of a dataset. */
export const datasetParams = z.object({
  id: z.string().openapi({ param: { description: '`dataset_id` of the dataset' }, example: 'inbox' }),
});

/** The path parameters of an example. */
export const exampleParams = datasetParams.extend({ example_id: idParameter('`example_id` of the example') });

const count = z.number().int();

/** The schema `Dataset` of the OpenAPI document. */
export const datasetSchema = z
  .object({
    dataset_id: z.string().describe('Id of the dataset'),
    total: count.describe('All examples'),
    proposed: count.describe('Examples about which nobody has decided'),
    accepted: count.describe('Examples that may be used'),
    rejected: count.describe('Examples that must not be used'),
  })
  .openapi('Dataset');

/** The schema `Example` of the OpenAPI document. */
export const exampleSchema = z
  .object({
    example_id: z.string().describe('Id of the example: that of the inbox item that it was made from'),
    dataset_id: z.string().describe('Id of its dataset'),
    status: z.enum(exampleStatuses).describe('Only accepted examples are used'),
    message: z.string().describe('The newest text of the message, masked as in its trace'),
    intent: z.string().describe('The intent as a person sees it, else that of the service'),
    expected_escalated: z
      .boolean()
      .nullable()
      .describe('Whether a person has to see such a message; null where nobody has said'),
    trace_id: z.string().describe('The trace of the message'),
    customer_id: z.string().describe('Id of the customer'),
    created_at: z.iso.datetime().describe('When the item was resolved'),
    decided_by: z.string().nullable().describe('Who accepted or rejected it; null while it is proposed'),
    decided_at: z.iso.datetime().nullable().describe('When; null while it is proposed'),
  })
  .openapi('Example');

/** The schema `DecideRequest` of the OpenAPI document. */
export const decideRequestSchema = z
  .object({ by: bySchema.optional().openapi({ description: 'Who decides; `api` when absent' }) })
  .openapi('DecideRequest');

/** An example on the wire. */
export function toExampleResponse(example: DatasetExample): z.input<typeof exampleSchema> {
  return {
    example_id: example.exampleId,
    dataset_id: example.datasetId,
    status: example.status,
    message: example.message,
    intent: example.intent,
    expected_escalated: example.escalated,
    trace_id: example.traceId,
    customer_id: example.customerId,
    created_at: example.createdAt,
    decided_by: example.decidedBy,
    decided_at: example.decidedAt,
  };
}
