import { isLoopback } from '../shared/loopback.ts';
import type { Settings } from './settings.ts';

/** Whether the console is served: as `CONSOLE` says, else only where the service listens for this machine alone. */
export function hasConsole({ CONSOLE, HOST }: Pick<Settings, 'CONSOLE' | 'HOST'>): boolean {
  return CONSOLE ?? isLoopback(HOST);
}
