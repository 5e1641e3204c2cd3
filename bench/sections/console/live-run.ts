import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../src/entries/client.ts';
import { startMeasuredPage } from '../../support/console/chromium.ts';
import { startService } from '../../support/process/servers.ts';
import type { Figure } from '../../support/report/target.ts';

const LAYERS = 100;
const WIDTH = 100;

/**
 * A workflow of 10,000 steps, 100 chains of 100, whose steps wait for 0.5 to 1.5 s, so that one ends about every 10 ms.
 */
function longWorkflow() {
  const steps = Array.from({ length: LAYERS * WIDTH }, (_, index) => {
    const layer = Math.floor(index / WIDTH);
    const chain = index % WIDTH;
    return {
      id: `s${layer}-${chain}`,
      kind: 'wait' as const,
      duration_ms: 500 + ((index * 7_919) % 1_000),
      depends_on: layer === 0 ? [] : [`s${layer - 1}-${chain}`],
    };
  });
  return { name: 'Ten thousand waits', steps };
}

/** The cost of the page of a run of 10,000 steps while the run is under way. */
export async function measureLiveRun(quick: boolean): Promise<readonly Figure[]> {
  await using service = await startService({ MAX_WORKFLOW_STEPS: '10000', MAX_BODY_BYTES: '20000000' });
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const api = createClient(baseUrl);
  const created = await api.workflows.$post({ json: longWorkflow() });
  if (!created.ok) throw new Error(`the workflow was refused: ${await created.text()}`);
  const { id } = await created.json();
  const started = await api.workflows[':id'].run.$post({ param: { id }, json: { background: true } });
  if (!started.ok) throw new Error(`the run was refused: ${await started.text()}`);
  const { execution_id } = await started.json();

  await using measured = await startMeasuredPage();
  const { page } = measured;
  const path = `/runs/${execution_id}`;
  let readings = 0;
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === path) readings++;
  });
  await page.goto(`${baseUrl}/console/#${path}`);
  await page.locator('.graph canvas, .graph svg [role="option"]').first().waitFor();
  await page.evaluate(noteLongTasks);
  await sleep(2_000);
  const [busyBefore, readingsBefore, startedAt] = [await measured.busyMs(), readings, performance.now()];
  await sleep(quick ? 10_000 : 40_000);
  const elapsed = performance.now() - startedAt;
  const share = ((await measured.busyMs()) - busyBefore) / elapsed;
  return [
    {
      name: 'run of 10,000 steps under way: share of a core that its page takes',
      value: share * 100,
      unit: '%',
    },
    {
      name: 'its readings of the whole run',
      value: (readings - readingsBefore) / (elapsed / 1_000),
      unit: '/s',
    },
    { name: 'its longest task', value: Number(await page.evaluate('longestTask')), unit: 'ms' },
  ];
}

/** Tasks of less than 50 ms are not told. */
const noteLongTasks = `globalThis.longestTask = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
}).observe({ type: 'longtask' });`;
