import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Orchestrator } from '../../src/application/driving-port.ts';
import type { StepDraft } from '../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { heldBytes } from '../support/heap.ts';
import { until } from '../support/until.ts';
import { ask, call, child } from '../support/workflow/core.ts';
import { startCores } from '../support/workflow/store-cores.ts';

const ITEMS = 1_000;

/** The most processor time of one turn of the event loop, in milliseconds, however busy the machine is. */
const MAX_TURN_MS = 100;

/** People answer fewer. */
const ASKED = 200;

const range = Array.from({ length: ITEMS }, (_, index) => index);

function registerTools({ tools }: Orchestrator): void {
  const input = z.record(z.string(), z.json());
  tools.register({
    name: 'echo',
    description: 'echo',
    effect: 'read',
    input,
    execute: (given) => given as JsonObject,
  });
}

async function define(
  { workflows }: Orchestrator,
  steps: readonly StepDraft[],
  output?: object,
): Promise<string> {
  const { id } = await workflows.create({
    name: 'sample',
    steps,
    ...(output && { output: output as never }),
  });
  return id;
}

async function untilEnded({ runs }: Orchestrator, runId: string, withinMs = 240_000) {
  await until('the run has ended', async () => (await runs.events(runId).read(0, 1)).ended, withinMs);
  return runs.get(runId);
}

/**
 * Measures the processor time that this thread takes between two timers; `end` returns the longest, in milliseconds.
 */
function measureTurns() {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let last = used();
  const timer = setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    end(): number {
      clearInterval(timer);
      return longest;
    },
  };
}

