import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import { sqliteStorage } from '../../../src/entries/sqlite.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import {
  at,
  handled,
  replyTo,
  resolved,
  sampleExample,
  sampleItem,
} from '../../contracts/inbox-store-samples.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { makeFile, newPath, openFile } from '../../support/sqlite/files.ts';
import { sampleTrace } from '../../support/sqlite/traces.ts';
import { DAY_MS } from '../../support/stores.ts';

/** The number of occurrences of a text in the file and those beside it. */
function occurrences(path: string, text: string): number {
  const folder = dirname(path);
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(path)));
  expect(names).toContain(basename(path));
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

const customers = Array.from({ length: 5 }, (_, number) => ({
  id: `customer-secret${number}x`,
  /** It occurs in all that is about the customer. */
  secret: `secret${number}x`,
  order: `A-7395${number}`,
}));

type Customer = (typeof customers)[number];

/** Sends a message that has the secret everywhere, now and then as a draft and in one of three conversations. */
async function send(
  { messages }: Orchestrator,
  { id, secret, order }: Customer,
  random: (limit: number) => number,
) {
  const texts = [
    `Where is my order ${order}?`,
    'I want to speak to a person now!',
    'I want my money back or I will sue you.',
  ];
  return messages.process({
    source: `mail-${secret}`,
    customerId: id,
    subject: `Subject ${secret}`,
    metadata: { note: secret },
    message: `${texts[random(3)]} ${`My name is ${secret}. `.repeat(1 + random(200))}`,
    conversationId: random(4) === 0 ? null : `conversation-${secret}-${random(3)}`,
    draft: random(4) === 0,
  });
}

/** Lets people work on some of what waits, with the secret of its customer in all that they write. */
async function workOn({ inbox, datasets }: Orchestrator, random: (limit: number) => number): Promise<void> {
  const by = 'ann';
  for (let count = 0; count < 6; count++) {
    const item = await inbox?.next({ by });
    const secret = customers.find(({ id }) => id === item?.customerId)?.secret;
    if (item === undefined || secret === undefined) return;
    for (let notes = random(6); notes > 0; notes--) {
      await inbox?.addNote(item.itemId, { by, note: `Note ${secret} `.repeat(1 + random(60)) });
    }
    if (random(3) === 0) await inbox?.release(item.itemId, by);
    else {
      const response = `Dear ${secret}, here is your answer.`;
      await inbox?.resolve(item.itemId, {
        outcome: 'answered',
        by,
        response,
        intent: 'refund',
        note: secret,
      });
    }
    const { examples } = await datasets.examples('inbox', { status: 'proposed' }, { limit: 1 });
    for (const { exampleId } of examples) {
      await datasets.decide('inbox', exampleId, { status: 'accepted', by: `ann for ${secret}` });
    }
  }
}

/** Deletes a message or a conversation of a customer. */
async function deleteSome(
  orchestrator: Orchestrator,
  { id, secret }: Customer,
  random: (limit: number) => number,
) {
  if (random(5) === 0) {
    const conversationId = `conversation-${secret}-${random(3)}`;
    return orchestrator.conversations.delete(conversationId).catch(() => undefined);
  }
  const { items } = await orchestrator.traces.list({ limit: 50, offset: 0 }, { customerId: id });
  const trace = items[random(items.length)];
  return trace && orchestrator.traces.delete(trace.traceId);
}

/** The service on a new file, with many messages of all customers, on which people have worked. */
async function makeMessageService(seed: number) {
  const path = await newPath();
  const storage = sqliteStorage({ path });
  const orchestrator = createOrchestrator(defaultPorts(storage.ports));
  onTestFinished(async () => {
    await orchestrator.close();
    await storage.close();
  });
  const random = createRandom(seed);
  for (let round = 0; round < 6; round++) {
    await Promise.all(
      Array.from({ length: 15 }, (_, index) => send(orchestrator, customers[index % 5] ?? never(), random)),
    );
    await workOn(orchestrator, random);
    for (const other of [0, 1, 3]) await deleteSome(orchestrator, customers[other] ?? never(), random);
  }
  return { path, orchestrator, storage, random };
}

function never(): never {
  throw new Error('there is no such customer');
}

const erased = customers[2] ?? never();
const others = customers.filter((customer) => customer !== erased);

