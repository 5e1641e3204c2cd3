import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../src/entries/client.ts';
import { startMeasuredPage } from '../../support/console/chromium.ts';
import { startService } from '../../support/process/servers.ts';
import { atMost, type Figure } from '../../support/report/target.ts';

/** A run of ten steps makes about 35 events: 30 runs a second make a thousand. */
const STEPS = 10;
const RUNS_PER_SECOND = 30;

/** The cost of the overview while the feed brings about 1,000 events a second. */
export async function measureFeed(quick: boolean): Promise<readonly Figure[]> {
  await using service = await startService();
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const api = createClient(baseUrl);
  const steps = Array.from({ length: STEPS }, (_, index) => ({
    id: `s${index}`,
    tool_name: 'refund_policy',
    depends_on: index === 0 ? [] : [`s${index - 1}`],
  }));
  const created = await api.workflows.$post({ json: { name: 'Busy', steps } });
  if (!created.ok) throw new Error(`the workflow was refused: ${await created.text()}`);
  const { id } = await created.json();

  await using measured = await startMeasuredPage();
  const { page } = measured;
  await page.goto(`${baseUrl}/console/#/overview`);
  await page.locator('.overview-tile').first().waitFor();
  let isRunning = true;
  let runs = 0;
  const feeding = (async () => {
    while (isRunning) {
      const param = { id };
      await Promise.all(
        Array.from({ length: RUNS_PER_SECOND / 10 }, () =>
          api.workflows[':id'].run.$post({ param, json: {} }).then((answer) => answer.text()),
        ),
      );
      runs += RUNS_PER_SECOND / 10;
      await sleep(100);
    }
  })();
  await sleep(3_000);
  const [busyBefore, heapBefore, startedAt, runsBefore] = [
    await measured.busyMs(),
    await measured.heapBytes(),
    performance.now(),
    runs,
  ];
  await sleep(quick ? 10_000 : 60_000);
  const elapsed = performance.now() - startedAt;
  const share = ((await measured.busyMs()) - busyBefore) / elapsed;
  const grown = ((await measured.heapBytes()) - heapBefore) / 1_048_576;
  const events = ((runs - runsBefore) * (STEPS * 3 + 3)) / (elapsed / 1_000);
  isRunning = false;
  await feeding;
  return [
    { name: 'feed: events a second', value: events, unit: '/s' },
    {
      name: 'feed: share of a core that the page takes',
      value: share * 100,
      unit: '%',
      target: atMost('console: share of a core at 1,000 events a second', share * 100, 40, ' %'),
    },
    {
      name: `feed: growth of the page’s memory in ${quick ? 10 : 60} s`,
      value: grown,
      unit: 'MiB',
      target: atMost('console: growth of memory', grown, 2, ' MiB'),
    },
  ];
}
