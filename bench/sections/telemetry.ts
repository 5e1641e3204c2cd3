import { type LoadSamples, loadCells, loadColumns, loadPlan, measureLoads } from '../support/load/rounds.ts';
import { sendJson } from '../support/load/send.ts';
import { freePort } from '../support/process/programs.ts';
import { type Server, startServer, startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { medianRatio } from '../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { atLeast, type TargetResult, targetCell } from '../support/report/target.ts';
import { fillTraces, postMessage, sendAndExpectCompleted } from '../support/workloads/requests.ts';

/** The minimum share of the throughput without telemetry, with a tenth of the requests sampled. */
const MIN_SHARE = 0.85;

const SAMPLED = 'on, 10 % sampled';

export const telemetry: Section = {
  name: 'telemetry',
  title: 'OpenTelemetry',
  async measure(quick) {
    await using collector = await startServer('collector.ts');
    const to = (port: number) => ({
      OTEL_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    await using off = await startService();
    await using on = await startService(to(collector.port));
    await using sampled = await startService({ ...to(collector.port), ...sampler });
    await using dead = await startService(to(await freePort()));
    const servers: readonly (readonly [name: string, server: Server])[] = [
      ['off', off],
      ['on', on],
      [SAMPLED, sampled],
      ['on, collector dead', dead],
    ];
    for (const [, server] of servers) {
      await sendAndExpectCompleted(server, postMessage);
      await fillTraces(server);
    }
    const workloads = servers.map(([name, server]) => ({ name, server, requests: [postMessage] }));
    const samples = await measureLoads(workloads, loadPlan(quick));
    const { bytes } = await sendJson<{ bytes: number }>(collector, { method: 'GET', path: '/' });
    if (bytes === 0) throw new Error('the collector received no spans');
    return report(samples, bytes);
  },
};

function report(samples: readonly LoadSamples[], bytes: number): SectionResult {
  const targets: TargetResult[] = [];
  const rows = samples.map((own) => {
    const off = samples[0] ?? own;
    const share = own.failures > 0 ? Number.NaN : medianRatio(own.perSecond, off.perSecond);
    const checked =
      own.name === SAMPLED ? [atLeast(`telemetry ${own.name}, throughput`, share, MIN_SHARE, ' of off')] : [];
    targets.push(...checked);
    return [...loadCells(own), decimal(share, 2), checked.map(targetCell).join('')];
  });
  return {
    targets,
    blocks: [
      `\`POST /messages\` over 64 connections, full stores of traces. The collector, another process on the same machine, received ${integer(bytes / 1_024)} KiB of spans and discarded them.`,
      markdownTable(['Telemetry', ...loadColumns, 'of off', 'target'], rows, ['target']),
    ],
  };
}
