import { describe, expect, test } from 'vitest';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `quality`. */
export function qualitySuite(stage: () => Stage): void {
  describe('the page quality of the console', () => {
    test('finds by keyboard alone the threshold for 5 % wrong answers', async () => {
      const { page, errors } = await stage().open('/overview');
      await page.keyboard.press('g');
      await page.keyboard.press('q');
      await page.getByRole('button', { name: /^Run/ }).waitFor();
      await page.keyboard.press('e');
      const jump = page.getByRole('button', { name: /^At most 5 % wrong: / });
      await jump.waitFor({ timeout: 30_000 });
      for (let count = 0; count < 80; count++) {
        const text = await page.evaluate("document.activeElement?.textContent ?? ''");
        if (String(text).startsWith('At most 5 % wrong')) break;
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      const named = (await jump.textContent())?.split(': ')[1];
      const threshold = named === 'any threshold' ? 0 : Number(named);
      await page.waitForURL(`**threshold=${threshold}*`);
      expect(await page.getByRole('slider').inputValue()).toBe(String(threshold));
      await page.getByRole('slider').focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(`**threshold=${Math.round((threshold + 0.05) * 100) / 100}*`);
      const cell = page.getByRole('button', { name: /^\d+ tickets of \w+ read as \w+$/ }).first();
      const [count = '', expected = '', predicted = ''] =
        /^(\d+) tickets of (\w+) read as (\w+)$/
          .exec((await cell.getAttribute('aria-label')) ?? '')
          ?.slice(1) ?? [];
      await cell.click();
      await page.getByRole('heading', { name: `${expected} read as ${predicted}: ${count}` }).waitFor();
      // All of them: the page asks for as many as the service lists.
      const wrongs = page.getByRole('status').locator('.quality-wrongs').getByRole('listitem');
      await expect.poll(() => wrongs.count()).toBe(Number(count));
      const needless = page.getByRole('region', { name: 'Escalated needlessly' });
      await needless.getByText(/^\d+ tickets that could have been answered$/).click();
      await expect.poll(() => needless.getByRole('listitem').count()).toBeGreaterThan(0);
      expect(errors).toEqual([]);
      await page.close();
    });

    test('accepts the examples that people have made', async () => {
      const { page, errors } = await stage().open('/quality?view=examples&status=proposed');
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('j');
      await page.getByRole('region', { name: 'The chosen example' }).waitFor();
      await page.keyboard.press('a');
      await page.getByText('The example is accepted.').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
