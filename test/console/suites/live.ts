import { randomUUID } from 'node:crypto';
import type { Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import { show } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';

/** What is tested of how changes arrive. */
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