describe.each(['memory', 'sqlite', 'redis'] as const)('workflows over %s', (store) => {
  let started: Awaited<ReturnType<typeof startCores>>;
  const core = (index: number): Orchestrator =>
    started.cores[index % started.cores.length] ?? expect.fail('there is no core');

  beforeAll(async () => {
    started = await startCores(store);
    for (const each of started.cores) registerTools(each);
  });
  afterAll(() => started.close());

  /** Does some work, and expects that the event loop never stands still for long. */
  async function responsive<T>(name: string, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const turns = measureTurns();
    const result = await work();
    const ms = Math.round(turns.end());
    if (process.env['FAULT_FIGURES'] !== undefined)
      process.stderr.write(
        `${store}, ${name}: ${Math.round(performance.now() - since)} ms, longest turn ${ms} ms\n`,
      );
    expect(ms).toBeLessThan(MAX_TURN_MS);
    return result;
  }

  test(`run ${ITEMS} items of a tool`, { timeout: 250_000 }, async () => {
    const foreach = { items: 'input.list', concurrency: 50 };
    const id = await define(core(0), [call('each', 'echo', { foreach, staticInput: { n: '${{ item }}' } })]);
    const run = await responsive('items of a tool', async () => {
      const { runId } = await core(0).workflows.run(id, { background: true, input: { list: range } });
      return untilEnded(core(1), runId);
    });
    expect(run.status).toBe('COMPLETED');
    expect(run.stepResults[0]?.output?.['results']).toEqual(range.map((n) => ({ n })));
  });

  test(`run ${ITEMS} child runs`, { timeout: 250_000 }, async () => {
    const inner = await define(core(0), [call('a', 'echo', { staticInput: { n: '$input.n' } })], {
      n: '$input.n',
    });
    const foreach = { items: 'input.list', concurrency: 50 };
    const id = await define(core(0), [child('each', inner, { foreach, staticInput: { n: '${{ item }}' } })]);
    const before = heldBytes();
    const run = await responsive('child runs', async () => {
      const { runId } = await core(0).workflows.run(id, { background: true, input: { list: range } });
      return untilEnded(core(1), runId);
    });
    expect(run.status).toBe('COMPLETED');
    const results = run.stepResults[0]?.output?.['results'];
    expect(results).toMatchObject(range.map((n) => ({ status: 'COMPLETED', output: { n } })));
    if (store !== 'memory') expect(heldBytes() - before).toBeLessThan(32 * 1_024 * 1_024);
  });

  test(`ask about ${ASKED} items`, { timeout: 250_000 }, async () => {
    const foreach = { items: 'input.list', concurrency: 50 };
    const payload = { n: '${{ item }}', text: '${{ "item " + string(item) }}' };
    const id = await define(core(0), [ask('each', { foreach, payload } as Partial<StepDraft>)]);
    const run = await responsive('approvals', async () => {
      const { runId } = await core(0).workflows.run(id, {
        background: true,
        input: { list: range.slice(0, ASKED) },
      });
      const inbox = core(1).inbox ?? expect.fail();
      for (let answered = 0; answered < ASKED; ) {
        const { items } = await inbox.list({ kinds: ['approval'] }, { limit: 50 });
        const answers = await Promise.allSettled(
          items.map(({ itemId }, index) =>
            (core(index).inbox ?? expect.fail()).resolve(itemId, { outcome: 'approved', by: 'ann' }),
          ),
        );
        answered += answers.filter(({ status }) => status === 'fulfilled').length;
        if (items.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return untilEnded(core(1), runId);
    });
    expect(run.stepResults[0]).toMatchObject({ status: 'COMPLETED', output: { count: ASKED, failed: 0 } });
  });

  test('may be nested eight deep', { timeout: 120_000 }, async () => {
    let id = await define(core(0), [call('deepest')]);
    for (let depth = 2; depth <= 9; depth++) {
      if (depth === 9) {
        const { runId } = await core(0).workflows.run(id, { background: true });
        expect((await untilEnded(core(1), runId, 60_000)).status).toBe('COMPLETED');
      }
      id = await define(core(0), [child('sub', id)]);
    }
    const { runId } = await core(0).workflows.run(id, { background: true });
    const run = await untilEnded(core(1), runId, 60_000);
    expect(run.error).toContain('workflows may be nested at most 8 deep');
  });

  test('take one of two answers, and of one at the expiry, 100 times', { timeout: 250_000 }, async () => {
    const steps = [ask('ok', { expiresInMs: 400, onReject: 'continue' } as Partial<StepDraft>)];
    const id = await define(core(0), steps);
    const winners = new Map<string, number>();
    async function round(index: number): Promise<void> {
      const { runId } = await core(index).workflows.run(id, { background: true });
      const since = performance.now();
      const at = async (ms: number) => {
        const wait = since + ms - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      };
      await until('it waits', async () => (await core(index).runs.get(runId)).waitingFor.length > 0);
      const itemId = (await core(index).runs.get(runId)).waitingFor[0]?.itemId ?? expect.fail();
      const decide = async (
        by: string,
        outcome: 'approved' | 'rejected',
        which: Orchestrator,
        ms: number,
      ) => {
        await at(ms);
        return which.inbox?.resolve(itemId, { outcome, by }).then(
          () => by,
          (error: { code?: string }) => {
            if (!['conflict', 'not_found'].includes(error.code ?? '')) throw error;
            return null;
          },
        );
      };
      const answers = await Promise.all([
        decide('ann', 'approved', core(0), 330 + 3 * (index % 50)),
        decide('bob', 'rejected', core(1), 330 + 3 * ((index * 7) % 50)),
      ]);
      const run = await untilEnded(core(index + 1), runId, 20_000);
      const winner = answers.find((by) => by !== null) ?? 'service';
      expect(answers.filter((by) => by !== null).length).toBeLessThanOrEqual(1);
      const output = run.stepResults[0]?.output;
      expect([run.status, output?.['decided_by'], output?.['approved']]).toEqual([
        ...['COMPLETED', winner],
        winner === 'ann',
      ]);
      const { item } = (await core(0).inbox?.get(itemId)) ?? expect.fail();
      expect(item.status).toBe(winner === 'service' ? 'expired' : 'resolved');
      winners.set(winner, (winners.get(winner) ?? 0) + 1);
    }
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(Array.from({ length: 10 }, (_, index) => round(batch * 10 + index)));
    }
    if (process.env['FAULT_FIGURES'] !== undefined)
      process.stderr.write(`${store}: ${JSON.stringify([...winners])}\n`);
    expect(winners.size).toBeGreaterThan(1);
  });
});
