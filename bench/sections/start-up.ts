import { once } from 'node:events';
import { connect } from 'node:net';
import { program as main } from '../../build/service.ts';
import { onResponses, serializeRequest } from '../support/load/raw-http.ts';
import { createTempFolder, freePort, startProgram } from '../support/process/programs.ts';
import { REDIS_MISSING, startRedis } from '../support/process/redis.ts';
import { type Settings, startServer } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { integer, markdownTable } from '../support/report/table.ts';
import { atMost, targetCell } from '../support/report/target.ts';

/** The longest start of the service beyond that of Node itself, in milliseconds. */
const MAX_START_MS = 350;

/** The service with certain settings. */
interface Variant {
  readonly name: string;
  readonly settings: Settings;
}

export const startUp: Section = {
  name: 'start-up',
  title: 'Start-up',
  async measure(quick) {
    await using redis = await startRedis();
    await using collector = await startServer('collector.ts');
    await using cache = await createTempFolder();
    const compiled = { NODE_COMPILE_CACHE: cache.path };
    // The cache is written when the process exits normally.
    await timeToFirstResponse(compiled, 'SIGTERM');
    const variants = [
      ...(await createVariants(collector.port, redis?.url)),
      { name: 'memory, `NODE_COMPILE_CACHE` set and filled', settings: compiled },
    ];
    const nodeTimes: number[] = [];
    const samples = variants.map((): number[] => []);
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      nodeTimes.push(await timeNode());
      for (const [index, { settings }] of variants.entries()) {
        samples[index]?.push(await timeToFirstResponse(settings));
      }
    }
    const { blocks, targets } = report(variants, samples, nodeTimes);
    return { targets, blocks: redis === undefined ? [...blocks, REDIS_MISSING] : blocks };
  },
};

async function createVariants(collectorPort: number, redisUrl: string | undefined): Promise<Variant[]> {
  const endpoint = `http://127.0.0.1:${collectorPort}`;
  const model = `http://127.0.0.1:${await freePort()}/v1`;
  const variants = [
    { name: 'memory', settings: {} },
    {
      name: 'memory, telemetry on',
      settings: { OTEL_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    },
    { name: 'memory, language model', settings: { LLM_API_KEY: 'none', LLM_BASE_URL: model } },
  ];
  if (redisUrl === undefined) return variants;
  return [...variants, { name: 'Redis', settings: { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redisUrl } }];
}

function report(
  variants: readonly Variant[],
  samples: readonly (readonly number[])[],
  nodeTimes: readonly number[],
): SectionResult {
  const beyond = (own: readonly number[]) =>
    median(own.map((ms, round) => ms - (nodeTimes[round] ?? Number.NaN)));
  const name = 'start to first response, memory, beyond `node -e 0`';
  const target = atMost(name, beyond(samples[0] ?? []), MAX_START_MS, ' ms');
  const rows = variants.map(({ name }, index) => {
    const own = samples[index] ?? [];
    return [name, integer(median(own)), integer(beyond(own)), index === 0 ? targetCell(target) : ''];
  });
  const first = ['`node -e 0`, until it exits', integer(median(nodeTimes)), '', ''];
  const head = ['Service with', 'ms', 'beyond `node -e 0`', 'target'];
  return {
    targets: [target],
    blocks: [
      'From the start of the process to the first response of `/health`.',
      markdownTable(head, [first, ...rows], ['target']),
    ],
  };
}

async function timeNode(): Promise<number> {
  const startedAt = performance.now();
  await using program = startProgram(process.execPath, ['-e', '0']);
  await once(program.child, 'exit');
  return performance.now() - startedAt;
}

async function timeToFirstResponse(settings: Settings, end: NodeJS.Signals = 'SIGKILL'): Promise<number> {
  await using folder = await createTempFolder();
  const port = await freePort();
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(port), ...settings };
  const startedAt = performance.now();
  await using program = startProgram(process.execPath, [main], { cwd: folder.path, env });
  while (!(await respondsToHealth(port))) {
    if (program.child.exitCode !== null) throw new Error('the service did not start');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const tookMs = performance.now() - startedAt;
  program.child.kill(end);
  await once(program.child, 'exit');
  return tookMs;
}

/** Requests /health once, with little overhead. */
function respondsToHealth(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.write(serializeRequest(port, { method: 'GET', path: '/health' })));
    onResponses(socket, ({ ok }) => {
      resolve(ok);
      socket.destroy();
    });
  });
}
