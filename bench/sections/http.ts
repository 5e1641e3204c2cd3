import type { Request } from '../support/load/raw-http.ts';
import {
  type LoadSamples,
  type LoadWorkload,
  loadCells,
  loadColumns,
  loadPlan,
  measureLoads,
} from '../support/load/rounds.ts';
import { sendJson } from '../support/load/send.ts';
import { type Server, startServer, startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median, medianRatio } from '../support/report/statistics.ts';
import { decimal, markdownTable } from '../support/report/table.ts';
import { atLeast, atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import { dags } from '../support/workloads/dag.ts';
import {
  createRunRequest,
  fillTraces,
  mixedMessages,
  postMessage,
  routeTenSubtasks,
  sendAndExpectCompleted,
} from '../support/workloads/requests.ts';

/** The longest p99 of `POST /messages`, in multiples of Hono's. */
const MAX_P99 = 2.5;

export const http: Section = {
  name: 'http',
  title: 'HTTP',
  async measure(quick) {
    await using raw = await startServer('node-http.ts');
    await using hono = await startServer('hono.ts');
    await using service = await startService();
    await using withAuth = await startService({ AUTH_ENABLED: 'true', API_KEYS: API_KEY });
    await using warnOnly = await startService({ LOG_LEVEL: 'warn' });
    // New messages would evict the trace that is read.
    await using reader = await startService();
    const cases = [
      await createMessageCase({ service, withAuth, warnOnly }),
      ...(await createOtherCases(reader, [raw, hono])),
    ];
    const samples = await measureLoads(
      cases.flatMap((item) => workloadsOf(item, raw, hono)),
      loadPlan(quick),
    );
    return report(cases, samples);
  },
};

function workloadsOf({ name, reference, variants }: HttpCase, raw: Server, hono: Server): LoadWorkload[] {
  return [
    { name: `${name}: \`node:http\``, server: raw, requests: [reference] },
    { name: `${name}: Hono`, server: hono, requests: [reference] },
    ...variants.map((variant) => ({ ...variant, name: `${name}: ${variant.name}` })),
  ];
}

function report(cases: readonly HttpCase[], samples: readonly LoadSamples[]): SectionResult {
  const rows: string[][] = [];
  const targets: TargetResult[] = [];
  let next = 0;
  for (const { variants } of cases) {
    const [raw, hono] = [samples[next], samples[next + 1]];
    if (raw === undefined || hono === undefined) break;
    rows.push(rowOf(raw, raw, hono), rowOf(hono, raw, hono));
    const first = samples[next + 2];
    for (const [index, variant] of variants.entries()) {
      const own = samples[next + 2 + index];
      if (own === undefined || first === undefined) continue;
      const checked = targetsOf(variant, own, hono, first);
      rows.push([...rowOf(own, raw, hono).slice(0, -1), checked.map(targetCell).join('; ')]);
      targets.push(...checked);
    }
    next += 2 + variants.length;
  }
  const head = ['Request', ...loadColumns, 'of `node:http`', 'of Hono', 'target'];
  return {
    targets,
    blocks: [
      '64 keep-alive connections, the load generator on the same machine, the log in a file. Hono is Hono with zod-openapi, which validates the same body. Where the service returns something other than the message, the reference servers return a stored JSON of the same size. The stores of traces are full (10,000).',
      markdownTable(head, rows, ['target']),
    ],
  };
}

function rowOf(samples: LoadSamples, raw: LoadSamples, hono: LoadSamples): string[] {
  const share = (other: LoadSamples): string => decimal(medianRatio(samples.perSecond, other.perSecond), 2);
  return [...loadCells(samples), share(raw), share(hono), ''];
}

function targetsOf(
  { minShare, minShareOfFirst }: HttpVariant,
  samples: LoadSamples,
  hono: LoadSamples,
  first: LoadSamples,
): TargetResult[] {
  const { name } = samples;
  const throughput = (other: LoadSamples): number =>
    samples.failures > 0 ? Number.NaN : medianRatio(samples.perSecond, other.perSecond);
  const targets: TargetResult[] = [];
  if (minShare !== undefined) {
    targets.push(atLeast(`${name}, throughput`, throughput(hono), minShare, " of Hono's"));
    if (name.includes('POST')) {
      const latency = median(samples.p99Ms) / median(hono.p99Ms);
      targets.push(atMost(`${name}, p99`, latency, MAX_P99, " times Hono's"));
    }
  }
  if (minShareOfFirst !== undefined) {
    targets.push(atLeast(`${name}, throughput`, throughput(first), minShareOfFirst, ' of one repeated'));
  }
  return targets;
}

/** The key that the service with authentication accepts. */
const API_KEY = 'a-key-of-the-benchmarks';

/** A request to the service, and the request to the reference servers that it is compared with. */
interface HttpCase {
  readonly name: string;
  /** The reference servers echo a message, and otherwise return a stored JSON of the same size. */
  readonly reference: Request;
  readonly variants: readonly HttpVariant[];
}

interface HttpVariant {
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
async function createMessageCase({ service, withAuth, warnOnly }: MessageServers): Promise<HttpCase> {
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
async function createOtherCases(service: Server, references: readonly Server[]): Promise<HttpCase[]> {
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
