import { describe, expect, test } from 'vitest';
import { normalizeAddress } from '../../../src/adapters/http/middleware/access-control.ts';
import { createTestApp } from '../../support/http/app.ts';

const PEER = '192.0.2.1';

/** An app that records the clients that its limiter counts. */
function createRecordingApp(trustProxyHeaders: boolean) {
  const clients: string[] = [];
  const limiter = {
    async consume(client: string) {
      clients.push(client);
      return { admitted: true, limit: 1, remaining: 1, resetSeconds: 1, windowSeconds: 1 };
    },
  };
  return { clients, ...createTestApp({ http: { limiter, trustProxyHeaders } }) };
}

/** Sends a request with these X-Forwarded-For lines and returns the client that the limiter counted. */
async function clientOf(
  trustProxyHeaders: boolean,
  lines: readonly string[],
  peer: string = PEER,
): Promise<string | undefined> {
  const { clients, request } = createRecordingApp(trustProxyHeaders);
  const headers = new Headers();
  for (const line of lines) headers.append('X-Forwarded-For', line);
  expect((await request('/tools', { headers }, peer)).status).toBe(200);
  expect(clients).toHaveLength(1);
  return clients[0];
}

const last = '203.0.113.9';

describe('the address of a client behind a trusted proxy', () => {
  test.each<[string, readonly string[], string]>([
    ['no header', [], PEER],
    ['an empty header', [''], PEER],
    ['one address', [last], last],
    ['several addresses', [`198.51.100.1, 198.51.100.2,${last}`], last],
    ['two lines', ['198.51.100.1', last], last],
    ['blanks around it', [`198.51.100.1 ,\t ${last}  `], last],
    ['an empty last entry', [`${last},`], PEER],
    ['a blank last entry', [`${last}, `], PEER],
    ['the word unknown', [`${last}, unknown`], PEER],
    ['a hidden name', [`${last}, _hidden`], PEER],
    ['a host name', [`${last}, example.org`], PEER],
    ['markup', ['<script>'], PEER],
    ['a number too many', ['203.0.113.9.1'], PEER],
    ['a number too large', ['203.0.113.256'], PEER],
    ['a leading zero', ['203.0.113.09'], PEER],
    ['a number of one part', ['3405803785'], PEER],
    ['a port', [`${last}:8080`], last],
    ['an IPv6 address', ['2001:db8::1'], '2001:db8::/64'],
    ['an IPv6 address in capitals', ['2001:DB8::A'], '2001:db8::/64'],
    ['an IPv6 address in its long form', ['2001:0db8:0000:0000:0000:0000:0000:0001'], '2001:db8::/64'],
    ['an IPv6 address with zeros to spare', ['2001:DB8:0::1'], '2001:db8::/64'],
    ['an IPv6 address with a zone', ['fe80::0:1%eth0'], 'fe80::/64'],
    ['an IPv6 address with an IPv4 ending', ['2001:db8::192.0.2.1'], '2001:db8::/64'],
    ['an IPv6 address in brackets', ['[2001:db8::1]'], '2001:db8::/64'],
    ['an IPv6 address with a port', ['[2001:db8::1]:8080'], '2001:db8::/64'],
    ['the IPv6 loopback address', ['::1'], '::/64'],
    ['an IPv6 address without zeros', ['2001:db8:1:2:3:4:5:6'], '2001:db8:1:2::/64'],
    ['an IPv6 address with zeros in its second half', ['2001:db8:1:2:3::6'], '2001:db8:1:2::/64'],
    ['an IPv6 address with zeros at its end', ['2001:db8:1:2::'], '2001:db8:1:2::/64'],
    ['an IPv6 address with an open bracket', ['[2001:db8::1'], PEER],
    ['an IPv4-mapped address', [`::ffff:${last}`], last],
    ['an IPv4-mapped address in capitals', [`::FFFF:${last}`], last],
    ['an IPv4-mapped address in hexadecimal', ['::ffff:cb00:7109'], last],
    ['an IPv4-mapped address in its long form', [`0:0:0:0:0:FFFF:${last}`], last],
    ['an IPv4-mapped address in brackets', [`[::ffff:${last}]:80`], last],
    ['a header of 8,000 characters', [`${'198.51.100.1, '.repeat(600)}${last}`], last],
    ['8,000 characters that are not an address', ['9'.repeat(8_000)], PEER],
    ['something behind a port', [`${last}:80:80`], PEER],
  ])('is its last entry if that is an address: %s', async (_name, lines, client) => {
    expect(await clientOf(true, lines)).toBe(client);
  });
});

describe('the address of a client without a trusted proxy', () => {
  test.each<[string, readonly string[], string, string]>([
    ['no header', [], PEER, PEER],
    ['a header', [last], PEER, PEER],
    ['an IPv6 peer', [last], '2001:DB8::1', '2001:db8::/64'],
    ['a link-local peer with a zone', [last], 'fe80::1%eth0', 'fe80::/64'],
    ['an IPv4-mapped peer', [last], '::ffff:127.0.0.1', '127.0.0.1'],
    ['a closed socket', [last], '', 'unknown'],
  ])('is that of the socket, whatever the headers say: %s', async (_name, lines, peer, client) => {
    expect(await clientOf(false, lines, peer)).toBe(client);
  });

  test('does not change with the headers of the client', async () => {
    const { request } = createTestApp({ requestLimit: 10 });
    const statuses: number[] = [];
    for (let index = 0; index < 200; index++) {
      const headers = { 'X-Forwarded-For': `198.51.100.${index}`, 'X-Real-IP': `198.51.100.${index}` };
      statuses.push((await request('/tools', { headers })).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  });

  test('is one client for all addresses of an IPv6 network that one subscriber has', async () => {
    const { request } = createTestApp({ requestLimit: 10 });
    const admitted = async (peer: string) => (await request('/tools', {}, peer)).status === 200;
    const statuses: boolean[] = [];
    for (let index = 1; index <= 50; index++)
      statuses.push(await admitted(`2001:db8:0:1:${index}::${index}`));
    expect(statuses.filter((isAdmitted) => isAdmitted)).toHaveLength(10);
    expect(await admitted('2001:db8:0:2::1')).toBe(true);
  });

  test('may be unknown: the app works without a server', async () => {
    const { app } = createTestApp();
    expect((await app.request('http://localhost/tools')).status).toBe(200);
  });
});

describe('normalizeAddress', () => {
  test.each([
    '',
    ' ',
    ':',
    '[',
    '[]',
    '::ffff:',
    '::ffff:1.2.3',
    '1.2.3.4:',
    '1.2.3.4:x',
    '127.1',
    '%',
    '::1%',
    '[::1]%eth0',
    '[[::1]]',
    '1.2.3.4%eth0',
    '0x7f.0.0.1',
  ])('rejects %j', (text) => {
    expect(normalizeAddress(text)).toBeUndefined();
  });
});
