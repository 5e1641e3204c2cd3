import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openedConsole } from '../../support/console/proxy.ts';
import { errorOf } from '../../support/console/requests.ts';

/** A service that answers each request with these bytes; `open` counts its connections. */
async function startRaw(answer: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(answer, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, open: () => sockets.size };
}

const badGateway = (detail: RegExp) => ({
  status: 502,
  error: 'Bad Gateway',
  detail: expect.stringMatching(detail),
});

describe('a response of the service', () => {
  test.each(['000', '001', '099', '600', '999'])(
    'with the status %s is an error, and the console goes on',
    async (status) => {
      const upstream = await startRaw(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\n{}`);
      const { browse } = await openedConsole(upstream.url);
      for (const method of ['GET', 'POST']) {
        const detail = new RegExp(`answers with the status ${Number(status)}, which HTTP does not have$`);
        expect(errorOf(await browse('/tools', { method }))).toEqual(badGateway(detail));
      }
      expect((await browse('/console/')).status).toBe(200);
    },
  );

  test('that switches to another protocol is an error, and its connection is closed', async () => {
    const upstream = await startRaw(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nbytes of x',
    );
    const { browse } = await openedConsole(upstream.url);
    for (const method of ['GET', 'POST']) {
      const reply = await browse('/tools', { method });
      expect(errorOf(reply)).toEqual(badGateway(/switches to another protocol$/));
    }
    await expect.poll(upstream.open).toBe(0);
  });

  test('that comes after early ones is the only one that is passed on', async () => {
    const early =
      'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const upstream = await startRaw(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
    const { browse } = await openedConsole(upstream.url);
    const { status, body, headers } = await browse('/tools');
    expect([status, body, headers['link']]).toEqual([200, 'ok', undefined]);
  });
});

describe('a redirect as a browser reads it', () => {
  const redirectTo = (location: string): Promise<{ readonly url: string }> =>
    startRaw(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);

  test.each([
    ['h\tttp://evil.example/', 'http://evil\\.example'],
    ['/\t/evil.example/', 'http://evil\\.example'],
    ['\\\\evil.example/', 'http://evil\\.example'],
    ['https:evil.example', 'https://evil\\.example'],
    ['http://127.0.0.1:1@evil.example/', 'http://evil\\.example'],
    ['../elsewhere', 'http://127.0.0.1:\\d+'],
    ['/shop/../elsewhere', 'http://127.0.0.1:\\d+'],
    ['/shop/%2E%2e/elsewhere', 'http://127.0.0.1:\\d+'],
    ['/shop/x/..//evil.example/', 'http://127.0.0.1:\\d+'],
    ['.//evil.example/', 'http://127.0.0.1:\\d+'],
    ['java\tscript:alert(1)', 'another place'],
    ['blob:http://127.0.0.1/x', 'another place'],
    ['http://', 'another place'],
  ])('is an error where it leads elsewhere: %j', async (location, target) => {
    const upstream = await redirectTo(location);
    const { browse } = await openedConsole(`${upstream.url}/shop`);
    const detail = new RegExp(`/shop redirects to ${target}; redirects are not followed`);
    expect(errorOf(await browse('/tools'))).toEqual(badGateway(detail));
  });

  test.each([
    ['docs/', '/runs/docs/'],
    ['?limit=2#x', '/runs/?limit=2#x'],
    ['./../to\tols', '/tools'],
    ['/shop/docs?x=%2F', '/docs?x=%2F'],
  ])('leads to the same place here where it stays: %j', async (location, local) => {
    const upstream = await redirectTo(location);
    const { browse } = await openedConsole(`${upstream.url}/shop`);
    const { status, headers } = await browse('/runs/');
    expect([status, headers.location]).toEqual([302, local]);
  });
});
