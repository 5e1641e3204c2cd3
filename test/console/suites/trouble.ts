import { describe, expect, onTestFinished, test } from 'vitest';
import { openConsole } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';
import { startService } from '../../support/process/service.ts';

/** The tests of pages that cannot show their content: addresses, answers, a service that is away, or has no records. */
export function troubleSuite(stage: () => Stage): void {
  describe('the console in trouble', () => {
    test.each([
      (id: string) => `/runs/${id}?step=toString`,
      (id: string) => `/runs/${id}?step=__proto__&view=steps`,
      (id: string) => `/runs/${id}?compare=`,
      () => '/messages?view=try&from=',
      () => '/routing?view=try&from=',
    ])('shows a page whose address names what is not there, and the next page', async (placeOf) => {
      const { open, records } = stage();
      const { page, errors, go } = await open(placeOf(records.runs.completed));
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      await go('/system');
      await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('says that a page could not be shown, and shows the next one', async () => {
      const { page, errors } = await stage().open('/system');
      await page.route(/\/trace\/?\?/, (route) =>
        route.fulfill({ json: { traces: [{}], total: 1, offset: 0 } }),
      );
      await page.evaluate("location.hash = '#/messages'");
      await page.getByText('This page could not be shown').waitFor();
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('table', { name: 'Runs' }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test.each([
      ['/messages', /\/trace\/?\?/, { traces: [], total: 0, offset: 0 }, 'No message has come yet.'],
      ['/routing', /\/agents\/routes/, { routes: [], total: 0, offset: 0 }, 'No goal was routed yet.'],
      [
        '/quality?view=examples',
        /\/examples/,
        { examples: [], next_cursor: null },
        'There is no example yet.',
      ],
    ])(
      'says in %s of a fresh service that there is nothing yet, not that nothing fits',
      async (path, url, json, words) => {
        const { page, errors, go } = await stage().open('/system');
        await page.route(url, (route) => route.fulfill({ json }));
        await go(path);
        await page.getByText(words).waitFor();
        expect(await page.getByText(/^No \w+ fits/).count()).toBe(0);
        expect(errors).toEqual([]);
        await page.close();
      },
    );

    test('says that the service is away, once and without figures, and goes on by itself when it is back', async () => {
      const first = await startService();
      onTestFinished(first.stop);
      const { page } = await openConsole(stage().context, first.baseUrl, '/workflows');
      await page.locator('.live-live').waitFor();
      await page.evaluate("location.hash = '#/system'");
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      await first.stop();
      await page.getByText('not reachable').waitFor();
      await page.evaluate("location.hash = '#/workflows'");
      await page.getByText('The service cannot be reached').waitFor();
      expect(await page.getByText('The service cannot be reached').count()).toBe(1);
      expect(await page.getByText('Runs today').count()).toBe(0);
      const second = await startService({ PORT: String(first.port) });
      onTestFinished(second.stop);
      await page.locator('.live-live').waitFor();
      await page.getByText('No workflow is stored').waitFor();
      expect(await page.getByText('The service cannot be reached').count()).toBe(0);
      await page.getByText('Runs today: all 0 since midnight').waitFor();
      await page.close();
    });
  });
}
