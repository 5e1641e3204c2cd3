import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

/** A page of the console, and what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  /** Errors of scripts, reports of the page's policy, requests that failed, and those to other servers. */
  readonly errors: string[];
  /** Goes to a place, such as `/runs?status=FAILED`, and waits for its head. */
  go(place: string): Promise<void>;
  /** The faults that axe-core finds on the page as it is now: one line for each element. */
  violations(): Promise<readonly string[]>;
}

/** Options of {@link openConsole}. */
export interface OpenOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Milliseconds by which the page paints and runs short timers later: a busy machine, or fingers quicker than it. */
  readonly lateMs?: number;
  /** Statuses of answers that are no errors here, such as 404 where a test asks for what is not there. */
  readonly expected?: readonly number[];
}

const require = createRequire(import.meta.url);
let axeSource: Promise<string> | undefined;

/** Opens the console of the service at `baseUrl` at a place. */
export async function openConsole(
  context: BrowserContext,
  baseUrl: string,
  place = '/overview',
  { theme = 'light', width = 1440, height = 900, expected = [], lateMs = 0 }: OpenOptions = {},
): Promise<ConsolePage> {
  const page = await context.newPage();
  const errors: string[] = [];
  const origin = new URL(baseUrl).origin;
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) errors.push(`other server: ${url}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expected.includes(status)) errors.push(`${status}: ${response.url()}`);
  });
  page.on('console', (message) => {
    const isExpected = expected.some((status) => message.text().includes(`status of ${status}`));
    if (message.type() === 'error' && !isExpected) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.setDefaultTimeout(15_000);
  if (lateMs > 0) {
    await page.addInitScript(`{
      const later = window.setTimeout.bind(window);
      window.setTimeout = (work, ms = 0, ...more) => later(work, ms < 100 ? ${lateMs} : ms, ...more);
      window.requestAnimationFrame = (work) => later(() => work(performance.now()), ${lateMs});
      window.cancelAnimationFrame = window.clearTimeout;
    }`);
  }
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  const go = async (to: string): Promise<void> => {
    await page.goto(`${baseUrl}/console/#${to}`);
    // After the next painting the page before is gone, with its head.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    // While the files of a page are loaded, its head is there for screen readers only, and its keys do nothing.
    await page.locator('h1:not(.only-read)').first().waitFor();
  };
  await go(place);
  return { page, errors, go, violations: () => findViolations(page) };
}

async function findViolations(page: Page): Promise<readonly string[]> {
  axeSource ??= readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(await axeSource);
  // The expression runs in the page, which has no types here.
  const found: unknown = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + ' at ' + target.join(' ') + ': ' + failureSummary)))`);
  return Array.isArray(found) ? found.map(String) : [`axe-core answered ${String(found)}`];
}

/** Presses Tab until what has the focus fits. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let count = 0; count < 80; count++) {
    const fits = await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`);
    if (fits === true) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

/** Lets the page believe that its tab was left, or that somebody came back to it. */
export function show(page: Page, state: 'visible' | 'hidden'): Promise<unknown> {
  return page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'))`);
}
