import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY, openedConsole } from '../../support/console/proxy.ts';
import { errorOf } from '../../support/console/requests.ts';
import { connectRaw } from '../../support/http/raw-socket.ts';
import { startServer } from '../../support/outbound/server.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A service that gets requests before their bodies; `stop` closes it with all connections. */
async function startUpstream(listener: Listener, port = 0) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const bound = (server.address() as AddressInfo).port;
  return { port: bound, url: `http://127.0.0.1:${bound}`, stop };
}

const badGateway = (detail: RegExp) => ({
  status: 502,
  error: 'Bad Gateway',
  detail: expect.stringMatching(detail),
});

describe('a request to the service', () => {
  test('has the key, and nothing that is only about the browser', async () => {
    const upstream = await startServer((_request, response) => response.end('{}'));
    const { browse } = await openedConsole(`http://127.0.0.1:${upstream.port}`);
    await browse('/workflows?x=%2F&y=a+b', {
      method: 'POST',
      body: '{"a":1}',
      headers: {
        'Content-Type': 'application/json',
        'If-Match': '"7"',
        Accept: 'application/problem+json',
        'X-Request-Id': 'r-1',
        'Idempotency-Key': '"k"',
        'Last-Event-ID': '9',
        Prefer: 'wait=5',
        Authorization: 'Basic eDp5',
        'X-Api-Key': 'of-the-browser',
        Referer: 'http://127.0.0.1/',
        Connection: 'keep-alive, X-Hop',
        'X-Hop': '1',
        'Keep-Alive': 'timeout=9',
        TE: 'trailers',
        'X-Forwarded-For': '1.2.3.4',
        Forwarded: 'for=1.2.3.4',
        'X-Real-IP': '1.2.3.4',
        'X-HTTP-Method-Override': 'DELETE',
        'Proxy-Authorization': 'Basic eDp5',
      },
    });
    const [received] = upstream.received;
    expect(received).toMatchObject({ method: 'POST', url: '/workflows?x=%2F&y=a+b', body: '{"a":1}' });
    expect(received?.headers).toEqual({
      host: `127.0.0.1:${upstream.port}`,
      connection: 'keep-alive',
      'content-length': '7',
      'content-type': 'application/json',
      'if-match': '"7"',
      accept: 'application/problem+json',
      'x-request-id': 'r-1',
      'idempotency-key': '"k"',
      'last-event-id': '9',
      prefer: 'wait=5',
      'x-api-key': KEY,
    });
  });

  test('goes below the path of a mounted service, whose links lead back here', async () => {
    const upstream = await startServer((request, response) => {
      const base = `http://${request.headers.host}/shop`;
      const links = `</shop/runs?cursor=2>; rel="next", <${base}/docs>; rel="help", <https://other.example/shop/x>; rel="via"`;
      response.writeHead(201, { Location: '/shop/workflows/w-1', Link: links }).end('{}');
    });
    const { browse } = await openedConsole(`http://127.0.0.1:${upstream.port}/shop/`);
    const reply = await browse('/workflows', { method: 'POST' });
    expect(upstream.received[0]?.url).toBe('/shop/workflows');
    expect(reply.headers).toMatchObject({
      location: '/workflows/w-1',
      link: '</runs?cursor=2>; rel="next", </docs>; rel="help", <https://other.example/shop/x>; rel="via"',
    });
    expect(JSON.parse((await browse('/console/settings.json')).body)).toMatchObject({
      upstream: `http://127.0.0.1:${upstream.port}/shop`,
    });
  });

  test('is sent on while it is written, and only once the browser has sent it', async () => {
    let body = '';
    const upstream = await startUpstream((request, response) => {
      request.on('data', (bytes: Buffer) => {
        body += bytes.toString();
      });
      request.on('end', () => response.end(JSON.stringify({ length: body.length })));
    });
    const { port, headers } = await openedConsole(upstream.url);
    const sent = httpRequest({ host: '127.0.0.1', port, path: '/x', method: 'POST', headers, agent: false });
    sent.write('first');
    await expect.poll(() => body).toBe('first');
    sent.end('second');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await response.toArray().then((chunks) => chunks.join(''))).toBe('{"length":11}');
  });
});

