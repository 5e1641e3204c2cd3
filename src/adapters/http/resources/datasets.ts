import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Datasets } from '../../../application/datasets/datasets.ts';
import { type DatasetExample, type ExampleStatus, exampleStatuses } from '../../../domain/inbox/example.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { truncate } from '../../../lib/text/truncate.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { ExamplePage } from '../../../ports/storage/example-store.ts';
import { actionRoute, answer, getRoute, listRoute } from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import { streamCursorPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { qualityOf } from '../parse-headers.ts';
import { createResponse, type JsonResponse, jsonResponse } from '../response.ts';
import { streamedBody } from '../streamed-body.ts';
import { choiceError, cursorPageSchema, cursorQuerySchema, toCursorRequest } from './listing.ts';
import { bySchema, count, idParameter } from './schemas.ts';
import { toWire } from './wire.ts';

/** The default of `by`. */
const API = 'api';

/** Examples that are read at a time for an export. */
const PAGE = 200;

/** The datasets and their examples, under `/datasets`. */
export function datasetsResource({ orchestrator, logger, maxBodyBytes, mountPath }: ResolvedHttpAppOptions) {
  const { datasets } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  const decide = async (id: string, exampleId: string, status: 'accepted' | 'rejected', by = API) =>
    toExample(await datasets.decide(id, exampleId, { status, by }));
  return app
    .openapi(endpoint(listDatasetsRoute), async (c) => {
      const all = await datasets.list();
      const shown = all.map(({ datasetId, counts: { proposed, accepted, rejected } }) => {
        const total = proposed + accepted + rejected;
        return { dataset_id: datasetId, total, proposed, accepted, rejected };
      });
      return jsonResponse(c, { datasets: shown }, 200);
    })
    .openapi(endpoint(listExamplesRoute, { responses: csvDocs }), async (c) => {
      const { status, ...query } = c.req.valid('query');
      const { id } = c.req.valid('param');
      c.get('headers')['Vary'] = 'Accept';
      // As in `jsonResponse`.
      if (wantsCsv(c)) return (await csvResponse(c, { datasets, logger }, id, status)) as ExamplesResponse;
      const page = toCursorRequest(query);
      return streamCursorPage(c, {
        name: 'examples',
        path: routePath(c, mountPath, listExamplesRoute),
        toItem: toExample,
        limit: page.limit,
        async list() {
          const { examples: items, nextCursor } = await datasets.examples(id, { status }, page);
          return { items, nextCursor };
        },
      });
    })
    .openapi(endpoint(acceptExampleRoute), async (c) => {
      const { id, example_id } = c.req.valid('param');
      return jsonResponse(c, await decide(id, example_id, 'accepted', c.req.valid('json').by), 200);
    })
    .openapi(endpoint(rejectExampleRoute), async (c) => {
      const { id, example_id } = c.req.valid('param');
      return jsonResponse(c, await decide(id, example_id, 'rejected', c.req.valid('json').by), 200);
    });
}

/** True for a request that prefers CSV to JSON. */
function wantsCsv(c: Context<AppEnv>): boolean {
  const accept = c.req.header('accept');
  return qualityOf(accept, 'text/csv') > qualityOf(accept, 'application/json');
}

/** All examples of a status as a file. Rejects before it responds where the first of them cannot be read. */
async function csvResponse(
  c: Context<AppEnv>,
  { datasets, logger }: { readonly datasets: Datasets; readonly logger: Logger },
  id: string,
  status: ExampleStatus = 'accepted',
): Promise<Response> {
  const read = (cursor?: number) => datasets.examples(id, { status }, { limit: PAGE, cursor });
  const body = streamedBody(c, examplesCsv(await read(), read), logger);
  return createResponse(c, body, 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': 'attachment; filename="examples.csv"',
    'Cache-Control': 'no-store',
  });
}

/**
 * All examples as CSV, in chunks: those of the first page, and of the pages that `next` reads. Throws as it rejects.
 */
async function* examplesCsv(
  first: ExamplePage,
  next: (cursor: number) => Promise<ExamplePage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let text = row(columns);
  for (let page = first; ; ) {
    for (const example of page.examples) {
      text += exampleRow(example);
      if (text.length < CHUNK_LENGTH) continue;
      yield Buffer.from(text);
      text = '';
      await yieldIfDue();
    }
    if (page.nextCursor === null) break;
    page = await next(page.nextCursor);
  }
  if (text !== '') yield Buffer.from(text);
}

/** The columns of an export; the command `train` reads the first two. */
const columns = ['message', 'intent', 'expected_escalated', 'status', 'example_id'] as const;