describe('erasing a customer', () => {
  test.each([1, 2])('leaves nothing readable in the files, and all of the others: %i', async (seed) => {
    const { path, orchestrator } = await makeMessageService(seed);
    const { traces, inbox } = orchestrator;
    const readAll = async (customer: Customer) => {
      const listed = await traces.list({ limit: 200, offset: 0 }, { customerId: customer.id });
      const read = await Promise.all(listed.items.map(({ traceId }) => traces.get(traceId)));
      const { items } = (await inbox?.list({ customerId: customer.id }, { limit: 200 })) ?? never();
      return { read, items };
    };
    const before = await Promise.all(others.map(readAll));
    expect(occurrences(path, erased.secret)).toBeGreaterThan(100);
    expect(occurrences(path, erased.order)).toBeGreaterThan(10);

    const counts = await orchestrator.erase(erased.id);

    expect(counts.traces).toBeGreaterThan(10);
    expect(counts.inboxItems).toBeGreaterThan(3);
    expect(counts.conversations).toBe(3);
    expect(counts.examples).toBeGreaterThan(0);
    expect([occurrences(path, erased.secret), occurrences(path, erased.order)]).toEqual([0, 0]);
    expect(await Promise.all(others.map(readAll))).toEqual(before);
    for (const { secret } of others) expect(occurrences(path, secret)).toBeGreaterThan(100);
  });

  test('leaves nothing of every customer, one after the other, while messages of others come in', async () => {
    const { path, orchestrator, random } = await makeMessageService(4);
    for (const [number, { id, secret, order }] of customers.entries()) {
      const next = customers[number + 1];
      const [counts] = await Promise.all([
        orchestrator.erase(id),
        ...Array.from({ length: next === undefined ? 0 : 5 }, () =>
          send(orchestrator, next ?? never(), random),
        ),
      ]);
      expect(counts.traces).toBeGreaterThan(0);
      expect([occurrences(path, secret), occurrences(path, order)]).toEqual([0, 0]);
    }
  });

  test('leaves nothing of deleted messages and conversations either', async () => {
    const { path, orchestrator } = await makeMessageService(5);
    const { traces, conversations } = orchestrator;
    for (const number of [0, 1, 2]) {
      await conversations.delete(`conversation-${erased.secret}-${number}`).catch(() => undefined);
    }
    const { items } = await traces.list({ limit: 200, offset: 0 }, { customerId: erased.id });
    for (const { traceId } of items) await traces.delete(traceId);
    expect(occurrences(path, erased.secret)).toBe(0);
  });
});

describe('what has expired', () => {
  test('is removed with its text, and ends are counted from the right time', async () => {
    const clock = createFakeClock(Date.now());
    const { path, adapters } = await makeFile({ clock, traceRetentionMs: 7 * DAY_MS });
    const { traces, conversations, inbox, examples } = adapters.ports;
    const record = async (id: string) => {
      await conversations.enter(`c-${id}`, `customer-${id}`, at(0));
      const message = handled(id, `c-${id}`, {
        customerId: `customer-${id}`,
        withItem: true,
        text: `Text ${id} `.repeat(300),
        trace: { message: `Text ${id}`, createdAt: new Date(clock.now()).toISOString() },
      });
      await conversations.record(message);
      return message.item ?? never();
    };
    for (let number = 0; number < 120; number++) {
      const item = await record(`early${number}x`);
      const example = sampleExample(item.itemId, { message: 'kept example' });
      const update = { item: resolved(item, at(1_000)), expectedVersion: 1, reply: replyTo(item), example };
      await inbox.update(update);
    }
    const waiting = await record('waits');
    clock.jump(3 * DAY_MS);
    const late = new Date(clock.now()).toISOString();
    await inbox.create({ ...resolved(sampleItem('late'), late), version: 1 });
    await conversations.enter('c-late', 'customer-late', late);
    await traces.put(sampleTrace('late', { createdAt: late }));
    clock.jump(4.5 * DAY_MS);

    // Before they are removed they are shown no more.
    const listed = async () => (await inbox.list({}, { limit: 9 })).items.map(({ itemId }) => itemId);
    expect(await listed()).toEqual([waiting.itemId, 'late']);
    expect(await inbox.get('item-of-early0x')).toBeUndefined();
    const again = { item: sampleItem('item-of-early0x'), expectedVersion: 2 };
    expect(await inbox.update(again)).toBe(false);
    expect(await conversations.get('c-early0x')).toBeUndefined();
    expect(await conversations.ofCustomer('customer-early0x')).toEqual([]);
    const now = new Date(clock.now()).toISOString();
    expect(await conversations.enter('c-early1x', 'another', now)).toMatchObject({ entries: [] });
    expect(await conversations.enter('c-late', 'another', now)).toBeUndefined();

    expect(occurrences(path, 'early')).toBeGreaterThan(100);
    await adapters.removeExpired();
    expect(await listed()).toEqual([waiting.itemId, 'late']);
    expect(await traces.get('late')).toBeDefined();
    expect(await examples.counts('inbox')).toMatchObject({ proposed: 120 });
    // The ids of examples are those of their items.
    for (const text of ['Text early', 'customer-early', 'c-early0x', 'A reply.']) {
      expect([text, occurrences(path, text)]).toEqual([text, 0]);
    }
    expect(occurrences(path, 'kept example')).toBe(120);
  });
});

