import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../support/docs/pages.ts';
import {
  define,
  type Execution,
  endOf,
  runWorkflow,
  startExample,
  statusesOf,
} from '../../support/process/example-service.ts';
import { bodyOf, postJson, type Service } from '../../support/process/service.ts';

const example = 'examples/workflows/orders';
const read = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(root, example, name), 'utf8'));

let service: Service;
let id: string;

beforeAll(async () => {
  service = await startExample(`${example}/shop.ts`);
  id = await define(service, await read('workflow.json'));
});

afterAll(() => service.stop());

const order = (orderId: string): Promise<Execution> => runWorkflow(service, id, { order_id: orderId }, 2);

/** Decides about the approval that a run waits for. */
async function decide(
  { waiting_for }: Execution,
  outcome: string,
  note: string | null = null,
): Promise<number> {
  const [wait] = waiting_for;
  expect(wait).toMatchObject({ kind: 'approval', step_id: 'manager' });
  const reply = await postJson(`${service.baseUrl}/inbox/${wait?.item_id}/resolve`, {
    by: 'ann',
    outcome,
    note,
  });
  return reply.status;
}

describe('the example of an order', () => {
  test('books a small order without asking anybody', async () => {
    const run = await order('A-1');
    expect(run).toMatchObject({
      status: 'COMPLETED',
      output: {
        payment: `${run.execution_id}:charge`,
        bookings: [`${run.execution_id}:book:0`],
        approved_by: null,
      },
    });
    expect(statusesOf(run)).toEqual({
      order: 'COMPLETED',
      manager: 'SKIPPED',
      book: 'COMPLETED',
      charge: 'COMPLETED',
      clean_up: 'COMPLETED',
    });
  });

  test('asks the manager about a large order, and then books each line', async () => {
    const waiting = await order('A-2');
    expect(waiting).toMatchObject({ status: 'WAITING', output: null });
    const [wait] = waiting.waiting_for;
    const item = await bodyOf(await fetch(`${service.baseUrl}/inbox/${wait?.item_id}`));
    expect(item).toMatchObject({
      kind: 'approval',
      title: 'Order A-2 for 600 EUR',
      payload: { customer: 'Noor', lines: [{ article: 'desk', amount: 420 }, { article: 'chair' }] },
    });
    expect(await decide(waiting, 'approved')).toBe(200);
    const run = await endOf(service, waiting);
    const bookings = [0, 1].map((index) => `${run.execution_id}:book:${index}`);
    expect(run).toMatchObject({ status: 'COMPLETED', output: { bookings, approved_by: 'ann' } });
  });

  test('books nothing after a rejection, and cleans up', async () => {
    const waiting = await order('A-2');
    expect(await decide(waiting, 'rejected', 'too much')).toBe(200);
    const run = await endOf(service, waiting);
    expect(run).toMatchObject({
      status: 'FAILED',
      error: 'step "manager" failed: rejected by "ann": too much',
    });
    expect(statusesOf(run)).toMatchObject({ book: 'SKIPPED', charge: 'SKIPPED', clean_up: 'COMPLETED' });
  });

  test('locks an order while it is being booked', async () => {
    const waiting = await order('A-2');
    const second = await order('A-2');
    expect(second).toMatchObject({
      status: 'FAILED',
      error: 'step "order" failed: order A-2 is being booked',
    });
    expect(statusesOf(second)).toMatchObject({ clean_up: 'SKIPPED' });
    expect(await decide(waiting, 'approved')).toBe(200);
    expect((await endOf(service, waiting)).status).toBe('COMPLETED');
  });

  test('asks a busy bank three times', async () => {
    const run = await order('A-3');
    expect(run.status).toBe('COMPLETED');
    expect(run.step_results['charge']).toMatchObject({ attempts: 3 });
  });

  test('cleans up when the bank refuses, and keeps the bookings in a retry', async () => {
    const failed = await order('A-4');
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: 'step "charge" failed: the account has no money',
    });
    expect(failed.step_results['charge']).toMatchObject({ attempts: 1 });
    expect(statusesOf(failed)).toMatchObject({ book: 'COMPLETED', clean_up: 'COMPLETED' });
    await postJson(`${service.baseUrl}/runs/${failed.execution_id}/retry`, {});
    const retried = await endOf(service, failed);
    expect(retried.step_results['book']).toEqual(failed.step_results['book']);
    expect(statusesOf(retried)).toMatchObject({ charge: 'FAILED', clean_up: 'COMPLETED' });
  });

  test('records nothing for an input that does not fit', async () => {
    const reply = await postJson(`${service.baseUrl}/workflows/${id}/run`, { input: {} });
    expect({ status: reply.status, ...(await bodyOf<object>(reply)) }).toEqual({
      status: 422,
      error: 'Unprocessable Entity',
      detail: 'input.order_id: is missing',
    });
  });

  test('runs on weekdays at nine in Berlin', async () => {
    const schedule = { ...((await read('schedule.json')) as object), workflow_id: id };
    const reply = await postJson(`${service.baseUrl}/schedules`, schedule);
    const { schedule_id } = await bodyOf<{ readonly schedule_id: string }>(reply);
    expect(reply.status).toBe(201);
    const preview = await fetch(`${service.baseUrl}/schedules/${schedule_id}/preview?n=100`);
    const { fire_times } = await bodyOf<{ readonly fire_times: readonly string[] }>(preview);
    const local = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    });
    const days = new Set(fire_times.map((time) => local.format(new Date(time))));
    expect([...days].sort()).toEqual(['Fri 09:00', 'Mon 09:00', 'Thu 09:00', 'Tue 09:00', 'Wed 09:00']);
    const trigger = await postJson(`${service.baseUrl}/schedules/${schedule_id}/trigger`, {});
    expect(await endOf(service, await bodyOf<Execution>(trigger))).toMatchObject({ status: 'COMPLETED' });
  });
});
