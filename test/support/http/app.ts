import { STATUS_CODES } from 'node:http';
import { expect } from 'vitest';
import { z } from 'zod';
import { createHttpApp } from '../../../src/adapters/http/app.ts';
import type { HttpAppOptions } from '../../../src/adapters/http/options.ts';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { noTelemetry } from '../../../src/adapters/telemetry/none.ts';
import { createHealth, type HealthProbes } from '../../../src/application/health.ts';
import {
  createOrchestrator,
  type Orchestrator,
  type OrchestratorOptions,
} from '../../../src/application/orchestrator.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { testPorts } from '../ports.ts';

/** Options of the test app. */
export interface TestAppOverrides {
  readonly ports?: Partial<Ports>;
  readonly limits?: Partial<Limits>;
  readonly options?: OrchestratorOptions;
  readonly probes?: HealthProbes;
  readonly tools?: readonly Tool[];
  /** Replaces use cases of the orchestrator that the app serves. */
  readonly useCases?: (orchestrator: Orchestrator) => Partial<Orchestrator>;
  readonly http?: Partial<Omit<HttpAppOptions, 'orchestrator' | 'health'>>;
  /** Requests per client and minute. Default: a million. */
  readonly requestLimit?: number;
}

/** A finished request, as reported to the metrics. */
interface FinishedRequest {
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** A tool that returns its input. */
export const lookup: Tool = {
  name: 'lookup',
  description: 'Returns its input',
  input: z.object({}).loose(),
  execute: (input) => ({ got: input as never }),
};

/**
 * The complete HTTP app over {@link testPorts}, and a client that calls it without a socket.
 */
export function createTestApp(overrides: TestAppOverrides = {}) {
  const { ports, clock, recorded, logger } = testPorts(overrides.ports);
  const finished: FinishedRequest[] = [];
  const idempotent: string[] = [];
  const created = createOrchestrator(ports, { ...defaultLimits, ...overrides.limits }, overrides.options);
  const { useCases } = overrides;
  const orchestrator: Orchestrator = useCases === undefined ? created : { ...created, ...useCases(created) };
  for (const tool of overrides.tools ?? [lookup]) orchestrator.tools.register(tool);
  const health = createHealth(ports, overrides.probes ?? {});
  const app = createHttpApp({
    orchestrator,
    health,
    metrics: {
      requestFinished: (route, status, seconds) => void finished.push({ route, status, seconds }),
      idempotentRequest: (outcome) => void idempotent.push(outcome),
      eventStreams: () => undefined,
      eventsSent: () => undefined,
      eventStreamRejected: () => undefined,
      exposition: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: 'up 1\n' }),
    },
    limiter: createMemoryRateLimiter({
      limit: overrides.requestLimit ?? 1_000_000,
      windowSeconds: 60,
      clock,
    }),
    logger: ports.logger,
    telemetry: noTelemetry,
    newId: ports.newId,
    version: '1.2.3',
    apiKeys: undefined,
    trustProxyHeaders: false,
    maxBodyBytes: 1_024 * 1_024,
    ...overrides.http,
  });

  /** Sends a request from a peer address. The path is not normalized, and may be a complete URL. */
  async function request(path: string, init: RequestInit = {}, peer = '192.0.2.1'): Promise<Response> {
    const url = path.startsWith('http://') ? path : `http://localhost${path}`;
    return app.request(url, init, { incoming: { socket: { remoteAddress: peer } } as never });
  }

  /** Sends a body: text and bytes unchanged, anything else as JSON. */
  const sender =
    (method: 'POST' | 'PUT') =>
    (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> => {
      const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
      return request(path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
      });
    };
  const post = sender('POST');
  const put = sender('PUT');

  return {
    app,
    orchestrator,
    health,
    ports,
    clock,
    recorded,
    logger,
    finished,
    idempotent,
    request,
    post,
    put,
  };
}

export type TestApp = ReturnType<typeof createTestApp>;

/** The JSON body of a response; the type is not checked. */
export async function jsonOf<T = Record<string, unknown>>(response: Response): Promise<T> {
  expect(response.headers.get('content-type')).toBe('application/json');
  return (await response.json()) as T;
}

/** Expects a response in the error shape (specification, section 7), and returns its detail. */
export async function expectError(
  response: Response,
  status: number,
  detail: string | RegExp = /./,
): Promise<string> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) });
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/);
  const body: unknown = JSON.parse(text);
  expect(body).toEqual({
    error: STATUS_CODES[status],
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  });
  const sent = (body as { detail: string }).detail;
  expect(sent.length).toBeLessThanOrEqual(2_000);
  return sent;
}
