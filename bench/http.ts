/**
 * `POST /messages` and `GET /trace/{id}` beside a bare `node:http` echo and Hono with zod-openapi, all on this
 * machine, 64 connections, in interleaved rounds. `--quick` makes the rounds short.
 */
import { type LoadResult, load, type Request } from './load.ts';
import { machine } from './machine.ts';
import { type Subject, startServer, startService } from './subject.ts';
import { markdownTable, median } from './support.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 7;
const ROUND_MS = quick ? 1_500 : 4_000;
const CONNECTIONS = 64;

const message = {
  source: 'email',
  customer_id: 'bench',
  message: 'I want a refund for my broken blender, please.',
};
const post: Request = { method: 'POST', path: '/messages', body: message };

interface Candidate {
  readonly name: string;
  readonly subject: Subject;
  readonly request: Request;
}

interface Measured extends LoadResult {
  readonly cpuMicroseconds: number;
}

async function measure({ subject, request }: Candidate): Promise<Measured> {
  const before = await subject.cpuMs();
  const result = await load(subject.port, request, CONNECTIONS, ROUND_MS);
  const cpu = (await subject.cpuMs()) - before;
  const requests = result.requestsPerSecond * (ROUND_MS / 1_000);
  return { ...result, cpuMicroseconds: (cpu * 1_000) / requests };
}

/** Stores one trace and gives the other server a JSON of the same size. */
async function traceRequests(service: Subject, plain: Subject): Promise<{ trace: Request; stored: Request }> {
  const base = `http://127.0.0.1:${service.port}`;
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}/messages`, { method: 'POST', headers, body: JSON.stringify(message) });
  const path = `/trace/${answer.headers.get('x-trace-id')}`;
  const body = await (await fetch(base + path)).text();
  await fetch(`http://127.0.0.1:${plain.port}/stored`, { method: 'PUT', headers, body });
  return { trace: { method: 'GET', path }, stored: { method: 'GET', path: '/stored' } };
}

const raw = await startServer('node:http echo', 'raw.ts');
const plain = await startServer('Hono with zod-openapi', 'zod-openapi.ts');
const service = await startService('the service', {});
const lean = await startService('the service, warnings only', { LOG_LEVEL: 'warn' });
const reader = await startService('the service, for reading', {});
try {
  const { trace, stored } = await traceRequests(reader, plain);
  const candidates: readonly Candidate[] = [
    { name: 'POST, node:http echo', subject: raw, request: post },
    { name: 'POST, Hono with zod-openapi', subject: plain, request: post },
    { name: 'POST /messages', subject: service, request: post },
    { name: 'POST /messages, LOG_LEVEL=warn', subject: lean, request: post },
    { name: 'GET, Hono, JSON of the same size', subject: plain, request: stored },
    { name: 'GET /trace/{id}', subject: reader, request: trace },
  ];
  const rounds = new Map<Candidate, Measured[]>(candidates.map((candidate) => [candidate, []]));
  for (const { subject, request } of candidates) await load(subject.port, request, CONNECTIONS, 1_000);
  for (let round = 0; round < ROUNDS; round++) {
    for (const candidate of candidates) rounds.get(candidate)?.push(await measure(candidate));
  }
  const figures = candidates.map((candidate) => {
    const results = rounds.get(candidate) ?? [];
    return {
      name: candidate.name,
      perSecond: median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
      p99: median(results.map(({ p99Ms }) => p99Ms)),
      cpu: median(results.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      failures: results.reduce((sum, { failures }) => sum + failures, 0),
    };
  });
  const baseOf = (index: number) => figures[index < 4 ? 1 : 4]?.perSecond ?? 1;
  const rows = figures.map(({ name, perSecond, p99, cpu, failures }, index) => [
    name,
    perSecond.toFixed(0),
    (perSecond / (figures[0]?.perSecond ?? 1)).toFixed(2),
    (perSecond / baseOf(index)).toFixed(2),
    p99.toFixed(1),
    cpu.toFixed(0),
    String(failures),
  ]);
  const head = ['request', 'per second', 'of node:http', 'of Hono', 'p99 ms', 'CPU µs', 'failures'];
  console.log(`${machine()}\n\n${markdownTable(head, rows)}`);
} finally {
  for (const subject of [raw, plain, service, lean, reader]) await subject.stop();
}
