import { describe, expect, test } from 'vitest';
import { KEY, openedConsole } from '../../support/console/proxy.ts';
import { exchange, type RawResponse } from '../../support/http/raw-socket.ts';
import { startServer } from '../../support/outbound/server.ts';

/** The beginning of a request: sent without a frame, it would take the header of whatever follows it, with the key. */
const smuggled = 'POST /messages HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nX-Rest: ';

/** Announcements of a body that a proxy may lose. */
const forms: readonly (readonly [string, string])[] = [
  [
    'Transfer-Encoding: chunked',
    `Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  ],
  [
    'Connection: content-length',
    `Connection: close, Content-Length\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  ],
];

/** A service that records what it gets over one connection, and its console. `sendRaw` sends the rest of a request. */
async function startRecording(readOnly = false) {
  const upstream = await startServer((_request, response) => response.end('{}'));
  const opened = await openedConsole(`http://127.0.0.1:${upstream.port}`, { readOnly });
  const { port, cookie } = opened;
  const own = `127.0.0.1:${port}`;
  const sendRaw = async (method: string, rest: string): Promise<RawResponse | undefined> => {
    const head = `${method} /runs HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\nCookie: ${cookie}\r\n`;
    // Without `close` the connection stays open: one response is enough.
    const { responses } = await exchange(port, head + rest, {
      responses: 1,
      withoutBodies: method === 'HEAD',
    });
    return responses[0];
  };
  return { upstream, sendRaw, browse: opened.browse };
}

describe.each(forms)('a body with %s', (_, rest) => {
  test.each(['GET', 'HEAD'])('is refused with %s, and does not become a further request', async (method) => {
    const { upstream, sendRaw, browse } = await startRecording(true);
    await browse('/before');
    expect((await sendRaw(method, rest))?.status).toBe(400);
    await browse('/after');
    expect(upstream.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /before',
      'GET /after',
    ]);
    expect(upstream.connections()).toBe(1);
  });

  test.each(['DELETE', 'POST', 'PUT', 'PATCH'])('stays the body of its request with %s', async (method) => {
    const { upstream, sendRaw, browse } = await startRecording();
    await browse('/before');
    expect((await sendRaw(method, rest))?.status).toBe(200);
    await browse('/after');
    expect(upstream.received.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/before', ''],
      [method, '/runs', smuggled],
      ['GET', '/after', ''],
    ]);
    expect(upstream.connections()).toBe(1);
  });
});

describe('the Connection header of a browser', () => {
  test('does not take away the host, the length and the key', async () => {
    const { upstream, sendRaw } = await startRecording();
    const rest = 'Connection: close, Host, X-Api-Key, Content-Length\r\nContent-Length: 2\r\n\r\n{}';
    expect((await sendRaw('POST', rest))?.status).toBe(200);
    expect(upstream.received).toMatchObject([
      {
        headers: { host: `127.0.0.1:${upstream.port}`, 'x-api-key': KEY, 'content-length': '2' },
        body: '{}',
      },
    ]);
  });
});
