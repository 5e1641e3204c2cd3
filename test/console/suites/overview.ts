import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `overview`. */
export function overviewSuite(stage: () => Stage): void {
  describe('the overview of the console', () => {
    test('shows what the statistics say', async () => {
      const { open, baseUrl } = stage();
      const read = async () => {
        const answer = await createClient(baseUrl).stats.$get({ query: { window: '1h', step: '1m' } });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        return answer.json();
      };
      const { page, errors } = await open('/overview');
      const main = page.getByRole('main');
      // Other tests may be calling tools: figures of before and of now differ.
      await expect
        .poll(async () => {
          const { calls } = (await read()).totals.tools;
          return (await main.textContent())?.includes(`of ${calls.toLocaleString('en')} calls`);
        })
        .toBe(true);
      await main.getByRole('link', { name: /^[1-9]\d*\+? waiting$/ }).waitFor();
      await main.getByText(/\d failed in the last 15 minutes/).waitFor();
      const [group] = (await read()).needs.failed_runs.groups;
      await page
        .getByText(group?.error ?? 'no failed run', { exact: true })
        .first()
        .waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('says since when the oldest overdue item is open, which is not for how long it is overdue', async () => {
      const { page, errors } = await stage().open('/system');
      await page.route(/\/stats\?/, async (route) => {
        const stats = await (await route.fetch()).json();
        const oldest_opened_at = new Date(Date.now() - 31.5 * 60_000).toISOString();
        stats.needs.overdue = { count: 2, oldest_opened_at, oldest_age_seconds: 1_890 };
        await route.fulfill({ json: stats });
      });
      await page.evaluate("location.hash = '#/overview'");
      await page.getByText('2 items are overdue').waitFor();
      await page.getByText(/the oldest was opened 31 m \d+ s ago/).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    /** Runs a workflow of its own, which fails. */
    const fail = async () => {
      const api = createClient(stage().baseUrl);
      const name = `Overview ${randomUUID().slice(0, 8)}`;
      const steps = [
        { id: 'order', tool_name: 'check_order_status', static_input: { order_id: 'missing-1' } },
      ];
      const created = await api.workflows.$post({ json: { name, steps } });
      if (!created.ok) throw new Error(`status ${created.status}`);
      const { id } = await created.json();
      await api.workflows[':id'].run.$post({ param: { id }, json: {} });
      return { id, name };
    };

    test('shows a run that failed since the service last looked for failed runs, without any event', async () => {
      const { page, errors } = await stage().open('/quality');
      await page.route(/\/events$/, () => undefined);
      await createClient(stage().baseUrl).stats.$get({ query: { window: '1h', step: '1m' } });
      const { name } = await fail();
      await page.goto(new URL('#/overview', page.url()).href);
      await page.reload();
      await page.getByRole('link', { name: `${name}: 1 run` }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('leads from a failed run to what a retry does, before it is tried again', async () => {
      const { name } = await fail();
      const { page, errors } = await stage().open('/overview');
      const group = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: `${name}: 1 run` }) });
      await group.getByRole('link', { name: 'retry it' }).click();
      const dialog = page.getByRole('dialog', { name: 'Retry this run' });
      await dialog.getByRole('cell', { name: 'order', exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(page.url()).not.toContain('open=');
      expect(errors).toEqual([]);
      await page.close();
    });

    test('tells what happens also where the feed cannot be had', async () => {
      const { page, errors } = await stage().open('/system', { expected: [503] });
      await page.route(/\/events$/, (route) => route.fulfill({ status: 503, json: {} }));
      await page.clock.install();
      await page.goto(new URL('#/overview', page.url()).href);
      await page.reload();
      await page.locator('.live-polling').waitFor();
      const { name } = await fail();
      const told = page.getByRole('region', { name: 'Happening' }).getByRole('listitem');
      await expect
        .poll(async () => {
          await page.clock.fastForward(5_500);
          return (await told.allTextContents()).some((text) => text.includes(name));
        })
        .toBe(true);
      expect(errors).toEqual([]);
      await page.close();
    });

    test.each([1440, 1000])('has the plots of its tiles in lines at a width of %i', async (width) => {
      const { page } = await stage().open('/overview', { width });
      const plots = page.locator('.overview-tile .bars');
      await expect.poll(() => plots.count()).toBe(4);
      const places = await Promise.all((await plots.all()).map((plot) => plot.boundingBox()));
      const lines = new Set(places.map((place) => Math.round(place?.y ?? 0)));
      expect(lines.size).toBe(width === 1440 ? 1 : 2);
      await page.close();
    });

    test('shows a run that fails, without being read again', async () => {
      const { page, errors } = await stage().open('/overview');
      await page.locator('.live-live').waitFor();
      const { id, name } = await fail();
      const group = page.getByRole('link', { name: `${name}: 1 run` });
      await group.waitFor();
      await group.click();
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      expect(page.url()).toContain(id);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