describe('a response of the service', () => {
  test('comes without its cookies, passwords and rules for other addresses', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.setHeader('Set-Cookie', ['a=canary', 'b=canary']);
      response.writeHead(401, {
        'WWW-Authenticate': 'Basic realm="canary"',
        'Clear-Site-Data': '"*"',
        'Alt-Svc': 'h3="canary"',
        'Strict-Transport-Security': 'max-age=1',
        Connection: 'X-Hop',
        'X-Hop': 'canary',
        'X-Request-Id': 'r-1',
        ETag: '"7"',
        'Content-Type': 'application/json',
      });
      response.end('{"error":"Unauthorized","detail":"…"}');
    });
    const { browse } = await openedConsole(upstream.url);
    const reply = await browse('/tools');
    expect([reply.status, reply.body]).toEqual([401, '{"error":"Unauthorized","detail":"…"}']);
    expect(reply.headers).toMatchObject({ 'x-request-id': 'r-1', etag: '"7"' });
    const names = [
      'set-cookie',
      'www-authenticate',
      'clear-site-data',
      'alt-svc',
      'strict-transport-security',
    ];
    expect(Object.keys(reply.headers).filter((name) => [...names, 'x-hop'].includes(name))).toEqual([]);
  });

  test.each([
    ['https://login.example/start?x=1', badGateway(/redirects to https:\/\/login\.example; .*--url$/)],
    ['//login.example/start', badGateway(/redirects to http:\/\/login\.example;/)],
    ['/elsewhere', badGateway(/redirects to http:\/\/127\.0\.0\.1:\d+;/)],
    ['/shop//evil.example', badGateway(/redirects to/)],
    ['javascript:alert(1)', badGateway(/redirects to another place/)],
  ])('that redirects elsewhere is an error, and is not followed: %s', async (location, expected) => {
    const upstream = await startServer((_request, response) => {
      response.writeHead(302, { Location: location }).end();
    });
    const { browse } = await openedConsole(`http://127.0.0.1:${upstream.port}/shop`);
    expect(errorOf(await browse('/tools'))).toEqual(expected);
    expect(upstream.received).toHaveLength(1);
  });

  test('that redirects within the service is passed on', async () => {
    const upstream = await startServer((_request, response) => {
      response.writeHead(308, { Location: '/shop/docs/' }).end();
    });
    const { browse } = await openedConsole(`http://127.0.0.1:${upstream.port}/shop`);
    expect(await browse('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
    expect(upstream.received).toHaveLength(1);
  });
});

describe('a stream of the service', () => {
  async function openStream() {
    const streams: ServerResponse[] = [];
    const closed: string[] = [];
    const upstream = await startUpstream((request, response) => {
      response.on('close', () => closed.push(request.url ?? ''));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      streams.push(response);
    });
    const { port, headers } = await openedConsole(upstream.url);
    const sent = httpRequest({ host: '127.0.0.1', port, path: '/events', headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let received = '';
    response.on('data', (bytes: Buffer) => {
      received += bytes.toString();
    });
    const ended = new Promise<string>((resolve) => {
      response.once('end', () => resolve('complete'));
      response.once('error', () => resolve('broken'));
    });
    const stream = streams[0] ?? expect.fail('the service got no request');
    return { upstream, sent, response, stream, closed, ended, text: () => received };
  }

  test('arrives while it is open: its header before the first event, and each event as it is sent', async () => {
    const { response, stream, ended, text } = await openStream();
    expect(response.headers['content-type']).toBe('text/event-stream');
    stream.write('id: 1\n\n');
    await expect.poll(text).toBe('id: 1\n\n');
    stream.write('id: 2\n\n');
    await expect.poll(text).toBe('id: 1\n\nid: 2\n\n');
    stream.end();
    expect(await ended).toBe('complete');
  });

  test('ends in the service when the browser leaves', async () => {
    const { sent, stream, closed, text } = await openStream();
    stream.write('id: 1\n\n');
    await expect.poll(text).toBe('id: 1\n\n');
    sent.destroy();
    await expect.poll(() => closed).toEqual(['/events']);
  });

  test('is broken, and not complete, when the service dies', async () => {
    const { upstream, stream, ended, text } = await openStream();
    stream.write('id: 1\n\n');
    await expect.poll(text).toBe('id: 1\n\n');
    await upstream.stop();
    expect(await ended).toBe('broken');
  });

  test('ends in the service also when the browser leaves before there is an answer', async () => {
    let aborted = 0;
    const upstream = await startUpstream((_request, response) => {
      response.on('close', () => {
        aborted += 1;
      });
    });
    const { port, headers } = await openedConsole(upstream.url);
    const sent = httpRequest({ host: '127.0.0.1', port, path: '/x', headers, agent: false }).end();
    sent.on('error', () => undefined);
    await once(sent, 'socket');
    setTimeout(() => sent.destroy(), 50);
    await expect.poll(() => aborted).toBe(1);
  });
});

describe('a service that cannot be reached', () => {
  test('is a clear error, and its return is noticed', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{"n":1}'));
    const { browse } = await openedConsole(upstream.url);
    expect((await browse('/tools')).body).toBe('{"n":1}');
    await upstream.stop();
    for (const method of ['GET', 'POST']) {
      expect(errorOf(await browse('/tools', { method }))).toEqual(
        badGateway(
          /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: the connection was refused \(ECONNREFUSED\)$/,
        ),
      );
    }
    await startUpstream((_request, response) => response.end('{"n":2}'), upstream.port);
    expect((await browse('/tools')).body).toBe('{"n":2}');
  });

  test('is asked once more where it closed an idle connection, but never to change something twice', async () => {
    const sockets = new Map<Socket, number>();
    const seen: string[] = [];
    const upstream = await startUpstream((request, response) => {
      const count = (sockets.get(request.socket) ?? 0) + 1;
      sockets.set(request.socket, count);
      seen.push(`${request.method} ${count}`);
      if (count === 1) response.end('{}');
      else request.socket.destroy();
    });
    const { browse } = await openedConsole(upstream.url);
    expect((await browse('/a')).status).toBe(200);
    expect((await browse('/b')).status).toBe(200);
    expect(errorOf(await browse('/c', { method: 'POST' }))).toEqual(badGateway(/connection was closed/));
    expect(seen).toEqual(['GET 1', 'GET 2', 'GET 1', 'POST 2']);
  });

  test('with a certificate that nobody vouches for gets no request', async () => {
    const folder = new URL('../../support/outbound/tls/', import.meta.url);
    const [key, cert] = await Promise.all(
      ['key.pem', 'cert.pem'].map((name) => readFile(new URL(name, folder), 'utf8')),
    );
    if (key === undefined || cert === undefined) expect.fail();
    const upstream = await startServer((_request, response) => response.end('{}'), { key, cert });
    const { browse } = await openedConsole(`https://127.0.0.1:${upstream.port}`);
    const reply = await browse('/tools');
    expect(errorOf(reply)).toEqual(
      badGateway(
        /its certificate is not trusted; name the file of its authority in NODE_EXTRA_CA_CERTS \(\w+\)$/,
      ),
    );
    expect(reply.body).not.toContain(KEY);
    expect(upstream.received).toEqual([]);
  });

  test.each<[string, Listener, RegExp]>([
    [
      'closes the connection',
      (request) => request.socket.destroy(),
      /the connection was closed \(ECONNRESET\)$/,
    ],
    ['does not speak HTTP', (request) => request.socket.end('SSH-2.0\r\n'), /is not valid HTTP \(HPE_\w+\)$/],
  ])('is a clear error where it %s', async (_, listener, detail) => {
    const upstream = await startUpstream(listener);
    const { browse } = await openedConsole(upstream.url);
    expect(errorOf(await browse('/tools'))).toEqual(badGateway(detail));
  });

  test('is a clear error where it has no TLS, and in the form of problem details for who asks so', async () => {
    const upstream = await startUpstream((_request, response) => response.end());
    const { browse } = await openedConsole(upstream.url.replace('http:', 'https:'));
    const reply = await browse('/tools', { headers: { Accept: 'application/problem+json' } });
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(reply.body)).toMatchObject({
      status: 502,
      detail: expect.stringMatching(/it does not speak TLS/),
    });
  });
});

