import type { Logger } from '../ports/logger.ts';

export interface ProcessOptions {
  readonly logger: Logger;
  /** Ends everything in order. Its rejection is logged and makes the exit code 1. */
  readonly stop: () => Promise<void>;
  /** Hands the last log lines to the system. */
  readonly flush: () => Promise<void>;
}

/**
 * Ties the process to its signals: SIGTERM or SIGINT stops it in order with exit code 0, a second one ends it at
 * once with 128 and the signal's number. A fault that nobody caught is logged and stops it with exit code 1, so
 * that whatever watches the process starts a sound one.
 */
export function onShutdownSignal(options: ProcessOptions): void {
  const { logger, stop, flush } = options;
  let stopping = false;
  const end = async (reason: string, exitCode: number): Promise<void> => {
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
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGINT', 2],
  ] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(128 + number);
      void end(signal, 0);
    });
  }
  const onFault = (kind: string) => (error: unknown) => {
    logger.error(kind, { err: error });
    if (!stopping) void end(kind, 1);
  };
  process.on('uncaughtException', onFault('uncaught exception'));
  process.on('unhandledRejection', onFault('unhandled rejection'));
}
