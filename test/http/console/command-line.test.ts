import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { parseConsoleCommand, readKeyFile } from '../../../src/adapters/http/console-proxy/command.ts';
import { parseUpstream } from '../../../src/adapters/http/console-proxy/forward.ts';
import { keyFile } from '../../support/console/key-file.ts';
import { KEY } from '../../support/console/proxy.ts';

/** The message of what `work` throws, which never has the key. */
function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    expect(message).not.toContain(KEY);
    return message;
  }
  throw new Error('nothing was thrown');
}

describe('the arguments of the console', () => {
  const url = ['--url', 'https://service.example'];

  test('need the address of the service alone', () => {
    expect(parseConsoleCommand(url)).toEqual({
      url: 'https://service.example',
      keyFile: undefined,
      port: 8_001,
      readOnly: false,
    });
    expect(parseConsoleCommand([...url, '--key-file', 'key', '--port=0', '--read-only'])).toMatchObject({
      keyFile: 'key',
      port: 0,
      readOnly: true,
    });
  });

  test.each<[readonly string[], RegExp]>([
    [[], /^--url: the address of the service is required$/],
    [[...url, '--key', KEY], /^the key cannot be an argument, .* --key-file$/],
    [[...url, `--api-key=${KEY}`], /^the key cannot be an argument/],
    [[...url, '-key', KEY], /^the key cannot be an argument/],
    [[...url, KEY], /^there is an argument too many$/],
    [[...url, `--token=${KEY}`], /^unknown argument: --token$/],
    [[...url, '--read-only=yes'], /--read-only/],
    [[...url, '--key-file'], /--key-file/],
    [[...url, '--port', '65536'], /^--port: must be an integer from 0 to 65535$/],
    [[...url, '--port', '-1'], /--port/],
    [[...url, '--port', '1e3'], /^--port: must be/],
  ])('are refused, and say what is wrong: %j', (args, message) => {
    expect(messageOf(() => parseConsoleCommand(args))).toMatch(message);
  });

  test.each([
    ['https://service.example', 'https://service.example', ''],
    ['https://service.example:8443/', 'https://service.example:8443', ''],
    ['http://[::1]:8000/a/b%20c//', 'http://[::1]:8000/a/b%20c', '/a/b%20c'],
  ])('take the address %s', (text, address, prefix) => {
    expect(parseUpstream(text, undefined)).toMatchObject({ address, prefix });
  });

  test.each([
    [KEY, 'must be an http:// or https:// URL'],
    ['', 'must be an http:// or https:// URL'],
    ['ftp://service.example', 'must be an http:// or https:// URL'],
    [`https://${KEY}@service.example`, 'must contain no user or password'],
    [`https://x:${KEY}@service.example`, 'must contain no user or password'],
    [`https://service.example?key=${KEY}`, 'must contain no query or fragment'],
    [`https://service.example/#${KEY}`, 'must contain no query or fragment'],
  ])('do not take the address %s', (text, message) => {
    expect(messageOf(() => parseUpstream(text, undefined))).toBe(message);
  });
});

describe('the key file', () => {
  test.each([KEY, `${KEY}\n`, ` \t${KEY} \r\nmore`, `\ufeff${KEY}\n${'x'.repeat(100_000)}`])(
    'has the key in its first line',
    async (text) => {
      expect(readKeyFile(await keyFile(text))).toEqual({ key: KEY, warning: undefined });
    },
  );

  test.each([0o640, 0o604, 0o666])('is warned of when others can read it', async (mode) => {
    const path = await keyFile(KEY, mode);
    expect(readKeyFile(path).warning).toBe(
      `other users of this machine may read ${path}: chmod 600 protects it`,
    );
  });

  test.each([
    ['nothing', ''],
    ['an empty first line', `\n${KEY}\n`],
    ['blanks', ' \t\n'],
  ])('must not begin with %s', async (_, text) => {
    const path = await keyFile(text);
    expect(messageOf(() => readKeyFile(path))).toBe('its first line is empty; it must be the API key');
  });

  test.each([
    ['two words', `${KEY} and more\n`],
    ['other letters', `${KEY}\u00e9`],
    ['control characters', `${KEY}\u0000`],
    ['a line without end', KEY.repeat(1_000)],
  ])('must not have %s', async (_, text) => {
    const path = await keyFile(text);
    expect(messageOf(() => readKeyFile(path))).toMatch(/^its first line must be the API key/);
  });

  test('must be a file that is there', () => {
    expect(messageOf(() => readKeyFile('nowhere'))).toBe('cannot be read (ENOENT)');
    expect(messageOf(() => readKeyFile(tmpdir()))).toBe('cannot be read (EISDIR)');
  });
});