test('a console that is closed leaves no connection open', async () => {
  const { port, close } = await openedConsole('http://127.0.0.1:1');
  const client = await connectRaw(port);
  onTestFinished(client.close);
  client.send('GET /console/ HTTP/1.1\r\nHost: half of a request');
  await expect.poll(() => client.socket.bytesWritten).toBeGreaterThan(0);
  await close();
  expect((await client.receive()).closed).toBe(true);
});

describe('--read-only', () => {
  test.each([
    ['GET', '/tools'],
    ['HEAD', '/tools'],
    ['POST', '/workflows/validate'],
    ['POST', '/workflows/w-1.a_b/simulate'],
    ['POST', '/agents/route?dry_run=true'],
  ])('passes on %s %s', async (method, path) => {
    const upstream = await startServer((_request, response) => response.end('{}'));
    const { browse } = await openedConsole(`http://127.0.0.1:${upstream.port}`, { readOnly: true });
    expect((await browse(path, { method })).status).toBe(200);
    expect(upstream.received).toMatchObject([{ method, url: path }]);
  });

  test.each([
    ['POST', '/messages'],
    ['POST', '/evaluation'],
    ['POST', '/workflows'],
    ['POST', '/workflows/simulate'],
    ['POST', '/workflows/a/b/simulate'],
    ['POST', '/workflows/..%2f..%2fmessages/simulate'],
    ['POST', '/runs/r-1/cancel?/workflows/validate'],
    ['POST', '/messages#/workflows/validate'],
    ['POST', '/agents/route'],
    ['POST', '/agents/route?dry_run=false'],
    ['POST', '/agents/route?dry_run=true&dry_run=false'],
    ['POST', '/agents/route?x=?dry_run=true'],
    ['PUT', '/workflows/validate'],
    ['PATCH', '/workflows/w-1/simulate'],
    ['DELETE', '/workflows/w-1'],
  ])('refuses %s %s', async (method, path) => {
    const upstream = await startServer((_request, response) => response.end('{}'));
    const { browse } = await openedConsole(`http://127.0.0.1:${upstream.port}`, { readOnly: true });
    expect(errorOf(await browse(path, { method, body: '{}' }))).toEqual({
      status: 403,
      error: 'Forbidden',
      detail: expect.stringContaining('--read-only'),
    });
    expect(upstream.received).toEqual([]);
  });

  test('tells the page', async () => {
    const { browse } = await openedConsole('http://127.0.0.1:1', { readOnly: true });
    expect(JSON.parse((await browse('/console/settings.json')).body)).toEqual({
      read_only: true,
      upstream: 'http://127.0.0.1:1',
    });
  });
});
