import { createClient } from '../../../src/entries/client.ts';
import { startMeasuredPage } from '../../support/console/chromium.ts';
import { framesPerSecond } from '../../support/console/frames.ts';
import { startService } from '../../support/process/servers.ts';
import { median } from '../../support/report/statistics.ts';
import { atLeast, atMost, type Figure } from '../../support/report/target.ts';

const LAYERS = 100;
const WIDTH = 100;

/** A workflow of 10,000 steps: 100 layers of 100, each step after three of the layer before. */
function largeWorkflow() {
  const id = (layer: number, at: number): string => `s${layer}-${(at + WIDTH) % WIDTH}`;
  const steps = Array.from({ length: LAYERS * WIDTH }, (_, index) => {
    const layer = Math.floor(index / WIDTH);
    const at = index % WIDTH;
    const depends_on =
      layer === 0 ? [] : [id(layer - 1, at), id(layer - 1, at * 7 + 1), id(layer - 1, at + layer)];
    return { id: id(layer, at), tool_name: 'refund_policy', depends_on: [...new Set(depends_on)] };
  });
  return { name: 'Ten thousand steps', steps };
}

/** The time that drawing a run of 10,000 steps takes, and the smoothness with which its graph moves. */
export async function measureLargeRuns(quick: boolean): Promise<readonly Figure[]> {
  await using service = await startService({ MAX_WORKFLOW_STEPS: '10000', MAX_BODY_BYTES: '20000000' });
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const api = createClient(baseUrl);
  const created = await api.workflows.$post({ json: largeWorkflow() });
  if (!created.ok) throw new Error(`the workflow was refused: ${await created.text()}`);
  const { id } = await created.json();
  const ran = await api.workflows[':id'].run.$post({ param: { id }, json: {} });
  if (!ran.ok) throw new Error(`the run was refused: ${await ran.text()}`);
  const { execution_id } = await ran.json();

  await using measured = await startMeasuredPage();
  const { page } = measured;
  const draws: number[] = [];
  for (let round = 0; round < (quick ? 3 : 7); round++) {
    await page.goto('about:blank');
    await page.goto(`${baseUrl}/console/#/runs/${execution_id}`);
    await page.locator('.graph canvas, .graph svg [role="option"]').first().waitFor();
    // The graph is there; two further frames later it is painted.
    draws.push(Number(await page.evaluate(afterTwoFrames)));
  }
  const box = await page.locator('.graph').first().boundingBox();
  if (box === null) throw new Error('the graph has no place on the page');
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  const panned = await framesPerSecond(page, (step) =>
    page.mouse.move(middle.x + 200 * Math.sin(step / 9), middle.y + 100 * Math.cos(step / 9)),
  );
  await page.mouse.up();
  await page.keyboard.down('Control');
  const zoomed = await framesPerSecond(page, (step) => page.mouse.wheel(0, step % 40 < 20 ? -60 : 60));
  await page.keyboard.up('Control');
  const drawn = median(draws);
  return [
    {
      name: 'run of 10,000 steps: from the click to its graph',
      value: drawn,
      unit: 'ms',
      target: atMost('console: run of 10,000 steps', drawn, 1_000, ' ms'),
    },
    {
      name: 'its graph moved: frames a second',
      value: panned,
      unit: '/s',
      target: atLeast('console: frames while panning', panned, 50, '/s'),
    },
    {
      name: 'its graph zoomed: frames a second',
      value: zoomed,
      unit: '/s',
      target: atLeast('console: frames while zooming', zoomed, 50, '/s'),
    },
  ];
}

const afterTwoFrames = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))))`;
