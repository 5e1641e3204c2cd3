import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { createTestApp } from '../../support/http/app.ts';
import { connectRaw, exchange } from '../../support/http/raw-socket.ts';

const MEBIBYTE = 1_024 * 1_024;
/** More than half of the largest body: the room for it is all of that. */
const HALF = 33 * MEBIBYTE;

async function start() {
  const { app } = createTestApp({ http: { maxBodyBytes: 64 * MEBIBYTE } });
  const sockets: Socket[] = [];
  const server = await startServer({
    port: 0,
    fetch: (request, env) => {
      if ('socket' in env.incoming) sockets.push(env.incoming.socket as Socket);
      return app.fetch(request, { ...env });
    },
  });
  onTestFinished(() => server.close());

  /** Sends the beginning of a body of 40 MiB, a text in JSON, and waits until it has arrived. */
  async function sendHalf() {
    const client = await connectRaw(server.port);
    onTestFinished(client.close);
    const index = sockets.length;
    client.send(`${headOf(40 * MEBIBYTE)}"`);
    client.send(Buffer.alloc(HALF, 'a'));
    const arrived = async (bytes: number): Promise<void> => {
      while ((sockets[index]?.bytesRead ?? 0) < bytes) await sleep(5);
    };
    await arrived(HALF);
    return { ...client, arrived };
  }
  return { port: server.port, sendHalf };
}

const headOf = (length: number): string =>
  `POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

test('bodies that together take too much memory lose the one that stands still, and keep nobody from sending', async () => {
  const { port, sendHalf } = await start();
  const first = await sendHalf();
  const second = await sendHalf();
  first.send('more');
  await first.arrived(HALF + 64);
  const text = `"${'b'.repeat(200_000)}"`;
  for (let round = 0; round < 3; round++) {
    const { responses } = await exchange(port, headOf(text.length) + text, { responses: 1 });
    expect(responses[0]?.status).toBe(422);
  }
  const { responses, closed } = await second.receive();
  expect(responses).toMatchObject([{ status: 503, reason: 'Service Unavailable' }]);
  expect(responses[0]?.body).toContain('the bodies under way are too many bytes');
  expect([responses[0]?.headers.get('retry-after'), closed]).toEqual(['1', true]);
  first.send(Buffer.alloc(40 * MEBIBYTE - HALF - 1 - 'more'.length - 1, 'a'));
  first.send('"');
  const complete = await first.receive({ responses: 1 });
  expect(complete.responses[0]?.status).toBe(422);
});
