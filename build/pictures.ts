import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import type { DemoRecords } from '../examples/demo/seed.ts';
import { startDemo } from '../examples/demo/start.ts';
import { runStream } from '../examples/demo/stream/stream.ts';
import { startBrowser } from '../test/support/console/browser.ts';
import { openConsole } from '../test/support/console/page.ts';
import { buildConsole } from './console.ts';

// Takes the pictures of docs/console.md and README.md: each page of the console with the records of the demonstration.
// Those of one record come first; then made-up customers fill the overview for some minutes. With names, such as
// `npm run pictures -- inbox quality`, it takes these alone.

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));

/** Minutes in which the demonstration goes on before the overview is taken, which shows the last 15. */
const STREAM_MINUTES = 8;

const wanted = process.argv.slice(2);

/** A picture: where it is taken, what to do there, and what must be seen. */
interface Picture {
  readonly name: string;
  readonly place: string;
  readonly theme?: 'dark';
  readonly prepare?: (page: Page) => Promise<void>;
  /** A CSS selector, or a text in quotation marks. */
  readonly shows: string;
}

/** The pictures of single records. */
function recordPictures({ messages, runs, workflows, routes, items }: DemoRecords): readonly Picture[] {
  const run: Picture = {
    name: 'run',
    place: `/runs/${runs.failed}?step=charge`,
    shows: 'aside >> text=the account is closed',
  };
  return [
    { name: 'message', place: `/messages/${messages.notFound}`, shows: 'text=What happened' },
    run,
    { ...run, name: 'run-dark', theme: 'dark' },
    {
      name: 'waterfall',
      place: `/runs/${runs.retriedStep}?view=waterfall`,
      shows: 'text=critical path',
    },
    {
      name: 'workflow',
      place: `/workflows/${workflows.refund}?view=edit`,
      prepare: misspell,
      shows: 'role=list[name="What is wrong"]',
    },
    { name: 'routing', place: `/routing/${routes.completed}`, shows: 'text=What nobody takes' },
    { name: 'inbox', place: `/inbox/${items.escalation}`, shows: 'text=What is it about?' },
    {
      name: 'quality',
      place: '/quality?size=1000&seed=1',
      prepare: evaluate,
      shows: 'text=Threshold explorer',
    },
    { name: 'automation', place: '/automation', shows: 'text=Europe/Berlin' },
    { name: 'system', place: '/system', shows: 'text=Settings that are set' },
  ];
}

const isWanted = ({ name }: Picture): boolean => wanted.length === 0 || wanted.includes(name);

/** The pictures of what goes on. */
const streamPictures: readonly Picture[] = [
  { name: 'overview', place: '/overview?window=15m', shows: 'text=Needs you' },
  { name: 'overview-dark', place: '/overview?window=15m', theme: 'dark', shows: 'text=Needs you' },
];

/** Writes the name of a step wrongly into the definition that is edited, and goes to its line. */
async function misspell(page: Page): Promise<void> {
  const field = page.getByLabel('Definition as JSON');
  await field.waitFor();
  await field.fill((await field.inputValue()).replace(/"order",(?=\s+"pay")/, '"oder",'));
  await page.getByRole('list', { name: 'What is wrong' }).getByRole('button').first().click();
  await field.blur();
}

/** Runs the evaluation, and moves what it says about thresholds to the top. */
async function evaluate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run' }).click();
  const heading = page.getByRole('heading', { name: 'Threshold explorer' });
  await heading.waitFor({ timeout: 120_000 });
  await heading.evaluate((element) => element.closest('section')?.scrollIntoView());
  // The bar at the top covers what is below it.
  await page.mouse.wheel(0, -64);
}

/** Takes a picture into the folder of images. Rejects when the page has an error. */
async function take(context: BrowserContext, baseUrl: string, picture: Picture): Promise<void> {
  const { name, place, theme = 'light', prepare, shows } = picture;
  const { page, errors } = await openConsole(context, baseUrl, place, { theme, width: 1_280, height: 800 });
  await prepare?.(page);
  await page.locator(shows).first().waitFor({ timeout: 120_000 });
  // Parts that are read after the rest, and the layout of graphs.
  await page.waitForLoadState('load');
  await sleep(1_000);
  await page.mouse.move(0, 0);
  if (errors.length > 0) throw new Error(`${name}: ${errors.join('; ')}`);
  await page.screenshot({ path: `${images}console-${name}.png` });
  await page.close();
}

/** Takes all pictures of a demonstration that keeps its records in `folder`. */
async function takeAll(folder: string): Promise<void> {
  const stopped = new AbortController();
  const [{ service, records }, browser] = await Promise.all([
    startDemo({ PORT: '0' }, folder),
    startBrowser(),
  ]);
  const { baseUrl } = service;
  try {
    for (const picture of recordPictures(records).filter(isWanted)) {
      await take(browser.context, baseUrl, picture);
    }
    if (!streamPictures.some(isWanted)) return;
    const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
    const stream = runStream(baseUrl, records.workflows, { signal: stopped.signal, onError });
    await sleep(STREAM_MINUTES * 60_000);
    for (const picture of streamPictures.filter(isWanted)) await take(browser.context, baseUrl, picture);
    stopped.abort();
    await stream;
  } finally {
    stopped.abort();
    await browser.close();
    await service.stop();
  }
}

await buildConsole();
await mkdir(images, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
try {
  await takeAll(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
