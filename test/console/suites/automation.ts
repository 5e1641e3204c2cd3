import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `automation`. */
export function automationSuite(stage: () => Stage): void {
  describe('the page automation of the console', () => {
    test('creates, pauses, runs and deletes a schedule, and says what is wrong with one', async () => {
      const { open, records, baseUrl } = stage();
      const { page, errors } = await open('/automation', { expected: [422] });
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'New schedule' });
      await dialog.getByLabel('Workflow').selectOption(records.workflows.checks);
      await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
      const times = dialog.getByLabel('Times', { exact: true });
      await times.fill('never');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await expect.poll(() => times.getAttribute('aria-invalid')).toBe('true');
      const broken = dialog.getByLabel('broken (required)');
      expect(await broken.getAttribute('aria-invalid')).toBe('true');
      expect(await dialog.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
      await broken.fill('archive-spare');
      await times.fill('7 3 * * 2');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      const card = page.getByRole('region', { name: /7 3 \* \* 2 in Asia\/Tokyo/ });
      await expect.poll(() => card.getByRole('listitem').count()).toBe(5);
      await card.getByRole('button', { name: 'Pause', exact: true }).click();
      await card.getByText('paused').waitFor();
      await card.getByRole('button', { name: 'Edit', exact: true }).click();
      const edited = page.getByRole('dialog', { name: 'Change the schedule' });
      expect(await edited.getByLabel('broken (required)').inputValue()).toBe('archive-spare');
      await edited.getByLabel('Missed times').selectOption('last');
      await edited.getByRole('button', { name: 'Save', exact: true }).click();
      await card.getByText('the last one is made up for').waitFor();
      await card.getByText('paused').waitFor();
      await card.getByRole('button', { name: 'Run now', exact: true }).click();
      await page.waitForURL('**/#/runs/*');
      await page.getByRole('heading', { level: 1, name: /Nightly checks/ }).waitFor();
      await page.goBack();
      await card.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await card.waitFor({ state: 'detached' });
      const left = await createClient(baseUrl).schedules.$get();
      expect(JSON.stringify(await left.json())).not.toContain('7 3 * * 2');
      expect(errors).toEqual([]);
      await page.close();
    });

    test('makes a schedule for a workflow that is not among the newest, by its id', async () => {
      const { page, errors, go } = await stage().open('/system', { expected: [404] });
      const { checks, statements } = stage().records.workflows;
      // As if there were more than one page of workflows.
      await page.route(/\/workflows\?limit=200$/, async (route) => {
        const { workflows } = await (await route.fetch()).json();
        const newest = workflows.filter(({ id }: { id: string }) => id === statements);
        await route.fulfill({ json: { workflows: newest, total: 201, limit: 200, offset: 0 } });
      });
      await go('/automation');
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'New schedule' });
      const field = dialog.getByLabel('Workflow', { exact: true });
      await field.fill('no-such-workflow');
      await field.press('Tab');
      await dialog.getByText('There is no workflow with this id').waitFor();
      await field.fill(checks);
      await field.press('Tab');
      await dialog.getByText('“Demo: Nightly checks”').waitFor();
      await dialog.getByLabel('broken (required)').fill('archive-spare');
      await dialog.getByLabel('Times', { exact: true }).fill('8 4 * * 3');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      const card = page.getByRole('region', { name: /8 4 \* \* 3/ });
      await card.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await card.waitFor({ state: 'detached' });
      await go(`/runs?workflow=${checks}`);
      expect(await page.getByLabel('Workflow', { exact: true }).inputValue()).toBe(checks);
      expect(errors).toEqual([]);
      await page.close();
    });

    test('keeps in the URL which schedules are shown', async () => {
      const { page, errors, go } = await stage().open('/system');
      const { eachMinute, weekdays } = stage().records.schedules;
      // Two schedules, as if they were those of two pages.
      await page.route(/\/schedules\?/, async (route) => {
        const isSecond = route.request().url().includes('offset=20');
        const { schedules } = await (await route.fetch({ url: `${stage().baseUrl}/schedules` })).json();
        const wanted = isSecond ? weekdays : eachMinute;
        const shown = schedules.filter((one: { schedule_id: string }) => one.schedule_id === wanted);
        await route.fulfill({ json: { schedules: shown, total: 21, limit: 20, offset: isSecond ? 20 : 0 } });
      });
      await go('/automation');
      await page.getByText('1 to 1 of 21').waitFor();
      await page.getByRole('button', { name: 'Older' }).click();
      await page.waitForURL('**/#/automation?offset=20');
      await page.getByText('21 to 21 of 21').waitFor();
      await page.reload();
      await page.getByText('21 to 21 of 21').waitFor();
      await page.goBack();
      await page.getByText('1 to 1 of 21').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('tries a tool that reads at once, and asks before one that writes', async () => {
      const { page, errors } = await stage().open('/automation?view=tools&tool=refund_policy');
      await page.getByRole('button', { name: 'Call refund_policy', exact: true }).click();
      await page.getByRole('region', { name: 'Output of the tool' }).waitFor();
      await page.evaluate("location.hash = '#/automation?view=tools&tool=demo_send_letter'");
      await page.getByRole('button', { name: 'Call demo_send_letter', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('acts as soon as you confirm').waitFor();
      await dialog.getByRole('button', { name: 'Leave it' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.getByRole('region', { name: 'Output of the tool' }).count()).toBe(0);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
