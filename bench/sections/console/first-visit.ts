import { seedDemo } from '../../../examples/demo/seed.ts';
import { demoSettings } from '../../../examples/demo/service.ts';
import { startMeasuredPage } from '../../support/console/chromium.ts';
import { startService } from '../../support/process/servers.ts';
import { median } from '../../support/report/statistics.ts';
import { atMost, type Figure } from '../../support/report/target.ts';

/** The times of a first visit of the overview until something is painted, and until its figures are there. */
export async function measureFirstVisit(quick: boolean): Promise<readonly Figure[]> {
  await using service = await startService(demoSettings());
  const baseUrl = `http://127.0.0.1:${service.port}`;
  await seedDemo(baseUrl, { burst: 20 });
  await using measured = await startMeasuredPage();
  const { page } = measured;
  const paints: number[] = [];
  const usable: number[] = [];
  for (let round = 0; round < (quick ? 5 : 15); round++) {
    await page.goto('about:blank');
    await measured.forgetFiles();
    await page.goto(`${baseUrl}/console/#/overview`);
    await page.locator('.overview-tile').first().waitFor();
    usable.push(Number(await page.evaluate('performance.now()')));
    paints.push(
      Number(
        await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"),
      ),
    );
  }
  const [paint, ready] = [median(paints), median(usable)];
  return [
    {
      name: 'first visit of the overview: first paint',
      value: paint,
      unit: 'ms',
      target: atMost('console: first paint', paint, 300, ' ms'),
    },
    {
      name: 'first visit of the overview: figures are there',
      value: ready,
      unit: 'ms',
      target: atMost('console: usable overview', ready, 700, ' ms'),
    },
  ];
}
