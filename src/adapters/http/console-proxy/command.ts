import { readFileSync, type Stats, statSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** The port of the console, where the arguments name none. */
const DEFAULT_PORT = 8_001;

/** The usage of the command. */
export const consoleUsage = `usage: orchestration-service console --url URL [--key-file FILE] [--port N] [--read-only]

Shows the console of a service in a browser on this machine. Requests are passed on to the service with its API key,
which the browser never gets.

  --url URL        the service, such as https://orchestration.example or https://example.com/orchestration
  --key-file FILE  a file with the API key in its first line; without it no key is sent
  --port N         the port on 127.0.0.1 (default: ${DEFAULT_PORT}); 0 takes any free one
  --read-only      pass on only what changes nothing

The command prints an address, which opens the console once, and runs until Ctrl-C.
`;

/** The parsed arguments. */
export interface ConsoleCommand {
  readonly url: string;
  readonly keyFile: string | undefined;
  readonly port: number;
  readonly readOnly: boolean;
}

/** Parses the arguments of the command. Throws for invalid ones; the message contains no value, which may be a key. */
export function parseConsoleCommand(args: readonly string[]): ConsoleCommand {
  const { url, port, 'key-file': keyFile, 'read-only': readOnly } = parse(args);
  if (url === undefined) throw new Error('--url: the address of the service is required');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new Error('--port: must be an integer from 0 to 65535');
  }
  return { url, keyFile, port: Number(port), readOnly };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        'key-file': { type: 'string' },
        port: { type: 'string', default: String(DEFAULT_PORT) },
        'read-only': { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new Error(describeParseError(args, error));
  }
}

function describeParseError(args: readonly string[], error: unknown): string {
  if (args.some((arg) => /^--?(?:api-?)?key(?:=|$)/.test(arg))) {
    return 'the key cannot be an argument, because other users of this machine can read it there: write it to a file, and name that with --key-file';
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && error instanceof Error) return error.message;
  const options = args.map((arg) => arg.split('=', 1)[0] ?? '').filter((arg) => arg.startsWith('--'));
  const unknown = options.find((name) => !/^--(?:url|key-file|port|read-only)$/.test(name));
  return unknown === undefined ? 'there is an argument too many' : `unknown argument: ${unknown}`;
}

/** The key of a file, and what is unsafe about the file. */
export interface KeyFile {
  readonly key: string;
  readonly warning: string | undefined;
}

/**
 * Reads the API key from the first line of a file, or of a pipe. Throws an error that says what is wrong with the file,
 * and nothing of its content.
 */
export function readKeyFile(path: string): KeyFile {
  let text: string;
  let stat: Stats;
  try {
    text = readFileSync(path, 'utf8');
    stat = statSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`cannot be read (${code})`);
  }
  const key = (text.split('\n', 1)[0] ?? '').trim();
  if (key === '') throw new Error('its first line is empty; it must be the API key');
  if (!/^[\x21-\x7e]{1,1024}$/.test(key)) {
    throw new Error('its first line must be the API key: at most 1,024 visible ASCII characters');
  }
  // Windows has no such bits, and those of a pipe do not matter.
  const isOpen = process.platform !== 'win32' && stat.isFile() && (stat.mode & 0o077) !== 0;
  const warning = isOpen ? `other users of this machine may read ${path}: chmod 600 protects it` : undefined;
  return { key, warning };
}
