import type { Request } from '../support/load/raw-http.ts';
import {
  type LoadFigures,
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

const KEY = 'a-key-of-the-benchmarks';

/** The longest p99 of `POST /messages`, in multiples of Hono's. */
const MAX_P99 = 2.5;

/** A request to the service, and the request to the reference servers that it is compared with. */
interface Case {
  readonly name: string;
  /** The reference servers echo a message, and otherwise return a stored JSON of the same size. */
  readonly reference: Request;
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly name: string;
  readonly server: Server;
  readonly requests: readonly Request[];
  /** The minimum share of Hono's throughput. */
  readonly minShare?: number;
  /** The minimum share of the throughput of the first variant. */
  readonly minShareOfFirst?: number;
}

export const http: Section = {
  name: 'http',
  title: 'HTTP',
  async measure(quick) {
    await using raw = await startServer('node-http.ts');
    await using hono = await startServer('hono.ts');
    await using service = await startService();
    await using withAuth = await startService({ AUTH_ENABLED: 'true', API_KEYS: KEY });
    await using warnOnly = await startService({ LOG_LEVEL: 'warn' });
    // New messages would evict the trace that is read.
    await using reader = await startService();
    const cases = [
      await messageCase({ service, withAuth, warnOnly }),
      ...(await otherCases(reader, [raw, hono])),
    ];
    const figures = await measureLoads(
      cases.flatMap((item) => workloadsOf(item, raw, hono)),
      loadPlan(quick),
    );
    return report(cases, figures);
  },
};

interface MessageServers {
  readonly service: Server;
  readonly withAuth: Server;
  readonly warnOnly: Server;
}

/** Messages to services with different settings, whose stores of traces are full. */
async function messageCase({ service, withAuth, warnOnly }: MessageServers): Promise<Case> {
  const headers = { 'X-Api-Key': KEY };
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
async function otherCases(service: Server, others: readonly Server[]): Promise<Case[]> {
  await fillTraces(service);
  const { trace_id: traceId } = await sendAndExpectCompleted<TraceReply>(service, postMessage);
  const caseOf = async (name: string, request: Request, minShare?: number): Promise<Case> => {
    const body = await sendAndExpectCompleted(service, request);
    const path = `/stored/${name.replaceAll(/\W/g, '-')}`;
    for (const server of others) await sendJson(server, { method: 'PUT', path, body });
    const variant = { name: 'the service', server: service, requests: [request] };
    return {
      name,
      reference: { ...request, path },
      variants: [minShare === undefined ? variant : { ...variant, minShare }],
    };
  };
  return [
    await caseOf('`GET /trace/{id}`', { method: 'GET', path: `/trace/${traceId}` }, 0.6),
    await caseOf('a run of 10 layers of 10', await createRunRequest(service, dags.square)),
    await caseOf('a route of 10 subtasks', routeTenSubtasks),
  ];
}

interface TraceReply {
  readonly status: string;
  readonly trace_id: string;
}

function workloadsOf({ name, reference, variants }: Case, raw: Server, hono: Server): LoadWorkload[] {
  return [
    { name: `${name}: \`node:http\``, server: raw, requests: [reference] },
    { name: `${name}: Hono`, server: hono, requests: [reference] },
    ...variants.map((variant) => ({ ...variant, name: `${name}: ${variant.name}` })),
  ];
}

function report(cases: readonly Case[], figures: readonly LoadFigures[]): SectionResult {
  const rows: string[][] = [];
  const targets: TargetResult[] = [];
  let next = 0;
  for (const { variants } of cases) {
    const [raw, hono] = [figures[next], figures[next + 1]];
    if (raw === undefined || hono === undefined) break;
    rows.push(rowOf(raw, raw, hono), rowOf(hono, raw, hono));
    const first = figures[next + 2];
    for (const [index, variant] of variants.entries()) {
      const own = figures[next + 2 + index];
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

function rowOf(figures: LoadFigures, raw: LoadFigures, hono: LoadFigures): string[] {
  const share = (other: LoadFigures): string => decimal(medianRatio(figures.perSecond, other.perSecond), 2);
  return [...loadCells(figures), share(raw), share(hono), ''];
}

function targetsOf(
  { minShare, minShareOfFirst }: Variant,
  figures: LoadFigures,
  hono: LoadFigures,
  first: LoadFigures,
): TargetResult[] {
  const { name } = figures;
  const throughput = (other: LoadFigures): number =>
    figures.failures > 0 ? Number.NaN : medianRatio(figures.perSecond, other.perSecond);
  const targets: TargetResult[] = [];
  if (minShare !== undefined) {
    targets.push(atLeast(`${name}, throughput`, throughput(hono), minShare, " of Hono's"));
    if (name.includes('POST')) {
      const latency = median(figures.p99Ms) / median(hono.p99Ms);
      targets.push(atMost(`${name}, p99`, latency, MAX_P99, " times Hono's"));
    }
  }
  if (minShareOfFirst !== undefined) {
    targets.push(atLeast(`${name}, throughput`, throughput(first), minShareOfFirst, ' of one repeated'));
  }
  return targets;
}
