import type { Server } from '../process/servers.ts';
import { dags } from '../workloads/dag.ts';
import {
  createRunRequest,
  fillTraces,
  mixedMessages,
  postMessage,
  routeTenSubtasks,
  sendAndExpectCompleted,
} from '../workloads/requests.ts';
import type { Request } from './raw-http.ts';
import { sendJson } from './send.ts';

/** The key that the service with authentication accepts. */
export const API_KEY = 'a-key-of-the-benchmarks';

/** A request to the service, and the request to the reference servers that it is compared with. */
export interface HttpCase {
  readonly name: string;
  /** The reference servers echo a message, and otherwise return a stored JSON of the same size. */
  readonly reference: Request;
  readonly variants: readonly HttpVariant[];
}

export interface HttpVariant {
  readonly name: string;
  readonly server: Server;
  readonly requests: readonly Request[];
  /** The minimum share of Hono's throughput. */
  readonly minShare?: number;
  /** The minimum share of the throughput of the first variant. */
  readonly minShareOfFirst?: number;
}

interface MessageServers {
  readonly service: Server;
  readonly withAuth: Server;
  readonly warnOnly: Server;
}

/** Messages to services with different settings, whose stores of traces are full. */
export async function createMessageCase({ service, withAuth, warnOnly }: MessageServers): Promise<HttpCase> {
  const headers = { 'X-Api-Key': API_KEY };
  const withKey = { ...postMessage, headers };
  await sendAndExpectCompleted(withAuth, withKey);
  for (const server of [service, withAuth, warnOnly]) await fillTraces(server, headers);
  return {
    name: '`POST /messages`',
    reference: postMessage,
    variants: [
      { name: 'the service, defaults', server: service, requests: [postMessage], minShare: 0.45 },
      { name: 'the service, with API keys', server: withAuth, requests: [withKey], minShare: 0.45 },
      { name: 'the service, `LOG_LEVEL=warn`', server: warnOnly, requests: [postMessage], minShare: 0.45 },
      {
        name: 'the service, defaults, 500 different messages',
        server: service,
        requests: mixedMessages(500),
        minShareOfFirst: 0.7,
      },
    ],
  };
}

/** All other requests: the reference servers return the response of the service as a stored JSON. */
export async function createOtherCases(service: Server, references: readonly Server[]): Promise<HttpCase[]> {
  await fillTraces(service);
  const { trace_id: traceId } = await sendAndExpectCompleted<TraceReply>(service, postMessage);
  const createCase = async (name: string, request: Request, minShare?: number): Promise<HttpCase> => {
    const body = await sendAndExpectCompleted(service, request);
    const path = `/stored/${name.replaceAll(/\W/g, '-')}`;
    for (const server of references) await sendJson(server, { method: 'PUT', path, body });
    const variant = { name: 'the service', server: service, requests: [request] };
    return {
      name,
      reference: { ...request, path },
      variants: [minShare === undefined ? variant : { ...variant, minShare }],
    };
  };
  return [
    await createCase('`GET /trace/{id}`', { method: 'GET', path: `/trace/${traceId}` }, 0.6),
    await createCase('a run of 10 layers of 10', await createRunRequest(service, dags.square)),
    await createCase('a route of 10 subtasks', routeTenSubtasks),
  ];
}

interface TraceReply {
  readonly status: string;
  readonly trace_id: string;
}
