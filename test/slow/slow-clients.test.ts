import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, type RawExchange } from '../support/http/raw-socket.ts';
import { type Service, startService } from '../support/process/service.ts';

/** The limits of the decisions. The tests wait for them, so they are slow. */
const HEADER_LIMIT_MS = 15_000;
const REQUEST_LIMIT_MS = 30_000;
const CHECK_MS = 5_000;

let service: Service;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_REQUESTS: '100000' });
});

afterAll(() => service.stop());

/** Sends the beginning of a request and then one byte per second, until the service closes the connection. */
async function sendSlowly(beginning: string, withinMs: number): Promise<RawExchange & { afterMs: number }> {
  const started = performance.now();
  const client = await connectRaw(service.port);
  client.send(beginning);
  const timer = setInterval(() => client.send('x'), 1_000);
  try {
    const exchange = await client.receive({ withinMs });
    return { ...exchange, afterMs: performance.now() - started };
  } finally {
    clearInterval(timer);
    client.close();
  }
}

/** Sends small requests until the promise settles, and returns the status of each response. */
async function sendOtherRequests(until: Promise<unknown>): Promise<readonly number[]> {
  const statuses: number[] = [];
  let over = false;
  const end = (): void => {
    over = true;
  };
  until.then(end, end);
  while (!over) {
    statuses.push((await fetch(`${service.baseUrl}/agents`)).status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return statuses;
}

describe('slow clients of the real service', () => {
  test('time out with 408 while they send headers or bodies, and others are served', async () => {
    const body = 'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{';
    const headers = Array.from({ length: 300 }, () =>
      sendSlowly('GET /agents HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', HEADER_LIMIT_MS + CHECK_MS),
    );
    const bodies = Array.from({ length: 50 }, () =>
      sendSlowly(`POST /messages HTTP/1.1\r\nHost: localhost\r\n${body}`, REQUEST_LIMIT_MS + CHECK_MS),
    );
    const timedOut = Promise.all([...headers, ...bodies]);
    const statuses = await sendOtherRequests(timedOut);
    for (const { responses, closed, afterMs } of await timedOut) {
      expect(closed).toBe(true);
      expect(afterMs).toBeGreaterThan(HEADER_LIMIT_MS - 1_000);
      expect(responses.map(({ status }) => status)).toEqual([408]);
      expect(JSON.parse(responses[0]?.body ?? '')).toMatchObject({ error: 'Request Timeout' });
    }
    expect(statuses.length).toBeGreaterThan(100);
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(service.output()).not.toContain('"level":"error"');
  }, 60_000);

  test('have no lasting effect: the service still responds and shuts down gracefully', async () => {
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200);
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });
});
