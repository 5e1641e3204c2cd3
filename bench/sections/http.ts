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

/** A request to the service with what the others answer beside it. */
interface Case {
  readonly name: string;
  /** `POST` of a message is answered with the message, everything else with a stored JSON of the same size. */
  readonly plain: Request;
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly name: string;
  readonly server: Server;
  readonly requests: readonly Request[];
  /** The least share of Hono's throughput. */
  readonly share?: number;
}

export const http: Section = {
  name: 'http',
  title: 'HTTP',
  async measure(quick) {
    await using raw = await startServer('node-http.ts');
    await using hono = await startServer('hono.ts');
    await using service = await startService();
    await using locked = await startService({ AUTH_ENABLED: 'true', API_KEYS: KEY });
    await using terse = await startService({ LOG_LEVEL: 'warn' });
    // New messages would evict the trace that is read.
    await using reader = await startService();
    const cases = [await messageCase({ service, locked, terse }), ...(await otherCases(reader, [raw, hono]))];
    const figures = await measureLoads(
      cases.flatMap((item) => workloadsOf(item, raw, hono)),
      loadPlan(quick),
    );
    return report(cases, figures);
  },
};

interface MessageServers {
  readonly service: Server;
  readonly locked: Server;
  readonly terse: Server;
}

/** Fills the stores of traces, and sends messages to services that are set differently. */
async function messageCase({ service, locked, terse }: MessageServers): Promise<Case> {
  const headers = { 'X-Api-Key': KEY };
  const withKey = { ...postMessage, headers };
  await sendAndExpectCompleted(locked, withKey);
  for (const server of [service, locked, terse]) await fillTraces(server, headers);
  return {
    name: '`POST /messages`',
    plain: postMessage,
    variants: [
      { name: 'the service, defaults', server: service, requests: [postMessage], share: 0.5 },
      { name: 'the service, with API keys', server: locked, requests: [withKey], share: 0.5 },
      { name: 'the service, `LOG_LEVEL=warn`', server: terse, requests: [postMessage], share: 0.55 },
      {
        name: 'the service, defaults, 500 different messages',
        server: service,
        requests: mixedMessages(500),
      },
    ],
  };
}

/** Everything else: what the service answers, the others answer as a stored JSON. */
async function otherCases(service: Server, others: readonly Server[]): Promise<Case[]> {
  await fillTraces(service);
  const { trace_id: traceId } = await sendAndExpectCompleted<TraceReply>(service, postMessage);
  const caseOf = async (name: string, request: Request, share?: number): Promise<Case> => {
    const body = await sendAndExpectCompleted(service, request);
    const path = `/stored/${name.replaceAll(/\W/g, '-')}`;
    for (const server of others) await sendJson(server, { method: 'PUT', path, body });
    const variant = { name: 'the service', server: service, requests: [request] };
    return {
      name,
      plain: { ...request, path },
      variants: [share === undefined ? variant : { ...variant, share }],
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

function workloadsOf({ name, plain, variants }: Case, raw: Server, hono: Server): LoadWorkload[] {
  return [
    { name: `${name}: \`node:http\``, server: raw, requests: [plain] },
    { name: `${name}: Hono`, server: hono, requests: [plain] },
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
    for (const [index, { share }] of variants.entries()) {
      const own = figures[next + 2 + index];
      if (own === undefined) continue;
      const checked = share === undefined ? [] : targetsOf(own, hono, share);
      rows.push([...rowOf(own, raw, hono).slice(0, -1), checked.map(targetCell).join('; ')]);
      targets.push(...checked);
    }
    next += 2 + variants.length;
  }
  const head = ['Request', ...loadColumns, 'of `node:http`', 'of Hono', 'target'];
  return {
    targets,
    blocks: [
      '64 keep-alive connections, the generator on the same machine, the log in a file. Hono is Hono with zod-openapi, which validates the same body; where the service answers something else than the message, both answer a stored JSON of the same size. The stores of traces were full (10,000) from the outset.',
      markdownTable(head, rows, ['target']),
    ],
  };
}

function rowOf(figures: LoadFigures, raw: LoadFigures, hono: LoadFigures): string[] {
  const share = (other: LoadFigures): string => decimal(medianRatio(figures.perSecond, other.perSecond), 2);
  return [...loadCells(figures), share(raw), share(hono), ''];
}

function targetsOf(figures: LoadFigures, hono: LoadFigures, share: number): TargetResult[] {
  const { name } = figures;
  const kept = figures.failures > 0 ? Number.NaN : medianRatio(figures.perSecond, hono.perSecond);
  const targets = [atLeast(`${name}, throughput`, kept, share, " of Hono's")];
  if (name.includes('POST')) {
    const latency = median(figures.p99Ms) / median(hono.p99Ms);
    targets.push(atMost(`${name}, p99`, latency, 2, " times Hono's"));
  }
  return targets;
}
