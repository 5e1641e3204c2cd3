import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { DemoRecords } from '../../../examples/demo/seed.ts';
import { startDemo } from '../../../examples/demo/start.ts';
import { startBrowser } from './browser.ts';
import { type ConsolePage, type OpenOptions, openConsole } from './page.ts';

/** A filled service with the console, and a browser. */
export interface Stage {
  readonly baseUrl: string;
  /** The browser. */
  readonly context: BrowserContext;
  /** The ids of what is in the service. */
  readonly records: DemoRecords;
  /** Opens the console at a place, such as `/runs?status=FAILED`, in a tab of its own; the test closes it. */
  open(place: string, options?: OpenOptions): Promise<ConsolePage>;
  close(): Promise<void>;
}

/** Starts both. One of it serves all tests of a file: they must not need each other's changes. */
export async function startStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const [demo, browser] = await Promise.all([startDemo({ PORT: '0' }, folder), startBrowser()]);
  const { service, records } = demo;
  return {
    baseUrl: service.baseUrl,
    context: browser.context,
    records,
    open: (place, options) => openConsole(browser.context, service.baseUrl, place, options),
    async close() {
      await browser.close();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
