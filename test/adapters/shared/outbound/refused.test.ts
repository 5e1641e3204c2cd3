import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOutbound, type OutboundError } from '../../../../src/adapters/shared/outbound/outbound.ts';

/** Listens on every address of this machine, of both families where it has them. */
let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => server.listen(0, '0.0.0.0', resolve));
    server.listen(0, '::', resolve).once('close', reject);
  });
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The names of the hostile look-up and the address that each has. */
const names: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mapped-hex.example': ['::ffff:7f00:1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'local-nat64.example': ['64:ff9b:1::7f00:1'],
  '6to4.example': ['2002:7f00:1::'],
  'compatible.example': ['::127.0.0.1'],
  'translated.example': ['::ffff:0:127.0.0.1'],
  'teredo.example': ['2001:0:1::80ff:fffe'],
  'private.example': ['10.0.0.1', '192.168.1.1'],
  'link-local.example': ['fe80::1'],
  'zone.example': ['fe80::1%lo'],
  'metadata.example': ['169.254.169.254'],
  'unknown-form.example': ['127.1'],
  'no-address.example': ['localhost'],
  'metadata.google.internal': ['8.8.8.8'],
  'metadata.google.internal.': ['8.8.8.8'],
  'METADATA.goog': ['8.8.8.8'],
  'instance-data.ec2.internal': ['8.8.8.8'],
};

/** Hosts of URLs, as somebody may write them. */
const literals: readonly string[] = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
  ],
  ...['0177.0.0.1', '0x7f.0x0.0x0.0x1', '127.0.0.1.', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1'],
  ...[
    '0.0.0.0',
    '0',
    '0x0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '100.127.1.1',
  ],
  ...['169.254.169.254', '169.254.1.1', '0xa9fea9fe', '2852039166', '100.100.100.200', '168.63.129.16'],
  ...[
    '192.0.0.192',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...[
    '[::ffff:0:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...['[2001:0:1::80ff:fffe]', '[fe80::1]', '[fec0::1]', '[fd00::1]', '[fd00:ec2::254]', '[fd20:ce::254]'],
  ...['[ff02::1]', '[2001:db8::1]', '[100::1]', '[4000::1]'],
];

/** Asks with a look-up that knows only the hostile names, and `localhost` by the system. */
async function errorOf(url: string, allow: readonly string[] = []): Promise<OutboundError> {
  const outbound = createOutbound({
    allow,
    resolve: async (host) =>
      (names[host] ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  onTestFinished(() => outbound.close());
  return outbound.request({ url, timeoutMs: 5_000 }).then(
    () => expect.fail('was answered'),
    (error: OutboundError) => error,
  );
}

const hosts = [
  ...literals,
  ...Object.keys(names),
  'localhost',
  'LOCALHOST',
  'localhost.',
  'anything.localhost',
];

describe('a request is refused, and makes no connection,', () => {
  test('in the tests below to more than forty hosts', () => {
    expect(hosts.length).toBeGreaterThan(60);
  });

  test.each(hosts)('to host %s, by https and by http', async (host) => {
    const before = connections;
    for (const scheme of ['https', 'http', 'HTTPS']) {
      const error = await errorOf(`${scheme}://${host}:${port}/path?token=hidden`);
      expect(error).toMatchObject({ failure: 'refused', permanent: true, safeToRetry: true });
      expect(error.message).toMatch(/^requests to host ".+" are refused: /);
      expect(error.message).not.toMatch(/hidden|path/);
    }
    expect(connections).toBe(before);
  });

  test.each([
    ['169.254.169.254', '169.254.0.0/16'],
    ['169.254.169.254', '169.254.169.254'],
    ['[::ffff:169.254.169.254]', '169.254.169.254'],
    ['[64:ff9b::a9fe:a9fe]', '64:ff9b::/96'],
    ['[2002:a9fe:a9fe::1]', '2002::/16'],
    ['[fd00:ec2::254]', 'fd00::/8'],
    ['100.100.100.200', '0.0.0.0/0'],
    ['metadata.example', 'metadata.example'],
    ['metadata.example', '0.0.0.0/0'],
    ['metadata.google.internal', 'metadata.google.internal'],
    ['metadata.google.internal.', 'metadata.google.internal'],
  ])('to the metadata of a cloud at %s, although %s is allowed', async (host, allowed) => {
    const error = await errorOf(`http://${host}:${port}/`, [allowed]);
    expect(error.message).toMatch(/are refused: it serves the credentials of a cloud$/);
  });

  test('to a name whose address changes to one that is not allowed: it is looked up once for a connection', async () => {
    const before = connections;
    const answers = ['127.0.0.1', '127.0.0.2'];
    let lookups = 0;
    const outbound = createOutbound({
      allow: ['127.0.0.1'],
      // Each look-up has the next answer. A guard that looks up for the check and again for the connection falls for
      // it.
      resolve: async () => [{ address: answers[lookups++] ?? '', family: 4 }],
    });
    onTestFinished(() => outbound.close());
    const ask = () => outbound.request({ url: `http://rebinding.example:${port}/` });
    await expect(ask()).rejects.toMatchObject({ failure: 'broken' });
    expect({ lookups, connections }).toEqual({ lookups: 1, connections: before + 1 });
    await expect(ask()).rejects.toMatchObject({ failure: 'refused' });
    expect({ lookups, connections }).toEqual({ lookups: 2, connections: before + 1 });
  });

  test('to those addresses of a name that are not allowed', async () => {
    const before = connections;
    const outbound = createOutbound({
      allow: [],
      resolve: async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
        { address: '192.0.2.1', family: 4 },
      ],
    });
    onTestFinished(() => outbound.close());
    const pending = outbound.request({ url: `https://several.example:${port}/` });
    await expect(pending).rejects.toMatchObject({ failure: 'refused' });
    expect(connections).toBe(before);
  });

  test.each([
    ['another host', 'other.example'],
    ['another port', 'loopback.example:1'],
    ['another address', '127.0.0.2'],
    ['the same address at another port', '127.0.0.1:1'],
    ['the end of its name', 'example'],
  ])('where %s is allowed', async (_what, allowed) => {
    const before = connections;
    const error = await errorOf(`http://loopback.example:${port}/`, [allowed]);
    expect(error.failure).toBe('refused');
    expect(connections).toBe(before);
  });

  test('by http to a public address, which would show what it sends', async () => {
    const error = await errorOf('http://93.184.215.14/');
    expect(error.message).toBe(
      'requests to host "93.184.215.14" are refused: only https is allowed, unless OUTBOUND_ALLOW names it',
    );
  });
});

describe('a URL is not valid', () => {
  test.each([
    ['nothing', '', 'the URL is not valid'],
    ['no scheme', 'loopback.example/', 'the URL is not valid'],
    ['no host', 'https://', 'the URL is not valid'],
    ['a host that is no address', 'https://1.2.3.4.5/', 'the URL is not valid'],
    ['a file', 'file:///etc/passwd', 'the URL must begin with https://'],
    ['another scheme', 'gopher://127.0.0.1/', 'the URL must begin with https://'],
    ['data', 'data:text/plain,hidden', 'the URL must begin with https://'],
    ['a user', 'https://hidden@example.com/', 'the URL must not contain a user or a password'],
    ['a password', 'https://:hidden@example.com/', 'the URL must not contain a user or a password'],
    [
      'more than 16,384 characters',
      `https://example.com/${'x'.repeat(20_000)}`,
      'the URL is longer than 16384 characters',
    ],
  ])('with %s', async (_what, url, message) => {
    expect(await errorOf(url)).toMatchObject({ failure: 'invalid', message });
  });
});
