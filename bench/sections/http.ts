import {
  API_KEY,
  createMessageCase,
  createOtherCases,
  type HttpCase,
  type HttpVariant,
} from '../support/load/http-cases.ts';
import {
  type LoadSamples,
  type LoadWorkload,
  loadCells,
  loadColumns,
  loadPlan,
  measureLoads,
} from '../support/load/rounds.ts';
import { type Server, startServer, startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median, medianRatio } from '../support/report/statistics.ts';
import { decimal, markdownTable } from '../support/report/table.ts';
import { atLeast, atMost, type TargetResult, targetCell } from '../support/report/target.ts';

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
