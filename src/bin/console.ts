import {
  type ConsoleCommand,
  consoleUsage,
  type KeyFile,
  parseConsoleCommand,
  readKeyFile,
} from '../adapters/http/console-proxy/command.ts';
import { parseUpstream, type Upstream } from '../adapters/http/console-proxy/forward.ts';
import { startConsoleProxy } from '../adapters/http/console-proxy/server.ts';
import { isLoopback } from '../adapters/shared/loopback.ts';

/**
 * The command `console`: shows the console of a service on this machine until a signal ends it. Resolves to the exit
 * code, or to undefined while it runs: 1 where it could not start, 2 for a wrong usage.
 */
export async function runConsole(args: readonly string[]): Promise<number | undefined> {
  if (args.includes('--help')) {
    process.stdout.write(consoleUsage);
    return 0;
  }
  let command: ConsoleCommand;
  try {
    command = parseConsoleCommand(args);
  } catch (error) {
    return fail(2, messageOf(error), consoleUsage.split('\n')[0] ?? '');
  }
  return start(command);
}

async function start({ url, keyFile, port, readOnly }: ConsoleCommand): Promise<number | undefined> {
  let file: KeyFile | undefined;
  try {
    file = keyFile === undefined ? undefined : readKeyFile(keyFile);
  } catch (error) {
    return fail(1, `--key-file: ${messageOf(error)}`);
  }
  let upstream: Upstream;
  try {
    upstream = parseUpstream(url, file?.key);
  } catch (error) {
    return fail(2, `--url: ${messageOf(error)}`);
  }
  if (file?.warning !== undefined) warn(file.warning);
  if (file !== undefined && isReadableOnTheWay(upstream)) {
    warn(`${upstream.address} has no TLS: everybody on the way there can read the key`);
  }
  try {
    const proxy = await startConsoleProxy({ upstream, port, readOnly });
    process.stdout.write(
      `The console of ${upstream.address}${readOnly ? ', read-only,' : ''} is at this address, which works once:\n\n  ${proxy.url}\n\nCtrl-C ends it.\n`,
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void proxy.close().then(() => process.exit(0)));
    }
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reason =
      code === 'EADDRINUSE' ? 'the port is in use; choose another one' : 'it cannot be listened on';
    return fail(1, `--port ${port}: ${reason} (${String(code)})`);
  }
}

function isReadableOnTheWay({ origin }: Upstream): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

function fail(code: number, ...lines: readonly string[]): number {
  process.stderr.write(`${lines.join('\n')}\n`);
  return code;
}
