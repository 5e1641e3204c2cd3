import { maxEventLoopDelayMs, sendWithHealthProbe } from '../support/load/event-loop.ts';
import { serializeRequest } from '../support/load/raw-http.ts';
import { type Server, startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { integer, markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import { type LargeInput, largestGoals, largestMessages } from '../support/workloads/largest-messages.ts';
import { largestPages } from '../support/workloads/largest-pages.ts';
import { largestWorkflows } from '../support/workloads/largest-workflows.ts';

/** The longest allowed event loop delay, in milliseconds. */
const MAX_DELAY_MS = 100;

/** Milliseconds without requests, to measure the delays that the machine causes by itself. */
const IDLE_MS = 300;

interface InputTimes {
  readonly name: string;
  readonly stallMs: number[];
  readonly healthMs: number[];
  readonly tookMs: number[];
}

export const stalls: Section = {
  name: 'stalls',
  title: 'Event loop delay under the largest valid inputs',
  async measure(quick) {
    await using service = await startService({}, { preload: 'loop-delay.ts' });
    const cases = [
      ...largestMessages(),
      ...largestGoals(),
      ...(await largestWorkflows(service)),
      ...(await largestPages(service, quick ? 20 : 195)),
    ];
    const idle: number[] = [];
    const measured = cases.map(({ name }): InputTimes => ({ name, stallMs: [], healthMs: [], tookMs: [] }));
    for (let round = 0; round < (quick ? 2 : 9); round++) {
      idle.push(await idleDelay(service));
      for (const [index, item] of cases.entries()) {
        const into = measured[index];
        if (into !== undefined) await measure(service, item, into);
      }
    }
    return report(measured, idle);
  },
};

async function idleDelay(service: Server): Promise<number> {
  await maxEventLoopDelayMs(service);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return maxEventLoopDelayMs(service);
}

async function measure(service: Server, { name, request }: LargeInput, into: InputTimes): Promise<void> {
  const bytes = serializeRequest(service.port, request);
  await maxEventLoopDelayMs(service);
  const { response, tookMs, healthMs } = await sendWithHealthProbe(service.port, bytes);
  into.stallMs.push(await maxEventLoopDelayMs(service));
  into.healthMs.push(healthMs);
  into.tookMs.push(tookMs);
  if (!response.ok) throw new Error(`${name} is not a valid input: status ${response.status}`);
}

function report(measured: readonly InputTimes[], idle: readonly number[]): SectionResult {
  const rows = measured.map(({ name, stallMs, healthMs, tookMs }) => [
    name,
    integer(median(stallMs)),
    integer(Math.max(...stallMs)),
    integer(median(healthMs)),
    integer(median(tookMs)),
    targetCell(delayTarget(name, stallMs)),
  ]);
  const idleRow = ['no request', integer(median(idle)), integer(Math.max(...idle)), '', integer(IDLE_MS), ''];
  const head = ['Request', 'delay, ms', 'maximum', '`/health` took, ms', 'response after, ms', 'target'];
  const [worst] = measured.toSorted((one, other) => median(other.stallMs) - median(one.stallMs));
  return {
    targets:
      worst === undefined ? [] : [delayTarget(`longest event loop delay: ${worst.name}`, worst.stallMs)],
    blocks: [explanation, markdownTable(head, [idleRow, ...rows], ['target'])],
  };
}

/** Checks the median, since the maximum includes other load on the machine. */
function delayTarget(what: string, stallMs: readonly number[]): TargetResult {
  return atMost(what, median(stallMs), MAX_DELAY_MS, ' ms');
}

const explanation =
  'One request at a time, with default settings. The event loop delay is measured inside the process; meanwhile another connection requests `/health`. The target applies to the median. The first row shows the delay without load.';
