import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import { show } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the frame of all pages. */
export function frameSuite(stage: () => Stage): void {
  describe('the frame of the console', () => {
    test('goes to a page, a workflow or an id that is typed', async () => {
      const { open, records } = stage();
      const { page, errors } = await open('/overview', { expected: [404] });
      const goTo = async (text: string): Promise<void> => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: /^An id/ }).fill(text);
      };
      await goTo('qual');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Quality', level: 1 }).waitFor();
      await goTo(records.runs.failed);
      await page.getByRole('option', { name: /run$/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/#/runs/${records.runs.failed}`);
      await goTo(records.schedules.paused);
      await page.getByRole('option', { name: /schedule$/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/#/automation/${records.schedules.paused}`);
      await page.getByRole('region', { name: /^Schedule of/ }).waitFor();
      await goTo(records.conversation);
      await page.getByRole('option', { name: /conversation$/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Conversation ${records.conversation}` }).waitFor();
      await goTo('nightly');
      await page.getByRole('option', { name: /workflow$/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/#/workflows/${records.workflows.checks}`);
      expect(errors).toEqual([]);
      await page.close();
    });

    test.each(['workflows', 'messages', 'runs', 'routing', 'inbox'])(
      'says that %s have nothing of an id, and offers to delete nothing',
      async (list) => {
        const { page, errors } = await stage().open(`/${list}/nobody`, { expected: [404] });
        await page.getByText(/"nobody" not found/).waitFor();
        expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
        expect(errors).toEqual([]);
        await page.close();
      },
    );

    test('copies the whole id of what a page shows, which leads back to it', async () => {
      const { open, records, context, baseUrl } = stage();
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
      const { page, errors } = await open(`/runs/${records.runs.completed}`, { expected: [404] });
      await page.getByRole('button', { name: 'Copy id' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.press('ControlOrMeta+V');
      await page.getByRole('option', { name: `${records.runs.completed} run` }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('is used by keys, and lists them', async () => {
      const { page, errors } = await stage().open('/overview');
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys' });
      await dialog.getByText('list the keys').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('gives the focus to the head of a page that is gone to, and nothing when it is opened', async () => {
      const { page, errors } = await stage().open('/overview');
      expect(await focusOf(page)).toBe('BODY');
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await expect.poll(() => focusOf(page)).toBe('H1 Messages');
      await page.getByRole('table').getByRole('link').first().focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focusOf(page)).toMatch(/^H1 Message \w/);
      await page.keyboard.press('l');
      await expect.poll(() => focusOf(page)).toBe('H1 Messages');
      await page.goBack();
      await expect.poll(() => focusOf(page)).toMatch(/^H1 Message \w/);
      expect(errors).toEqual([]);
      await page.close();
    });

    test('gives the focus back when a dialog is closed or an action is done', async () => {
      const { page, errors, go } = await stage().open(`/messages/${stage().records.messages.concern}`);
      for (const [name, close] of [
        [/^Show as curl: The message/, () => page.keyboard.press('Escape')],
        [/^Delete/, () => page.getByRole('button', { name: 'Leave it' }).click()],
        [/^Delete/, () => page.getByRole('button', { name: 'Close' }).click()],
      ] as const) {
        await page.getByRole('button', { name }).first().focus();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
        await close();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(await focusOf(page)).toMatch(
          name.source.startsWith('^Del') ? /^BUTTON Delete/ : /^BUTTON curl/,
        );
      }
      await go('/automation');
      await page.getByRole('button', { name: 'Pause', exact: true }).first().focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focusOf(page)).toBe('BUTTON Resume');
      await page.keyboard.press('Enter');
      await expect.poll(() => focusOf(page)).toBe('BUTTON Pause');
      // An element that is removed with the focus leaves it to the head of the page.
      await page.evaluate('document.activeElement.remove()');
      expect(await focusOf(page)).toBe('H1 Schedules');
      expect(errors).toEqual([]);
      await page.close();
    });

    test('has the number of open items in the menu, and reads it at most every ten seconds', async () => {
      const { page, errors, baseUrl } = { ...(await stage().open('/system')), ...stage() };
      const link = (name: string) =>
        page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
      const answer = await createClient(baseUrl).inbox.$get({ query: { limit: '1' } });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { open } = (await answer.json()).counts;
      await link(`Inbox ${open} open`).waitFor();
      const asked: string[] = [];
      await page.route(/\/inbox\?limit=1$/, async (route) => {
        asked.push(route.request().url());
        await route.fulfill({ json: { counts: { open: 0 } } });
      });
      // A service without its feed makes everything stale every five seconds.
      await page.route(/\/events$/, (route) => route.fulfill({ status: 404, json: {} }));
      await page.clock.install();
      await page.reload();
      await page.locator('.live-polling').waitFor();
      for (let seconds = 0; seconds < 60; seconds++) await page.clock.runFor(1_000);
      await link('Inbox').waitFor();
      expect(asked.length).toBeGreaterThan(3);
      expect(asked.length).toBeLessThanOrEqual(7);
      expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
      await page.close();
    });

    test('keeps the theme that was chosen', async () => {
      const { page } = await stage().open('/system');
      const theme = () => page.evaluate('document.documentElement.dataset.theme');
      await page.getByRole('button', { name: 'Theme: system' }).click();
      await page.getByRole('button', { name: 'Theme: light' }).click();
      expect(await theme()).toBe('dark');
      await page.reload();
      await page.getByRole('button', { name: 'Theme: dark' }).click();
      expect(await theme()).toBe('system');
      await page.close();
    });

    test('keeps a filter in the address, and Back takes it off', async () => {
      const { page } = await stage().open('/messages');
      await page.getByLabel('Status').selectOption('failed');
      await page.waitForURL('**/#/messages?status=FAILED');
      await page.goBack();
      await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('');
      await page.close();
    });

    test.each([
      [429, 'more than 120 requests in 60 seconds', /Too many requests: more than 120 requests/],
      [503, 'the store cannot be reached', /busy: the store cannot be reached/],
      [401, 'a valid API key is required', /wants an API key/],
      [422, 'intent: must be an intent', /intent: must be an intent/],
    ])('says why the service refuses with %i', async (status, detail, words) => {
      const { page } = await stage().open('/system', { expected: [status] });
      await page.route(/\/trace\/?\?/, (route) =>
        route.fulfill({ status, json: { error: 'x', detail }, headers: { 'Retry-After': '600' } }),
      );
      await page.evaluate("location.hash = '#/messages'");
      await page.getByText(words).waitFor();
      await page.unroute(/\/trace\/?\?/);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('table', { name: 'Messages' }).waitFor();
      await page.close();
    });

    test('says that the service cannot be reached, and that changes are read every few seconds', async () => {
      const { page } = await stage().open('/system');
      await page.route(/\/trace\/?\?/, (route) => route.abort());
      await page.evaluate("location.hash = '#/messages'");
      await page.getByText('The service cannot be reached').waitFor();
      await page.close();
      const other = await stage().open('/system', { expected: [503] });
      await other.page.route(/\/events$/, (route) => route.fulfill({ status: 503, json: {} }));
      await other.page.reload();
      await other.page.locator('.live-polling').waitFor();
      await other.page.close();
    });

    test('gives up its connection while nobody sees the page, and reads again what it missed', async () => {
      const { page, errors } = await stage().open('/workflows');
      await page.locator('.live-live').waitFor();
      const isFeed = (request: Request): boolean => request.url().endsWith('/events');
      await page.clock.install();
      const ended = page.waitForEvent('requestfailed', isFeed);
      await show(page, 'hidden');
      await page.clock.fastForward(11_000);
      await ended;
      const again = page.waitForEvent('request', isFeed);
      const listed = page.waitForEvent('request', (request) => request.url().includes('/workflows'));
      await show(page, 'visible');
      await again;
      await page.clock.fastForward(1_000);
      await listed;
      expect(errors).toEqual([]);
      await page.close();
    });

    test('says so where there is no page', async () => {
      const { page, errors } = await stage().open('/nowhere');
      await page.getByText('There is no page at this address').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('shows each request as a command that does the same', async () => {
      const { page } = await stage().open('/messages?status=FAILED');
      await page.getByRole('button', { name: 'Show as curl: Messages' }).click();
      const command = page.getByRole('region', { name: 'curl: Messages' });
      await expect.poll(() => command.textContent()).toMatch(/^curl -s '?http:.*\/trace\/?\?.*status=FAILED/);
      await page.close();
    });
  });
}

/** The element that has the focus, and its text. */
async function focusOf(page: Page): Promise<string> {
  const text = await page.evaluate(
    "document.activeElement === document.body ? 'BODY' : document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()",
  );
  return String(text);
}