/** Characters of CSV in a chunk: few enough that making them does not block the event loop. */
const CHUNK_LENGTH = 65_536;

/** The longest message that `train` reads, in UTF-16 units. */
const MAX_MESSAGE = 32_768;

/**
 * The start of a formula for a spreadsheet, also with the full-width signs of Asian keyboards, or in quotation marks.
 */
const formulaStart = /^"*[=+\-@＝＋－＠]|^[\t\r]/;

/**
 * A message as a cell. A spreadsheet must not run what a customer wrote as a formula: such a text begins with an
 * apostrophe, which spreadsheets show as the mark of a text.
 */
function messageCell(message: string): string {
  return truncate(formulaStart.test(message) ? `'${message}` : message, MAX_MESSAGE);
}

/** A row by RFC 4180: with quotation marks around each cell that needs them. */
function row(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\r\n`;
}

function exampleRow({ message, intent, escalated, status, exampleId }: DatasetExample): string {
  const expected = escalated === null ? '' : String(escalated);
  return row([messageCell(message), intent, expected, status, exampleId]);
}

const params = z.object({
  id: z.string().openapi({ param: { description: '`dataset_id` of the dataset' }, example: 'inbox' }),
});

const exampleParams = params.extend({ example_id: idParameter('`example_id` of the example') });

/** The schema `Dataset` of the OpenAPI document. */
const datasetSchema = z
  .object({
    dataset_id: z.string().describe('Id of the dataset'),
    total: count('All examples'),
    proposed: count('Examples about which nobody has decided'),
    accepted: count('Examples that may be used'),
    rejected: count('Examples that must not be used'),
  })
  .openapi('Dataset');

/** The schema `Example` of the OpenAPI document. */
const exampleSchema = z
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

const toExample = toWire(exampleSchema, ({ escalated }: DatasetExample) => ({
  expected_escalated: escalated,
}));

const listDatasetsRoute = getRoute('/datasets', {
  operationId: 'listDatasets',
  tag: 'Datasets',
  summary: 'List the datasets',
  description: 'The dataset `inbox` has the examples that decisions in the inbox have given.',
  answer: [
    z.object({ datasets: z.array(datasetSchema) }),
    'The datasets, with the numbers of their examples',
  ],
  errors: [503],
});

const pageSchema = cursorPageSchema('examples', exampleSchema);

/** A page of examples for the typed client. */
type ExamplesResponse = JsonResponse<z.input<typeof pageSchema>, 200>;

const listExamplesRoute = listRoute('/datasets/{id}/examples', {
  operationId: 'listExamples',
  tag: 'Datasets',
  summary: 'List the examples of a dataset, oldest first, or export them',
  description:
    'With `Accept: text/csv` all examples are sent in one file, as `orchestration-service train` reads it: those with the `status`, and the accepted ones where none is named. `limit` and `cursor` do not count then. A message that begins like a formula of a spreadsheet has an apostrophe before it, and is cut after 32,768 characters.',
  params,
  query: z.object({
    status: z
      .enum(exampleStatuses, { error: choiceError(`must be one of ${exampleStatuses.join(', ')}`) })
      .optional()
      .openapi({ param: { description: 'Only examples with this status' }, example: 'proposed' }),
    ...cursorQuerySchema.shape,
  }),
  page: [pageSchema, 'A page of examples'],
});

/** The second form of the response, which the typed client does not know. */
const csvDocs = {
  200: {
    ...listExamplesRoute.responses[200],
    description: 'A page of examples, or all of them as CSV',
    content: { ...listExamplesRoute.responses[200].content, 'text/csv': { schema: z.string() } },
  },
};

const decideRequestSchema = z
  .object({ by: bySchema.optional().openapi({ description: 'Who decides; `api` when absent' }) })
  .openapi('DecideRequest');

const acceptExampleRoute = actionRoute('/datasets/{id}/examples/{example_id}/accept', {
  operationId: 'acceptExample',
  tag: 'Datasets',
  summary: 'Accept an example',
  description: 'Whatever was decided about it before. Only accepted examples are evaluated and exported.',
  params: exampleParams,
  body: [decideRequestSchema, 'Who'],
  isBodyOptional: true,
  answers: { 200: answer(exampleSchema, 'The example') },
});

const rejectExampleRoute = actionRoute('/datasets/{id}/examples/{example_id}/reject', {
  operationId: 'rejectExample',
  tag: 'Datasets',
  summary: 'Reject an example',
  description: 'Whatever was decided about it before. It stays stored, and is not used.',
  params: exampleParams,
  body: [decideRequestSchema, 'Who'],
  isBodyOptional: true,
  answers: { 200: answer(exampleSchema, 'The example') },
});
