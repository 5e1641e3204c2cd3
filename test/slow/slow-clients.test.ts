import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, type RawExchange } from '../support/http/raw-socket.ts';
import { type Service, startService } from '../support/process/service.ts';

/** The limits are those of the decisions, and what they cut takes as long as they allow: hence a slow test. */
const HEADER_LIMIT_MS = 15_000;
const REQUEST_LIMIT_MS = 30_000;
const CHECK_MS = 5_000;

let service: Service;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_REQUESTS: '100000' });
});

afterAll(() => service.stop());

/** Sends a beginning and then one byte a second, until the service has had enough. */
async function drip(beginning: string, withinMs: number): Promise<RawExchange & { afterMs: number }> {
  const started = performance.now();
  const client = await connectRaw(service.port);
  client.send(beginning);
  const dripping = setInterval(() => client.send('x'), 1_000);
  try {
    const exchange = await client.receive({ withinMs });
    return { ...exchange, afterMs: performance.now() - started };
  } finally {
    clearInterval(dripping);
    client.close();
  }
}

/** Asks for something small over and over, and tells the status of each answer. */
async function serveOthers(until: Promise<unknown>): Promise<readonly number[]> {
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
  test('that drip their headers or bodies are cut with 408 in time, while others are served', async () => {
    const body = 'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{';
    const headers = Array.from({ length: 300 }, () =>
      drip('GET /agents HTTP/1.1\r\nHost: x\r\nX-Slow: ', HEADER_LIMIT_MS + CHECK_MS),
    );
    const bodies = Array.from({ length: 50 }, () =>
      drip(`POST /messages HTTP/1.1\r\nHost: x\r\n${body}`, REQUEST_LIMIT_MS + CHECK_MS),
    );
    const cut = Promise.all([...headers, ...bodies]);
    const statuses = await serveOthers(cut);
    for (const { responses, closed, afterMs } of await cut) {
      expect(closed).toBe(true);
      expect(afterMs).toBeGreaterThan(HEADER_LIMIT_MS - 1_000);
      expect(responses.map(({ status }) => status)).toEqual([408]);
      expect(JSON.parse(responses[0]?.body ?? '')).toMatchObject({ error: 'Request Timeout' });
    }
    expect(statuses.length).toBeGreaterThan(100);
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(service.output()).not.toContain('"level":"error"');
  }, 60_000);

  test('leave nothing behind: the service still answers and ends in order', async () => {
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200);
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });
});
