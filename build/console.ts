import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const configFile = fileURLToPath(new URL('../console/vite.config.ts', import.meta.url));

/** Builds the console into `assets/console`. Rejects when its source does not compile. */
export async function buildConsole(): Promise<void> {
  await build({ configFile, logLevel: 'warn' });
}
