import { isatty } from 'node:tty';
import type { ReloadPlaybook } from '../application/driving-port.ts';
import { OrchestrationError } from '../domain/errors.ts';
import type { Logger } from '../ports/logger.ts';

/**
 * Reloads the playbook on SIGHUP. Faults are logged, and the process goes on. Where the signal says that the terminal
 * of the process was closed, it stops as on SIGTERM.
 */
export function onReloadSignal(reload: ReloadPlaybook, logger: Logger): void {
  const hadTerminal = hasTerminal();

  async function reloadLogged(): Promise<void> {
    try {
      await reload();
    } catch (error) {
      const faults = error instanceof OrchestrationError ? error.issues : undefined;
      const fields = faults === undefined ? { err: error } : { faults };
      logger.error('the playbook could not be reloaded, the last one stays in use', fields);
    }
  }

  process.on('SIGHUP', () => {
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM');
    else void reloadLogged();
  });
}

/** A terminal that was closed is none any more. */
function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}
