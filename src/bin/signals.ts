import { isatty } from 'node:tty';
import type { ReloadPlaybook } from '../application/driving-port.ts';
import { OrchestrationError } from '../domain/errors.ts';
import type { Logger } from '../ports/logger.ts';

const signals = [
  ['SIGTERM', 15],
  ['SIGINT', 2],
] as const;

/**
 * Stops the service on SIGTERM or SIGINT and exits with code 0. A second signal exits at once with 128 plus its number.
 * An uncaught exception or an unhandled rejection is logged and stops the service with exit code 1, so that a
 * supervisor restarts it; so does a rejection of `stop`. `flush` writes the last log lines.
 */
export function onShutdownSignal({
  logger,
  stop,
  flush,
}: {
  readonly logger: Logger;
  readonly stop: () => Promise<void>;
  readonly flush: () => Promise<void>;
}): void {
  let stopping = false;

  const shutDown = async (reason: string, exitCode: number): Promise<void> => {
    stopping = true;
    logger.info('shutting down', { reason });
    let code = exitCode;
    try {
      await stop();
    } catch (error) {
      logger.error('the shutdown failed', { err: error });
      code = 1;
    }
    logger.info('stopped', { exit_code: code });
    await flush();
    process.exit(code);
  };

  for (const [signal, number] of signals) {
    process.on(signal, () => {
      if (stopping) process.exit(128 + number);
      void shutDown(signal, 0);
    });
  }

  const onUncaught = (kind: string) => (error: unknown) => {
    logger.error(kind, { err: error });
    if (!stopping) void shutDown(kind, 1);
  };
  process.on('uncaughtException', onUncaught('uncaught exception'));
  process.on('unhandledRejection', onUncaught('unhandled rejection'));
}

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
