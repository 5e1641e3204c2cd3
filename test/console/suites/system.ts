import { describe, expect, test } from 'vitest';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `system`. */
export function systemSuite(stage: () => Stage): void {
  describe('the page system of the console', () => {
    test('names the settings that are set, and never their values', async () => {
      const { page, errors } = await stage().open('/system');
      await page.getByText('EXTENSIONS', { exact: true }).waitFor();
      await page.getByText('SQLite', { exact: false }).first().waitFor();
      expect(await page.locator('main').textContent()).not.toMatch(/extension\.ts|shop\.ts|demo\.db/);
      expect(errors).toEqual([]);
      await page.close();
    });

    test('lists the newest events, and shows one in full', async () => {
      const { page, errors } = await stage().open('/system?view=events&kind=inbox');
      const row = page.getByRole('row', { name: /inbox\.opened/ }).first();
      await row.getByText('inbox.opened').click();
      await page.getByRole('dialog', { name: 'inbox.opened' }).getByText('"item_kind"').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
