import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort, makeFolder, startProgram } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import type { Section } from '../support/section.ts';
import type { Settings } from '../support/servers.ts';
import { startServer } from '../support/servers.ts';
import { median } from '../support/statistics.ts';
import { markdownTable, whole } from '../support/table.ts';
import { atMost, verdictCell } from '../support/verdict.ts';
import { encode, onReplies } from '../support/wire.ts';

/** The most that a start may take beyond that of Node itself, in milliseconds. */
const BOUND_MS = 350;

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export const startUp: Section = {
  name: 'start-up',
  title: 'Start-up',
  async measure(quick) {
    await using redis = await startRedis();
    await using collector = await startServer('collector.ts');
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
    const variants: (readonly [name: string, settings: Settings])[] = [
      ['memory', {}],
      ['memory, telemetry on', { OTEL_ENABLED: 'true', ...endpoint }],
      [
        'memory, language model',
        { LLM_API_KEY: 'none', LLM_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` },
      ],
    ];
    if (redis !== undefined) {
      variants.push(['Redis', { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url }]);
    }
    const bare: number[] = [];
    const figures = variants.map((): number[] => []);
    for (let round = 0; round < (quick ? 5 : 15); round++) {
      bare.push(await timeOfNode());
      for (const [index, [, settings]] of variants.entries())
        figures[index]?.push(await timeToAnswer(settings));
    }
    return report(
      variants.map(([name]) => name),
      figures,
      bare,
    );
  },
};

function report(names: readonly string[], figures: readonly number[][], bare: readonly number[]) {
  const extra = (own: readonly number[]) => median(own.map((ms, round) => ms - (bare[round] ?? Number.NaN)));
  const verdict = atMost(
    'start to first answer, memory, beyond `node -e 0`',
    extra(figures[0] ?? []),
    BOUND_MS,
    ' ms',
  );
  const rows = names.map((name, index) => {
    const own = figures[index] ?? [];
    return [name, whole(median(own)), whole(extra(own)), index === 0 ? verdictCell(verdict) : ''];
  });
  return {
    verdicts: [verdict],
    blocks: [
      'From the start of the process to the first answer of `/health`.',
      markdownTable(
        ['Service with', 'ms', 'beyond `node -e 0`', 'target'],
        [['`node -e 0`, to its end', whole(median(bare)), '', ''], ...rows],
        ['target'],
      ),
    ],
  };
}

async function timeOfNode(): Promise<number> {
  const begun = performance.now();
  await using program = startProgram(process.execPath, ['-e', '0']);
  await once(program.child, 'exit');
  return performance.now() - begun;
}

async function timeToAnswer(settings: Settings): Promise<number> {
  await using folder = await makeFolder();
  const port = await freePort();
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(port), ...settings };
  const begun = performance.now();
  await using program = startProgram(process.execPath, [main], { cwd: folder.path, env });
  while (!(await isAnswered(port))) {
    if (program.child.exitCode !== null) throw new Error('the service did not start');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return performance.now() - begun;
}

/** Asks for /health once, at no more cost than must be. */
function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.write(encode(port, { method: 'GET', path: '/health' })));
    onReplies(socket, ({ ok }) => {
      resolve(ok);
      socket.destroy();
    });
  });
}
