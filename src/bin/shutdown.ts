import type { Logger } from '../ports/logger.ts';

/** Options of {@link onShutdownSignal}. */
export interface ShutdownOptions {
  readonly logger: Logger;
  /** Stops the service. A rejection is logged and makes the exit code 1. */
  readonly stop: () => Promise<void>;
  /** Writes the last log lines. */
  readonly flush: () => Promise<void>;
}

const signals = [
  ['SIGTERM', 15],
  ['SIGINT', 2],
] as const;

/**
 * Stops the service on SIGTERM or SIGINT and exits with code 0. A second signal exits at once with 128 plus its number.
 * An uncaught exception or an unhandled rejection is logged and stops the service with exit code 1, so that a
 * supervisor restarts it.
 */
export function onShutdownSignal({ logger, stop, flush }: ShutdownOptions): void {
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
