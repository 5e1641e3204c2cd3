import { maxEventLoopDelayMs, sendWithHealthProbe } from '../support/load/event-loop.ts';
import { serializeRequest } from '../support/load/raw-http.ts';
import { sendJson } from '../support/load/send.ts';
import { type Server, startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { integer, markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import {
  type LargeInput,
  largestGoals,
  largestMessages,
  MAX_MESSAGE_LENGTH,
  MAX_PAYLOAD_BYTES,
  postBatch,
} from '../support/workloads/largest-messages.ts';
import { defineDense, defineOneStep, largestWorkflows } from '../support/workloads/largest-workflows.ts';
import { ticketText } from '../support/workloads/text.ts';

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

/** The largest page, in items. */
const PAGE_LIMIT = 200;

/** Runs with the largest input that fit into the store in memory (64 MiB). */
const RUNS = 63;

/** Stores large records and returns requests for pages of them; `definitions` is the number of large definitions. */
async function largestPages(service: Server, definitions: number): Promise<LargeInput[]> {
  for (let traces = 0; traces < PAGE_LIMIT; traces += 100) await sendJson(service, postBatch(100, 10_240));
  const route = {
    method: 'POST',
    path: '/agents/route',
    body: { goal: ticketText(MAX_MESSAGE_LENGTH), subtasks: [] },
  };
  for (let routes = 0; routes < PAGE_LIMIT; routes++) await sendJson(service, route);
  const { id } = await sendJson<{ id: string }>(service, defineOneStep());
  const run = {
    method: 'POST',
    path: `/workflows/${id}/run`,
    body: { input: { text: ticketText(MAX_PAYLOAD_BYTES) } },
  };
  for (let runs = 0; runs < RUNS; runs++) await sendJson(service, run);
  for (let defined = 0; defined < definitions; defined++) await sendJson(service, defineDense());
  const page = (name: string, path: string): LargeInput => ({
    name,
    request: { method: 'GET', path: `${path}?limit=${PAGE_LIMIT}` },
  });
  return [
    page('page of 200 traces of 10,000 characters or more', '/trace/'),
    page('page of 200 routes, nearly all of the longest goals', '/agents/routes'),
    page(`page of ${RUNS} runs of 1 MiB of input`, `/workflows/${id}/runs`),
    page(`page of up to 200 definitions, ${definitions} of them dense to 1 MiB`, '/workflows'),
  ];
}
