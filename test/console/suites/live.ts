import { randomUUID } from 'node:crypto';
import type { Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import { show } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the arrival of changes. */
export function liveSuite(stage: () => Stage): void {
  const api = () => createClient(stage().baseUrl);

  /** Creates a workflow of its own whose runs wait for a person. */
  async function createWaiting(): Promise<string> {
    const steps = [{ id: 'ask', kind: 'approval' as const, title: 'May it go on?' }];
    const created = await api().workflows.$post({
      json: { name: `Live ${randomUUID().slice(0, 8)}`, steps },
    });
    if (!created.ok) throw new Error(`status ${created.status}`);
    return (await created.json()).id;
  }

  /** Starts a run, which soon waits. */
  async function start(workflowId: string): Promise<string> {
    const answer = await api().workflows[':id'].run.$post({
      param: { id: workflowId },
      json: { background: true },
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { execution_id } = await answer.json();
    const status = async () => {
      const read = await api().runs[':execution_id'].$get({ param: { execution_id } });
      return read.ok ? (await read.json()).status : read.status;
    };
    await expect.poll(status).toBe('WAITING');
    return execution_id;
  }

  const cancel = (execution_id: string) =>
    api().runs[':execution_id'].cancel.$post({ param: { execution_id }, json: {} });

  describe('how changes arrive', () => {
    test('a row that no longer fits its list says so in its place, and leaves with the next look', async () => {
      const workflowId = await createWaiting();
      const [older, newer] = [await start(workflowId), await start(workflowId)];
      const { page, errors } = await stage().open(`/runs?status=WAITING&workflow=${workflowId}`);
      await page.locator('.live-live').waitFor();
      const rows = page.getByRole('table', { name: 'Runs' }).locator('[role=row][data-index]');
      const rowOf = (id: string) => rows.filter({ has: page.getByTitle(id) });
      await expect.poll(() => rows.count()).toBe(2);
      await cancel(newer);
      await rowOf(newer).getByText('changed').waitFor();
      expect(await rowOf(newer).getAttribute('data-index')).toBe('0');
      expect(await rowOf(older).getByText('changed').count()).toBe(0);
      await page.getByRole('button', { name: '1 changed' }).click();
      await expect.poll(() => rows.count()).toBe(1);
      await rowOf(older).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('a row of a further page changes in its place, and many new rows are not gathered one by one', async () => {
      const workflowId = await createWaiting();
      const oldest = await start(workflowId);
      for (let more = 0; more < 3; more++) await start(workflowId);
      const { page, errors, go } = await stage().open('/system');
      // Short pages, so that few runs make several.
      await page.route(/\/runs\?.*limit=50/, (route) =>
        route.continue({ url: route.request().url().replace('limit=50', 'limit=3') }),
      );
      await go(`/runs?workflow=${workflowId}`);
      await page.getByRole('button', { name: 'More' }).click();
      const rows = page.getByRole('table', { name: 'Runs' }).locator('[role=row][data-index]');
      await expect.poll(() => rows.count()).toBe(4);
      await cancel(oldest);
      await rows
        .filter({ has: page.getByTitle(oldest) })
        .getByText('cancelled')
        .first()
        .waitFor();
      await page.clock.install();
      await show(page, 'hidden');
      await page.clock.fastForward(11_000);
      for (let more = 0; more < 4; more++) await start(workflowId);
      await show(page, 'visible');
      await page.clock.fastForward(1_000);
      await page.getByRole('button', { name: 'many new' }).click();
      await expect.poll(() => rows.count()).toBe(3);
      expect(await page.getByTitle(oldest).count()).toBe(0);
      expect(errors).toEqual([]);
      await page.close();
    });

    test('a run gives up its stream while nobody sees the page, and goes on with the event after the last', async () => {
      const id = await start(await createWaiting());
      const { page, errors } = await stage().open(`/runs/${id}?view=events`);
      const isStream = (request: Request): boolean => request.url().endsWith(`/runs/${id}/events`);
      const rows = page.getByRole('cell', { name: /^execution\.(started|waiting)$/ });
      await expect.poll(() => rows.count()).toBeGreaterThan(0);
      const before = await rows.count();
      await page.clock.install();
      const ended = page.waitForEvent('requestfailed', isStream);
      await show(page, 'hidden');
      await page.clock.fastForward(11_000);
      await ended;
      const again = page.waitForEvent('request', isStream);
      await show(page, 'visible');
      expect(Number((await again).headers()['last-event-id'])).toBeGreaterThan(0);
      // The page lets go of a stream that says that it has ended.
      const finished = page.waitForEvent('requestfailed', isStream);
      await cancel(id);
      await finished;
      await page.clock.fastForward(1_000);
      await page.getByRole('cell', { name: 'execution.cancelled' }).waitFor();
      expect(await rows.count()).toBe(before);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
