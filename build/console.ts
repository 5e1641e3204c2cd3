import { buildConsole } from './build-console.ts';

// Builds the console into assets/console, which the service and the local proxy serve.
await buildConsole();
