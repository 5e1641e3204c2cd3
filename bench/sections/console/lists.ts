import { startMeasuredPage } from '../../support/console/chromium.ts';
import { framesPerSecond } from '../../support/console/frames.ts';
import { startService } from '../../support/process/servers.ts';
import { atLeast, atMost, type Figure } from '../../support/report/target.ts';

const ROWS = 100_000;

/**
 * The scrolling of a list of 100,000 rows. The rows are made up: the answer of `GET /runs` is replaced by one of that
 * length.
 */
export async function measureLists(): Promise<readonly Figure[]> {
  await using service = await startService();
  const baseUrl = `http://127.0.0.1:${service.port}`;
  await using measured = await startMeasuredPage();
  const { page } = measured;
  const at = new Date(0).toISOString();
  const runs = Array.from({ length: ROWS }, (_, index) => ({
    execution_id: `run-${index}`,
    workflow_id: 'w',
    version: 1,
    status: 'COMPLETED',
    error: null,
    attempt: 1,
    retries: 0,
    recoveries: 0,
    background: true,
    origin: 'api',
    actions: [],
    waiting_for: [],
    created_at: at,
    started_at: at,
    completed_at: at,
    duration_ms: 12,
  }));
  await page.route('**/runs?*', (route) =>
    route.fulfill({ json: { executions: runs, limit: 200, next_cursor: null } }),
  );
  await page.goto(`${baseUrl}/console/#/runs`);
  const body = page.locator('.table-scrolls');
  await body.waitFor();
  let most = 0;
  const frames = await framesPerSecond(page, async (step) => {
    const rows = await page.evaluate(`(() => {
      const body = document.querySelector('.table-scrolls');
      body.scrollTop = (body.scrollHeight / 200) * ${step % 200};
      return body.querySelectorAll('[role="row"]').length;
    })()`);
    most = Math.max(most, Number(rows));
  });
  return [
    {
      name: 'list of 100,000 rows: rows in the document',
      value: most,
      unit: 'at most',
      target: atMost('console: rows in the document', most, 80),
    },
    {
      name: 'list of 100,000 rows: frames a second while it scrolls',
      value: frames,
      unit: '/s',
      target: atLeast('console: frames while scrolling', frames, 50, '/s'),
    },
  ];
}
