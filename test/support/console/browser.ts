import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { chromium as chromiumProgram, findProgram } from '../process/programs.ts';

/** Chromium with a profile of its own. */
export interface Browser {
  readonly context: BrowserContext;
  /** Ends it, and removes its profile. */
  close(): Promise<void>;
}

/**
 * Starts Chromium. It connects to nothing but what its pages ask for. The names `ownNames` lead to this machine.
 */
export async function startBrowser(ownNames: readonly string[] = []): Promise<Browser> {
  const executablePath = await findProgram(chromiumProgram);
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    viewport: { width: 1440, height: 900 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=${ownNames.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
    ],
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
