import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createIds } from '../../../src/adapters/shared/system.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import type { Ports, StoragePorts } from '../../../src/ports/ports.ts';
import { median, medianRatio } from '../report/statistics.ts';
import { decimal, integer, markdownTable } from '../report/table.ts';
import { sampleMessage, toCustomerMessage } from '../workloads/requests.ts';
import { measureInRounds } from './rounds.ts';

const CONCURRENCY = 64;

/** Items that wait when the first one is taken. */
const WAITING = 10_000;

/** Items that are taken and resolved in each round. */
const TAKEN = 256;

/** The workers of a team, and the items that wait for them. */
const WORKERS = 50;
const WORKER_ITEMS = 1_000;

/** A store that is measured. */
export interface InboxTarget {
  readonly name: string;
  readonly storage: Omit<StoragePorts, 'feed'>;
}

const escalated = { ...toCustomerMessage(sampleMessage), message: 'I want to talk to a human' };

/** Measures messages that become items of the inbox, and people who work on them. Returns tables. */
export async function measureInbox(targets: readonly InboxTarget[], quick: boolean): Promise<string[]> {
  const all = targets.map(({ name, storage }) => ({ name, ports: portsOf(storage) }));
  return [await measureMessages(all, quick), await measureWork(all, quick), await measureWorkers(all)];
}

type StoredPorts = readonly { readonly name: string; readonly ports: Ports }[];

function portsOf(storage: InboxTarget['storage']): Ports {
  return defaultPorts(storage);
}

async function measureMessages(targets: StoredPorts, quick: boolean): Promise<string> {
  const cores = targets.flatMap(({ ports }) =>
    [false, true].map((inbox) => createOrchestrator(ports, {}, { inbox })),
  );
  const workloads = cores.map((core, index) => ({
    name: `${index}`,
    run: () => concurrently(() => core.messages.process(escalated)),
  }));
  const samples = await measureInRounds(workloads, roundsPlan(quick));
  for (const core of cores) await core.close(0);
  const rows = targets.map(({ name }, index) => {
    const [without = [], withInbox = []] = samples.slice(2 * index, 2 * index + 2);
    return [name, perSecond(without), perSecond(withInbox), decimal(medianRatio(without, withInbox), 2)];
  });
  return markdownTable(['Escalated messages a second', 'inbox off', 'inbox on', 'of that without'], rows);
}

/** Takes and resolves items while about ten thousand wait. */
async function measureWork(targets: StoredPorts, quick: boolean): Promise<string> {
  const rows: string[][] = [];
  for (const { name, ports } of targets) {
    const core = createOrchestrator(ports);
    await fill(ports);
    const samples: number[] = [];
    for (let round = 0; round <= roundsPlan(quick).rounds; round++) {
      const startedAt = performance.now();
      for (let taken = 0; taken < TAKEN; taken += CONCURRENCY) await concurrently(() => takeAndResolve(core));
      if (round > 0) samples.push((performance.now() - startedAt) / (TAKEN / CONCURRENCY));
    }
    await core.close(0);
    rows.push([name, perSecond(samples)]);
  }
  return markdownTable([`With ${integer(WAITING)} items waiting`, 'taken and resolved a second'], rows);
}

/** Lets all workers take and resolve items until none waits: of many who want the same row, none may starve. */
async function measureWorkers(targets: StoredPorts): Promise<string> {
  const rows: string[][] = [];
  for (const { name, ports } of targets) {
    const core = createOrchestrator(ports);
    const work = () => Promise.all(Array.from({ length: WORKERS }, (_, index) => workOn(core, `w${index}`)));
    await work();
    await fill(ports, WORKER_ITEMS);
    const startedAt = performance.now();
    const workers = await work();
    const tookMs = performance.now() - startedAt;
    await core.close(0);
    const counts = workers.map(({ items }) => items);
    const items = counts.reduce((sum, count) => sum + count, 0);
    if (items !== WORKER_ITEMS) throw new Error(`${items} items were resolved, of ${WORKER_ITEMS}`);
    rows.push([
      name,
      integer((items * 1_000) / tookMs),
      `${Math.min(...counts)} to ${Math.max(...counts)}`,
      decimal(Math.max(...workers.map(({ longestMs }) => longestMs)), 0),
    ]);
  }
  return markdownTable(
    [
      `${WORKERS} workers on ${integer(WORKER_ITEMS)} items`,
      'taken and resolved a second',
      'items of a worker',
      'longest, ms',
    ],
    rows,
  );
}

/** Takes and resolves items until none waits. Resolves to their number, and the longest time that one took. */
async function workOn({ inbox }: Core, by: string): Promise<{ items: number; longestMs: number }> {
  let longestMs = 0;
  for (let items = 0; ; items++) {
    const startedAt = performance.now();
    const item = await inbox?.next({ by });
    if (item === undefined) return { items, longestMs };
    await inbox?.resolve(item.itemId, { outcome: 'dismissed', by });
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }
}

type Core = ReturnType<typeof createOrchestrator>;

async function takeAndResolve({ inbox }: Core): Promise<void> {
  const item = await inbox?.next({ by: 'bench' });
  if (item === undefined) throw new Error('no item waits');
  await inbox?.resolve(item.itemId, { outcome: 'dismissed', by: 'bench' });
}

/** Makes as many items wait as there should be; those of the messages before count. */
async function fill({ inbox, clock }: Ports, waitingCount = WAITING): Promise<void> {
  const newId = createIds();
  const { waiting } = await inbox.counts();
  const now = clock.now();
  for (let count = waiting.escalation.open; count < waitingCount; count += CONCURRENCY) {
    const missing = Math.min(CONCURRENCY, waitingCount - count);
    await Promise.all(Array.from({ length: missing }, () => inbox.create(itemOf(newId(), now))));
  }
}

function itemOf(itemId: string, now: number): InboxItem {
  const iso = (ms: number): string => new Date(now + ms).toISOString();
  return {
    itemId,
    kind: 'escalation',
    status: 'open',
    priority: 4,
    title: 'A question',
    reasons: ['language'],
    subject: { kind: 'message', id: itemId, stepId: null },
    customerId: 'bench',
    conversationId: null,
    excerpt: 'A question that a person has to answer.',
    draft: null,
    assignee: null,
    claimedUntil: null,
    openedAt: iso(0),
    dueAt: iso(86_400_000),
    isOverdue: false,
    expiresAt: iso(604_800_000),
    endedAt: null,
    resolution: null,
    payload: null,
    responseSchema: null,
    notes: [],
    version: 1,
    lastSeq: 1,
  };
}

const roundsPlan = (quick: boolean) => ({ rounds: quick ? 3 : 11, roundMs: quick ? 50 : 500 });

const concurrently = (work: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: CONCURRENCY }, work));

const perSecond = (ms: readonly number[]): string => integer((CONCURRENCY * 1_000) / median(ms));
