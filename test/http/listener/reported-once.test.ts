import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { createTestApp } from '../../support/http/app.ts';
import { connectRaw, exchange } from '../../support/http/raw-socket.ts';

const head = 'POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** The app behind a listener, with the statuses that the listener reports and those that the app reports. */
async function startApp() {
  const { app, finished, logger } = createTestApp();
  const reportedByListener: number[] = [];
  const { port, close } = await startServer({
    fetch: app.fetch,
    port: 0,
    limits: { headersTimeoutMs: 200, requestTimeoutMs: 200, connectionsCheckingIntervalMs: 50 },
    onErrorResponse: (status) => reportedByListener.push(status),
  });
  onTestFinished(close);
  const logged = () => logger.lines.filter(({ message }) => message === 'request');
  return { port, finished, reportedByListener, logged };
}

test('a request whose body does not arrive in time is counted once, with its route and the status sent', async () => {
  const { port, finished, reportedByListener, logged } = await startApp();
  const { responses } = await exchange(port, `${head}Content-Length: 50\r\n\r\n{"message":`);
  expect(responses.map(({ status }) => status)).toEqual([408]);
  await expect.poll(() => finished).toMatchObject([{ route: '/messages', status: 408 }]);
  await sleep(50);
  expect(finished).toHaveLength(1);
  expect(reportedByListener).toEqual([]);
  expect(logged()).toMatchObject([{ route: '/messages', status: 408 }]);
});

test('a request whose header does not arrive in time is counted once, by the listener', async () => {
  const { port, finished, reportedByListener } = await startApp();
  const { responses } = await exchange(port, 'POST /messages HTTP/1.1\r\nHost: localhost\r\nX: ');
  expect(responses.map(({ status }) => status)).toEqual([408]);
  expect(reportedByListener).toEqual([408]);
  expect(finished).toEqual([]);
});

test('a request that is invalid before the application sees it is counted once, by the listener', async () => {
  const { port, finished, reportedByListener } = await startApp();
  const { responses } = await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\nZ\r\n`);
  expect(responses.map(({ status }) => status)).toEqual([400]);
  await sleep(50);
  expect(reportedByListener).toEqual([400]);
  expect(finished).toEqual([]);
});

test('a request whose body becomes invalid in the application is counted once, by the application', async () => {
  const { port, finished, reportedByListener } = await startApp();
  const client = await connectRaw(port);
  client.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  await sleep(50);
  client.send('Z\r\n');
  const { responses } = await client.receive();
  expect(responses.map(({ status }) => status)).toEqual([400]);
  await expect.poll(() => finished).toMatchObject([{ route: '/messages', status: 400 }]);
  expect(reportedByListener).toEqual([]);
});
