import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Datasets } from '../../../../application/datasets/datasets.ts';
import { type ExampleStatus, exampleStatuses } from '../../../../domain/inbox/example.ts';
import type { Logger } from '../../../../ports/logger.ts';
import {
  datasetsExample,
  decidedExampleExample,
  examplesCsvExample,
  examplesExample,
} from '../../docs/examples-people.ts';
import { linkHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import type { AppEnv } from '../../env.ts';
import { streamCursorPage } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { qualityOf } from '../../parse-headers.ts';
import { createResponse, type JsonResponse, jsonResponse } from '../../response.ts';
import { streamedBody } from '../../streamed-body.ts';
import { cursorPageSchema, cursorQuerySchema, toCursorRequest } from '../listing/cursor.ts';
import {
  datasetParams,
  datasetSchema,
  decideRequestSchema,
  exampleParams,
  exampleSchema,
  toExampleResponse,
} from './example-schemas.ts';
import { examplesCsv } from './examples-csv.ts';

const listDatasetsRoute = createRoute({
  method: 'get',
  path: '/datasets',
  operationId: 'listDatasets',
  tags: ['Datasets'],
  summary: 'List the datasets',
  description: 'The dataset `inbox` has the examples that decisions in the inbox have given.',
  responses: {
    200: jsonContent(
      z.object({ datasets: z.array(datasetSchema) }),
      'The datasets, with the numbers of their examples',
      datasetsExample,
    ),
    ...errorResponses(503),
  },
});

const pageSchema = cursorPageSchema('examples', exampleSchema);

/** A page of examples for the typed client. */
type ExamplesResponse = JsonResponse<z.input<typeof pageSchema>, 200>;

const querySchema = z.object({
  status: z
    .enum(exampleStatuses, {
      error: ({ input }) =>
        Array.isArray(input) ? 'must be given once' : `must be one of ${exampleStatuses.join(', ')}`,
    })
    .optional()
    .openapi({ param: { description: 'Only examples with this status' }, example: 'proposed' }),
  ...cursorQuerySchema.shape,
});

const listExamplesRoute = createRoute({
  method: 'get',
  path: '/datasets/{id}/examples',
  operationId: 'listExamples',
  tags: ['Datasets'],
  summary: 'List the examples of a dataset, oldest first, or export them',
  description:
    'With `Accept: text/csv` all examples are sent in one file, as `orchestration-service train` reads it: those with the `status`, and the accepted ones where none is named. `limit` and `cursor` do not count then. A message that begins like a formula of a spreadsheet has an apostrophe before it, and is cut after 32,768 characters.',
  request: { params: datasetParams, query: querySchema },
  responses: {
    200: {
      ...jsonContent(pageSchema, 'A page of examples', examplesExample),
      headers: linkHeaders,
    },
    ...errorResponses(404, 422, 503),
  },
});

/** The second form of the response, which the typed client does not know. */
const csvDocs = {
  200: {
    ...listExamplesRoute.responses[200],
    description: 'A page of examples, or all of them as CSV',
    content: {
      ...listExamplesRoute.responses[200].content,
      'text/csv': { schema: z.string(), example: examplesCsvExample },
    },
  },
};

const decideRequest = {
  params: exampleParams,
  body: { ...jsonContent(decideRequestSchema, 'Who', { by: 'tom' }), required: false },
};

const acceptExampleRoute = createRoute({
  method: 'post',
  path: '/datasets/{id}/examples/{example_id}/accept',
  operationId: 'acceptExample',
  tags: ['Datasets'],
  summary: 'Accept an example',
  description: 'Whatever was decided about it before. Only accepted examples are evaluated and exported.',
  request: decideRequest,
  responses: {
    200: jsonContent(exampleSchema, 'The example', decidedExampleExample),
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

const rejectExampleRoute = createRoute({
  method: 'post',
  path: '/datasets/{id}/examples/{example_id}/reject',
  operationId: 'rejectExample',
  tags: ['Datasets'],
  summary: 'Reject an example',
  description: 'Whatever was decided about it before. It stays stored, and is not used.',
  request: decideRequest,
  responses: {
    200: jsonContent(exampleSchema, 'The example', { ...decidedExampleExample, status: 'rejected' }),
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

/** Who has decided, where the caller does not say. */
const API = 'api';

/** Examples that are read at a time for an export. */
const PAGE = 200;

/** The datasets and their examples, under `/datasets`. */
export function datasetsResource(
  { orchestrator, logger, maxBodyBytes }: ResolvedHttpAppOptions,
  mountPath: MountPath,
) {
  const { datasets } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
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
      const path = listExamplesRoute.path.replace('{id}', () => encodeURIComponent(id));
      return streamCursorPage(c, {
        name: 'examples',
        path: `${mountPath(c, listExamplesRoute.path)}${path}`,
        toItem: toExampleResponse,
        limit: page.limit,
        async list() {
          const { examples: items, nextCursor } = await datasets.examples(id, { status }, page);
          return { items, nextCursor };
        },
      });
    })
    .openapi(endpoint(acceptExampleRoute), async (c) => {
      const { id, example_id } = c.req.valid('param');
      const { by = API } = c.req.valid('json');
      const decision = { status: 'accepted', by } as const;
      return jsonResponse(c, toExampleResponse(await datasets.decide(id, example_id, decision)), 200);
    })
    .openapi(endpoint(rejectExampleRoute), async (c) => {
      const { id, example_id } = c.req.valid('param');
      const { by = API } = c.req.valid('json');
      const decision = { status: 'rejected', by } as const;
      return jsonResponse(c, toExampleResponse(await datasets.decide(id, example_id, decision)), 200);
    });
}

/** Whether a request wants CSV more than JSON. */
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
