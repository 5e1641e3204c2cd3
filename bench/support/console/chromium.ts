import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

/** A page of the console in a browser of its own, with the figures that Chromium keeps of it. */
export interface MeasuredPage extends AsyncDisposable {
  readonly page: Page;
  /** Milliseconds that its main thread has worked, from its start. */
  busyMs(): Promise<number>;
  /** Bytes of JavaScript objects that are in use, after everything else was collected. */
  heapBytes(): Promise<number>;
  /** Forgets all files, so that the next visit is like the first one. */
  forgetFiles(): Promise<void>;
}

/** Starts Chromium with an empty page of 1,440 by 900 pixels. */
export async function startMeasuredPage(): Promise<MeasuredPage> {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return {
    page,
    busyMs: async () => (await metric(session, 'TaskDuration')) * 1_000,
    async heapBytes() {
      await session.send('HeapProfiler.collectGarbage');
      return metric(session, 'JSHeapUsedSize');
    },
    async forgetFiles() {
      await session.send('Network.clearBrowserCache');
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function launch(): Promise<Browser> {
  const { stdout } = await promisify(execFile)('which', ['chromium']);
  return chromium.launch({
    executablePath: stdout.trim(),
    headless: true,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((entry) => entry.name === name)?.value ?? Number.NaN;
}