test('texts are only in pages that SQLite never copies, and that it overwrites when they are deleted', async () => {
  const { path, orchestrator, storage } = await makeMessageService(6);
  await orchestrator.close();
  await storage.close();
  const content = readFileSync(path);
  const database = new DatabaseSync(path, { readOnly: true });
  const pages = database.prepare('SELECT pageno, pagetype, name, pgsize FROM dbstat').all();
  database.close();
  const kinds = new Map<unknown, number>();
  for (const { pageno, pagetype, name, pgsize } of pages) {
    const end = Number(pageno) * Number(pgsize);
    const text = content.toString('latin1', end - Number(pgsize), end);
    const found = customers.filter(({ secret, order }) => text.includes(secret) || text.includes(order));
    if (found.length > 0) kinds.set(pagetype, (kinds.get(pagetype) ?? 0) + 1);
    if (pagetype !== 'overflow') expect([name, found]).toEqual([name, []]);
  }
  expect([...kinds.keys()]).toEqual(['overflow']);
  expect(kinds.get('overflow')).toBeGreaterThan(100);
});

test('the log of a process that was killed is emptied at the start', async () => {
  const { path, adapters } = await makeFile();
  await adapters.ports.traces.put(sampleTrace('trace-1', { message: 'secret' }));
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const copy = join(dirname(path), 'copy.db');
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  const again = openFile(copy);
  await expect.poll(() => statSync(`${copy}-wal`).size).toBe(0);
  expect(await again.adapters.ports.traces.get('trace-1')).toMatchObject({ message: 'secret' });
});

test('a deletion while the file is copied is erased once the copy is done', async () => {
  const { path, adapters } = await makeFile();
  const { traces } = adapters.ports;
  const numbers = Array.from({ length: 400 }, (_, number) => number);
  await Promise.all(
    numbers.map((number) => traces.put(sampleTrace(`trace-${number}`, { message: `secret${number}x` }))),
  );
  const copying = adapters.backup(join(dirname(path), 'copy.db'));
  for (const number of numbers.slice(0, 50)) await traces.delete(`trace-${number}`);
  await copying;
  await sleep(1_200);
  for (const number of numbers.slice(0, 50)) {
    expect([number, readFileSync(path).includes(`secret${number}x`)]).toEqual([number, false]);
  }
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(readFileSync(path).includes('secret60x')).toBe(true);
});

/** The service on a new file, with durable runs. */
async function makeRunService() {
  const path = await newPath();
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
  async function close(): Promise<void> {
    await orchestrator.close(0);
    await storage.close();
  }
  onTestFinished(close);
  return { path, orchestrator, close };
}

/** A workflow of so many steps that give a text on. */
async function defineChain({ workflows }: Orchestrator, steps: number): Promise<string> {
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
    const { path, orchestrator } = await makeRunService();
    const { workflows, runs, agents, erase } = orchestrator;
    const random = createRandom(seed);
    const chain = await defineChain(orchestrator, 3);
    const long = await defineChain(orchestrator, 60);
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
  const { path, orchestrator, close } = await makeRunService();
  const { workflows, runs, agents } = orchestrator;
  const customerId = 'zqcustomer';
  const workflowId = await defineChain(orchestrator, 3);
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
  await close();
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
      const { path, orchestrator } = await makeRunService();
      const { runs, workflows } = orchestrator;
      const workflowId = await defineChain(orchestrator, steps);
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
    const { path, orchestrator } = await makeRunService();
    const { agents } = orchestrator;
    const subtasks = [{ agentName: 'support_pipeline', payload: { message: 'Where is zqtext?' } }];
    const { routingId } = await agents.route({ goal: 'zqtext '.repeat(30), subtasks });
    expect(occurrences(path, 'zqtext')).toBeGreaterThan(10);
    await agents.deleteRoute(routingId);
    expect(occurrences(path, 'zqtext')).toBe(0);
  });
});
