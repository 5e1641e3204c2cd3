import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { onResponses, type Request, serializeRequest } from '../load/raw-http.ts';
import { sendJson } from '../load/send.ts';
import { type Server, startService } from '../process/servers.ts';
import { memoryGrowthTarget } from '../report/memory-growth.ts';
import type { SectionResult } from '../report/section.ts';
import { quantile } from '../report/statistics.ts';
import { integer, markdownTable } from '../report/table.ts';
import { atLeast, type TargetResult } from '../report/target.ts';
import { postMessage, sendAndExpectCompleted } from '../workloads/requests.ts';

const MEBIBYTE = 1_024 * 1_024;

/** Open files of a process beside its connections, at most. */
const OTHER_FILES = 200;

/** Milliseconds until the memory of closed connections is released. */
const SETTLE_MS = 1_000;

/** For the preparing requests, so that their connections do not count against the limit of the service. */
const headers = { Connection: 'close' };

interface Round {
  /** Milliseconds until all connections were open. */
  readonly openingMs: number;
  readonly messages: BurstResult;
  readonly runs: BurstResult;
  /** Resident memory with all connections open, before the first request. */
  readonly openBytes: number;
  /** Peak resident memory up to the end of the round. */
  readonly peakBytes: number;
  /** Resident memory with all connections closed. */
  readonly afterBytes: number;
}

/** Measures one process with 10,000 open connections, each of which sends a message and then a run. */
export async function measureConnections(quick: boolean): Promise<SectionResult> {
  const count = quick ? 1_000 : 10_000;
  const files = await readMaxOpenFiles();
  if (files < count + OTHER_FILES) return notMeasured(count, files);
  await using service = await startService();
  await sendAndExpectCompleted(service, { ...postMessage, headers });
  const run = await createSmallRun(service);
  await sendAndExpectCompleted(service, { ...run, headers });
  const beforeBytes = await service.residentBytes();
  const rounds: Round[] = [];
  for (let number = 0; number < (quick ? 2 : 12); number++) {
    const startedAt = performance.now();
    using pool = await openConnections(service.port, count, number);
    const openingMs = performance.now() - startedAt;
    const openBytes = await service.residentBytes();
    const messages = await pool.send(postMessage);
    const runs = await pool.send(run);
    pool[Symbol.dispose]();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const memory = { peakBytes: await readPeakBytes(service), afterBytes: await service.residentBytes() };
    rounds.push({ openingMs, messages, runs, openBytes, ...memory });
  }
  const after = rounds.map(({ afterBytes }) => afterBytes);
  const bounded = quick ? [] : [memoryGrowthTarget(`${integer(count)} concurrent requests`, after)];
  return report(count, beforeBytes, rounds, bounded);
}

/** The limit of open files: the hard limit, to which Node raises its own. Infinity without /proc. */
async function readMaxOpenFiles(): Promise<number> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = /^Max open files +\S+ +(\d+)/m.exec(text)?.[1];
  return Number(hard ?? Number.POSITIVE_INFINITY);
}

function notMeasured(count: number, files: number): SectionResult {
  const needed = `\`ulimit -n\` must be at least ${integer(count + OTHER_FILES)} and is ${integer(files)}`;
  return {
    blocks: [`**NOT MEASURED: ${integer(count)} connections at once.** ${needed}.`],
    targets: [atLeast(`of ${integer(count)} concurrent requests, responses with 200`, Number.NaN, count)],
  };
}

/** Creates a workflow of three steps in two layers, and returns the request that runs it. */
async function createSmallRun(service: Server) {
  const steps = [
    { id: 'policy', tool_name: 'refund_policy' },
    { id: 'order', tool_name: 'refund_policy', depends_on: ['policy'] },
    { id: 'answer', tool_name: 'refund_policy', depends_on: ['policy'] },
  ];
  const body = { name: 'Small', steps };
  const { id } = await sendJson<{ id: string }>(service, {
    method: 'POST',
    path: '/workflows',
    body,
    headers,
  });
  return { method: 'POST', path: `/workflows/${id}/run`, body: {} };
}

/** Peak resident memory of a process; `NaN` without /proc. */
async function readPeakBytes({ child }: Server): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}

