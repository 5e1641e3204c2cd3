import { runLoad } from '../support/load/generator.ts';
import { startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { integer, markdownTable } from '../support/report/table.ts';
import { atMost } from '../support/report/target.ts';
import { fillTraces, mixedMessages } from '../support/workloads/requests.ts';

const MEBIBYTE = 1_024 * 1_024;

/** The number of samples. */
const SAMPLES = 40;

/** The most that the last quarter may use compared with the second: the garbage collector alone varies it that much. */
const MAX_GROWTH = 1.05;

interface Sample {
  readonly messages: number;
  readonly residentBytes: number;
}

export const memory: Section = {
  name: 'memory',
  title: 'Memory over many messages',
  async measure(quick) {
    const total = quick ? 20_000 : 1_000_000;
    await using service = await startService();
    await fillTraces(service);
    const requests = mixedMessages(5_000);
    const samples: Sample[] = [];
    let failures = 0;
    for (let sample = 1; sample <= SAMPLES; sample++) {
      const result = await runLoad(service.port, requests, { connections: 64, requests: total / SAMPLES });
      failures += result.failures;
      const residentBytes = await service.residentBytes();
      samples.push({ messages: (sample * total) / SAMPLES, residentBytes });
    }
    if (failures > 0) throw new Error(`${failures} messages failed`);
    return report(samples, quick);
  },
};

function report(samples: readonly Sample[], quick: boolean): SectionResult {
  const quarter = SAMPLES / 4;
  const middle = (from: number, to: number) =>
    median(samples.slice(from, to).map(({ residentBytes }) => residentBytes));
  const growth = middle(3 * quarter, SAMPLES) / middle(quarter, 2 * quarter);
  const shown = samples.filter((_, index) => (index + 1) % (quarter / 2) === 0);
  const total = samples.at(-1)?.messages ?? 0;
  const what = `resident memory over ${integer(total)} messages, last quarter compared with the second`;
  const target = atMost(what, growth, MAX_GROWTH, ' times');
  return {
    targets: quick ? [] : [target],
    blocks: [
      `${integer(total)} different messages through one process, whose store of traces was full (10,000) before.`,
      markdownTable(
        ['Messages', ...shown.map(({ messages }) => integer(messages))],
        [['resident, MiB', ...shown.map(({ residentBytes }) => integer(residentBytes / MEBIBYTE))]],
      ),
      quick
        ? 'Too few messages to check for growth; the full run does.'
        : `The last quarter uses ${target.measured} the memory of the second (at most ${MAX_GROWTH}).`,
    ],
  };
}
