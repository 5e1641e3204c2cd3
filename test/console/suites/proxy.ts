import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConsole } from '../../support/console/page.ts';
import { KEY, startConsole } from '../../support/console/proxy.ts';
import type { Stage } from '../../support/console/stage.ts';
import { startService } from '../../support/process/service.ts';

const folder = fileURLToPath(new URL('../../../assets/console', import.meta.url));

/** The tests of the console of a service that asks for a key. */
export function proxySuite(stage: () => Stage): void {
  /** A service with a key, one message in it, and its console, which the browser has opened. */
  async function startWithKey(readOnly: boolean) {
    const service = await startService({ AUTH_ENABLED: 'true', API_KEYS: KEY });
    onTestFinished(service.stop);
    const send = async (message: string): Promise<void> => {
      const response = await fetch(`${service.baseUrl}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Api-Key': KEY },
        body: JSON.stringify({ customer_id: 'c-1', source: 'api', message }),
      });
      expect(response.status).toBe(200);
    };
    await send('Where is my order A-1234?');
    const proxy = await startConsole(service.baseUrl, { folder, readOnly });
    const first = await stage().context.newPage();
    await first.goto(proxy.url);
    await first.close();
    const open = (place: string) => openConsole(stage().context, `http://127.0.0.1:${proxy.port}`, place);
    return { send, open };
  }

  describe('the console of a service that asks for a key', () => {
    test('reads, follows what happens, and acts, and the key never reaches the page', async () => {
      const { open, send } = await startWithKey(false);
      const { page, errors } = await open('/messages');
      await page.locator('.live-live').waitFor();
      const rows = page.getByRole('table').getByRole('row');
      await expect.poll(() => rows.count()).toBe(2);
      await send('I want a refund.');
      await page.getByRole('button', { name: '1 new' }).click();
      await expect.poll(() => rows.count()).toBe(3);
      await page.getByRole('button', { name: 'Show as curl: Messages' }).click();
      const command = page.getByRole('region', { name: 'curl: Messages' });
      await expect.poll(() => command.textContent()).toMatch(/X-Api-Key/i);
      const seen = await page.evaluate(
        'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie',
      );
      expect(seen).not.toContain(KEY);
      await page.keyboard.press('Escape');
      await page.keyboard.press('t');
      await page.getByLabel('Text').fill('Please delete my account.');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('heading', { name: /^What happened/ }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('offers no change where it is read-only, and says so', async () => {
      const { open, send } = await startWithKey(true);
      await send('You billed me twice. My lawyer will call you.');
      const { page, errors, go } = await open('/messages');
      await page.getByText('Read only: nothing can be changed from here.').waitFor();
      await page.getByRole('table').getByRole('row').nth(1).waitFor();
      await page.evaluate("location.hash = '#/messages?view=try'");
      await expect
        .poll(() => page.getByRole('button', { name: 'Send', exact: true }).isDisabled())
        .toBe(true);
      for (const [path, name, key] of [
        ['/quality', 'Run e', 'e'],
        ['/automation', 'New schedule n', 'n'],
        ['/inbox', 'Next n', 'n'],
      ] as const) {
        await go(path);
        const button = page.getByRole('button', { name });
        expect(await button.isDisabled()).toBe(true);
        expect(await button.getAttribute('title')).toBe('The console is read-only');
        await page.keyboard.press(key);
        await page.getByText('The console is read-only.').first().waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
      }
      await page.getByRole('list', { name: 'Queue' }).getByRole('link').first().click();
      await page.getByRole('region', { name: 'Why it is here' }).waitFor();
      await page.keyboard.press('c');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
