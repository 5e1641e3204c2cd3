import { onTestFinished } from 'vitest';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import { createTestApp, type TestAppOverrides } from './app.ts';
import { createMemoryRuns } from './memory-runs.ts';

/** Starts the service with `records` as its runs on a free loopback port, until the test has ended. */
export async function startRunService(records: readonly Run[] = [], overrides: TestAppOverrides = {}) {
  const runs = createMemoryRuns(records);
  const app = createTestApp({ ...overrides, useCases: runs.useCases });
  const server = await startServer({ fetch: app.app.fetch, port: 0 });
  onTestFinished(() => server.close());
  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}${path}`, init);
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    request(path, {
      method: 'POST',
      ...(body === undefined
        ? { headers }
        : { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    });
  return { ...app, runs, request, post };
}
