import { PlaybookError } from '../adapters/playbook/faults.ts';
import { OrchestrationError } from '../domain/errors.ts';

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'the address is not available on this machine',
  EACCES: 'listening there is not permitted',
  ENOTFOUND: 'the host name cannot be resolved',
};

const startErrors: ReadonlySet<string> = new Set([
  'ModelFileError',
  'SqliteFileError',
  'PostgresStartError',
  'RedisStartError',
]);

/**
 * The reason for which the service could not start, in lines without secrets: one, or one for each fault of a playbook.
 */
export function describeStartError(error: unknown): readonly string[] {
  if (error instanceof PlaybookError) return error.message.split('\n');
  // Their classes are loaded only where there is a model, a file of records, or a database.
  if (error instanceof Error && startErrors.has(error.name)) return [toOneLine(error.message)];
  if (error instanceof OrchestrationError) return [toOneLine(error.message)];
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = listenErrors[code];
  if (reason !== undefined) return [`HOST, PORT: ${reason} (${code})`];
  return [
    `the service could not start: ${toOneLine(error instanceof Error ? error.message : String(error))}`,
  ];
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ').slice(0, 1_000);
}

/** Prints each error in a line on standard error and exits at once with code 1. */
export function exitWithErrors(errors: readonly string[]): never {
  for (const error of errors) process.stderr.write(`${error}\n`);
  process.exit(1);
}
