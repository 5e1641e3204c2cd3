import { heavyListings } from '../support/heavy/listings.ts';
import { type Heavy, heavyGoals, heavyMessages } from '../support/heavy/messages.ts';
import { heavyWorkflows } from '../support/heavy/workflows.ts';
import { longestDelayMs, probe } from '../support/loop-probe.ts';
import type { Findings, Section } from '../support/section.ts';
import { type Server, startService } from '../support/servers.ts';
import { median } from '../support/statistics.ts';
import { markdownTable, whole } from '../support/table.ts';
import { atMost, type Verdict, verdictCell } from '../support/verdict.ts';
import { encode } from '../support/wire.ts';

/** The longest that the event loop may be held up, in milliseconds. */
const BOUND_MS = 100;

/** Milliseconds without any request, to see what the machine adds by itself. */
const IDLE_MS = 300;

interface Measured {
  readonly name: string;
  readonly stallMs: number[];
  readonly healthMs: number[];
  readonly tookMs: number[];
}

export const stalls: Section = {
  name: 'stalls',
  title: 'Event loop under the largest legal inputs',
  async measure(quick) {
    await using service = await startService({}, { preload: 'loop-delay.ts' });
    const cases = [
      ...heavyMessages(),
      ...heavyGoals(),
      ...(await heavyWorkflows(service)),
      ...(await heavyListings(service, quick ? 20 : 195)),
    ];
    const idle: number[] = [];
    const measured = cases.map(({ name }): Measured => ({ name, stallMs: [], healthMs: [], tookMs: [] }));
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
  await longestDelayMs(service);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return longestDelayMs(service);
}

async function measure(service: Server, { name, request }: Heavy, into: Measured): Promise<void> {
  const bytes = encode(service.port, request);
  await longestDelayMs(service);
  const { reply, tookMs, healthMs } = await probe(service.port, bytes);
  into.stallMs.push(await longestDelayMs(service));
  into.healthMs.push(healthMs);
  into.tookMs.push(tookMs);
  if (!reply.ok) throw new Error(`${name} is no legal input: it was answered with ${reply.status}`);
}

function report(measured: readonly Measured[], idle: readonly number[]): Findings {
  const rows = measured.map(({ name, stallMs, healthMs, tookMs }) => [
    name,
    whole(median(stallMs)),
    whole(Math.max(...stallMs)),
    whole(median(healthMs)),
    whole(median(tookMs)),
    verdictCell(judge(name, stallMs)),
  ]);
  const nothing = ['nothing at all', whole(median(idle)), whole(Math.max(...idle)), '', whole(IDLE_MS), ''];
  const head = ['Request', 'held up, ms', 'at worst', '`/health` waited, ms', 'answered after, ms', 'target'];
  const [worst] = measured.toSorted((one, other) => median(other.stallMs) - median(one.stallMs));
  return {
    verdicts:
      worst === undefined ? [] : [judge(`longest hold-up of the event loop: ${worst.name}`, worst.stallMs)],
    blocks: [explanation, markdownTable(head, [nothing, ...rows], ['target'])],
  };
}

/** By the median: the worst holds whatever else the machine did. */
function judge(what: string, stallMs: readonly number[]): Verdict {
  return atMost(what, median(stallMs), BOUND_MS, ' ms');
}

const explanation =
  'Each request alone, everything at its default. How long the event loop was held up is measured inside the process; from outside, another connection asks for `/health` all the while. The verdict is by the median; the first row shows what the machine does by itself.';
