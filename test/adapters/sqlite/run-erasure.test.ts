import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import { sqliteStorage } from '../../../src/entries/sqlite.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createFiles } from '../../support/sqlite/files.ts';

const files = createFiles();
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await files.removeAll();
});

/** The number of occurrences of a text in the file, and in those beside it. */
function occurrences(path: string, text: string): number {
  const folder = dirname(path);
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(path)));
  return names.reduce(
    (sum, name) => sum + readFileSync(join(folder, name)).toString('latin1').split(text).length - 1,
    0,
  );
}

/** The same numbers in each run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
}

/** The service on a new file, with durable runs. */
async function startService() {
  const path = await files.newPath();
  const storage = sqliteStorage({ path });
  const recovery = { recovery: defaultRecoveryPolicy };
  const orchestrator = createOrchestrator(defaultPorts(storage.ports), { cancelGraceMs: 200 }, recovery);
  orchestrator.tools.register({
    name: 'work',
    description: 'work',
    effect: 'read',
    input: z.record(z.string(), z.json()),
    execute(given: JsonObject) {
      if (given['fails'] === true) throw new Error(`failed for ${String(given['text'])}`);
      return { text: String(given['text']), more: 'x'.repeat(Number(given['length'])) };
    },
  });
  orchestrator.start();
  ends.push(async () => {
    await orchestrator.close(0);
    await storage.close();
  });
  return { path, orchestrator };
}

/** A workflow of so many steps that give a text on. */
async function define({ workflows }: Orchestrator, steps: number): Promise<string> {
  const drafts = Array.from({ length: steps }, (_, index) => ({
    id: `s${index}`,
    kind: 'tool' as const,
    toolName: 'work',
    dependsOn: index === 0 ? [] : [`s${index - 1}`],
    staticInput: { text: '$input.text', length: '$input.length', fails: '$input.fails' },
  }));
  return (await workflows.create({ name: 'sample', steps: drafts })).id;
}

describe('a run of a customer', () => {
  test.each([1, 2, 3])('leaves no byte in the files when the customer is erased: %i', async (seed) => {
    const { path, orchestrator } = await startService();
    const { workflows, runs, agents, erase } = orchestrator;
    const random = createRandom(seed);
    const chain = await define(orchestrator, 3);
    const long = await define(orchestrator, 60);
    const asks = await workflows.create({
      name: 'asks',
      steps: [
        {
          id: 'ok',
          kind: 'approval',
          title: '${{ input.text }}?',
          dependsOn: [],
          staticInput: { text: '$input.text' },
        },
      ],
    });
    const customers = Array.from({ length: 4 }, (_, index) => `secret${index}q`);
    for (let round = 0; round < 40; round++) {
      const customerId = customers[random(4)] ?? '';
      const text = `${customerId} `.repeat(1 + random(60));
      const input = { text, length: random(3_000), fails: random(4) === 0 };
      const kind = random(10);
      if (kind === 0) await workflows.run(asks.id, { background: true, input, customerId });
      else if (kind === 1) await agents.route({ goal: `Echo: ${text}`, customerId });
      else await workflows.run(kind === 2 ? long : chain, { input, customerId });
      if (random(5) > 0) continue;
      const { items } = await runs.list({ statuses: ['COMPLETED', 'FAILED'] }, { limit: 50 });
      const victim = items[random(items.length)];
      if (victim !== undefined && victim.customerId !== customers[2]) await runs.delete(victim.runId);
    }
    expect(occurrences(path, 'secret2q')).toBeGreaterThan(100);
    const counts = await erase('secret2q');
    expect(counts.runs).toBeGreaterThan(3);
    expect(occurrences(path, 'secret2q')).toBe(0);
    for (const customerId of customers) {
      if (customerId !== 'secret2q') expect(occurrences(path, customerId)).toBeGreaterThan(10);
    }
    const { items } = await runs.list({}, { limit: 200 });
    for (const { runId, input } of items) expect((await runs.get(runId)).input).toEqual(input);
  });
});

test('texts of runs of customers are only in pages that SQLite never copies', async () => {
  const { path, orchestrator } = await startService();
  const { workflows, runs, agents } = orchestrator;
  const customerId = 'zqcustomer';
  const workflowId = await define(orchestrator, 3);
  const waits = await workflows.create({
    name: 'waits',
    steps: [{ id: 'w', kind: 'wait', durationMs: 3_600_000, dependsOn: [], staticInput: {} }],
  });
  for (const length of [0, 100, 480, 1_000, 3_900, 4_000, 4_096, 9_000]) {
    for (const fails of [true, false]) {
      await workflows.run(workflowId, {
        input: { text: `zqtext${'y'.repeat(length)}`, length, fails },
        customerId,
      });
    }
  }
  await agents.route({ goal: 'Echo: zqtext', customerId });
  const { runId } = await workflows.run(waits.id, {
    background: true,
    input: { text: 'zqtext' },
    customerId,
  });
  await expect.poll(async () => (await runs.get(runId)).status).toBe('WAITING');
  await runs.cancel(runId, { by: 'ann', reason: 'zqtext is why' });
  await expect.poll(async () => (await runs.get(runId)).status).toBe('CANCELLED');
  for (const end of ends.splice(0).reverse()) await end();
  const content = readFileSync(path);
  const database = new DatabaseSync(path, { readOnly: true });
  const pages = database.prepare('SELECT pageno, pagetype, name, pgsize FROM dbstat').all();
  database.close();
  const found = pages.flatMap(({ pageno, pagetype, name, pgsize }) => {
    const end = Number(pageno) * Number(pgsize);
    const text = content.toString('latin1', end - Number(pgsize), end);
    return text.includes('zqtext') || text.includes(customerId) ? [{ pagetype, name }] : [];
  });
  expect(found.filter(({ pagetype }) => pagetype !== 'overflow')).toEqual([]);
  expect(found.length).toBeGreaterThan(50);
});

describe('deleting', () => {
  test.each([1, 40, 70])(
    'a run of %i steps leaves no byte in the files once it has resolved',
    async (steps) => {
      const { path, orchestrator } = await startService();
      const { runs, workflows } = orchestrator;
      const workflowId = await define(orchestrator, steps);
      const input = (text: string) => ({ text: text.repeat(20), length: 10, fails: false });
      await workflows.run(workflowId, { input: input('kept-text ') });
      const { runId } = await workflows.run(workflowId, { input: input('zqtext ') });
      expect(occurrences(path, 'zqtext')).toBeGreaterThan(20);
      await runs.delete(runId);
      expect(occurrences(path, 'zqtext')).toBe(0);
      expect(occurrences(path, 'kept-text')).toBeGreaterThan(20);
    },
  );

  test('a routed goal leaves no byte in the files, and neither do its traces', async () => {
    const { path, orchestrator } = await startService();
    const { agents } = orchestrator;
    const subtasks = [{ agentName: 'support_pipeline', payload: { message: 'Where is zqtext?' } }];
    const { routingId } = await agents.route({ goal: 'zqtext '.repeat(30), subtasks });
    expect(occurrences(path, 'zqtext')).toBeGreaterThan(10);
    await agents.deleteRoute(routingId);
    expect(occurrences(path, 'zqtext')).toBe(0);
  });
});
