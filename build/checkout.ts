import { buildConsole } from './console.ts';
import { buildService } from './service.ts';

// Builds what a checkout runs: the service in dist/, and the console in assets/console.
await Promise.all([buildService(), buildConsole()]);
