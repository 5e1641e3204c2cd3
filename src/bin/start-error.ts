import { OrchestrationError } from '../domain/errors.ts';

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'the address is not one of this machine',
  EACCES: 'listening there is not permitted',
  ENOTFOUND: 'the host name cannot be resolved',
};

/** Why the service could not start, in one line that holds no secret. */
export function startErrorText(error: unknown): string {
  if (error instanceof OrchestrationError) return oneLine(error.message);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = listenFaults[code];
  if (reason !== undefined) return `HOST, PORT: ${reason} (${code})`;
  return `the service could not start: ${oneLine(error instanceof Error ? error.message : String(error))}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ').slice(0, 1_000);
}
