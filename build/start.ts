import { pathToFileURL } from 'node:url';
import { program, refreshService } from './service.ts';

// Runs the compiled service with the arguments of this process, compiled anew where the sources have changed.

try {
  await refreshService();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
await import(pathToFileURL(program).href);