function report(
  count: number,
  beforeBytes: number,
  rounds: readonly Round[],
  bounded: readonly TargetResult[],
): SectionResult {
  const numbers = rounds.map((_, index) => String(index + 1));
  const row = (name: string, sample: (round: Round) => number) => [name, ...rounds.map(sample).map(integer)];
  const burstRows = (name: string, of: (round: Round) => BurstResult) => [
    row(`${name}: responses with 200`, (round) => of(round).succeeded),
    row(`${name}: all responses after, ms`, (round) => of(round).tookMs),
    row(`${name}: median, ms`, (round) => of(round).p50Ms),
    row(`${name}: p99, ms`, (round) => of(round).p99Ms),
  ];
  const targetOf = (what: string, of: (round: Round) => BurstResult) => {
    const fewest = Math.min(...rounds.map((round) => of(round).succeeded));
    return atLeast(
      `of ${integer(count)} concurrent ${what}, responses with 200 in each round`,
      fewest,
      count,
    );
  };
  return {
    targets: [
      targetOf('messages', ({ messages }) => messages),
      targetOf('runs', ({ runs }) => runs),
      ...bounded,
    ],
    blocks: [
      `${integer(count)} keep-alive connections to one process with default settings except the rate limit, all open at the same time. All send \`POST /messages\` together, then, when all have a response, a run of a workflow of three steps. The next round opens new connections. Resident memory before: ${integer(beforeBytes / MEBIBYTE)} MiB.`,
      markdownTable(
        ['Round', ...numbers],
        [
          row('all connections opened in, ms', ({ openingMs }) => openingMs),
          ...burstRows('messages', ({ messages }) => messages),
          ...burstRows('runs', ({ runs }) => runs),
          row('resident, connections open, MiB', ({ openBytes }) => openBytes / MEBIBYTE),
          row('peak so far, MiB', ({ peakBytes }) => peakBytes / MEBIBYTE),
          row('resident, connections closed, MiB', ({ afterBytes }) => afterBytes / MEBIBYTE),
        ],
      ),
    ],
  };
}

/**
 * Connections opened at the same time: fewer than the listener's backlog (511), for the kernel retries a connection
 * that does not fit only after a second.
 */
const CONCURRENT_OPENS = 200;

/** Connections from one loopback address: far fewer than there are ports, so that ports in TIME_WAIT do not matter. */
const CONNECTIONS_PER_ADDRESS = 5_000;

/** Milliseconds without a byte after which a connection counts as failed. */
const SOCKET_TIMEOUT_MS = 120_000;

/** The result of sending one request on all connections. */
interface BurstResult {
  /** Responses with the status 200. */
  readonly succeeded: number;
  /** Milliseconds from the first request to the last response. */
  readonly tookMs: number;
  /** Latency in milliseconds, from each request to its response. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Many open connections; disposing of the pool closes them. */
interface ConnectionPool extends Disposable {
  /** The number of connections that could be opened. */
  readonly open: number;
  /** Sends a request on all connections at the same time, and waits until each has a response or failed. */
  send(request: Request): Promise<BurstResult>;
}

/** Sends over one connection. Resolves to the status of the response, or to `undefined` if the connection failed. */
type Send = (bytes: Buffer) => Promise<number | undefined>;

/** Opens `count` connections to a local port. Pools with different numbers use different local addresses. */
async function openConnections(port: number, count: number, number: number): Promise<ConnectionPool> {
  const sockets: Socket[] = [];
  const senders: Send[] = [];
  let opened = 0;
  const openNext = async (): Promise<void> => {
    while (opened < count) {
      const socket = connect({
        port,
        host: '127.0.0.1',
        ...localAddressOf(number * count + opened),
      }).setNoDelay(true);
      opened += 1;
      sockets.push(socket);
      const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (connected) senders.push(createSender(socket));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_OPENS }, openNext));
  return {
    open: senders.length,
    send: (request) => sendOnAll(senders, serializeRequest(port, request)),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The local address of a connection. Only Linux has all of 127.0.0.0/8 without configuration. */
function localAddressOf(connection: number): { localAddress?: string } {
  if (process.platform !== 'linux') return {};
  return { localAddress: `127.0.1.${1 + Math.floor(connection / CONNECTIONS_PER_ADDRESS)}` };
}

function createSender(socket: Socket): Send {
  let settle: ((status: number | undefined) => void) | undefined;
  onResponses(socket, ({ status }) => settle?.(status));
  // `close` follows and settles.
  socket.on('error', () => undefined);
  socket.once('close', () => settle?.(undefined));
  socket.setTimeout(SOCKET_TIMEOUT_MS, () => socket.destroy());
  return (bytes) =>
    new Promise((resolve) => {
      settle = resolve;
      if (socket.destroyed) resolve(undefined);
      else socket.write(bytes);
    });
}

async function sendOnAll(senders: readonly Send[], bytes: Buffer): Promise<BurstResult> {
  const latencies: number[] = [];
  let succeeded = 0;
  const started = performance.now();
  await Promise.all(
    senders.map(async (send) => {
      const sentAt = performance.now();
      const status = await send(bytes);
      latencies.push(performance.now() - sentAt);
      if (status === 200) succeeded += 1;
    }),
  );
  const tookMs = performance.now() - started;
  latencies.sort((one, other) => one - other);
  return { succeeded, tookMs, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}
