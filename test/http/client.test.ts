import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Client, createClient } from '../../src/entries/client.ts';
import { createTestApp } from '../support/http/app.ts';

/** A client of an app in this process. */
function setUp(): Client {
  const { app } = createTestApp();
  return createClient('http://127.0.0.1', {
    fetch: (input: string | URL | Request, init?: RequestInit) => app.request(new Request(input, init)),
  });
}

type FirstArgument<Call extends (...args: never[]) => unknown> = Parameters<Call>[0];

describe('the typed client', () => {
  test('needs no argument where nothing is demanded', async () => {
    const client = setUp();
    expect((await client.health.$get()).status).toBe(200);
    expect((await client.agents.$get()).status).toBe(200);
    expect((await client.runs.$get()).status).toBe(200);
    expect((await client.events.$get()).status).toBe(200);
    expect((await client.runs.$get({ query: { limit: '3' } })).status).toBe(200);
  });

  test('needs a query only where one of its members is demanded', async () => {
    const client = setUp();
    const routed = await client.agents.route.$post({ json: { goal: 'Say hello.' } });
    expect(routed.status).toBe(200);
    const planned = await client.agents.route.$post({
      json: { goal: 'Say hello.' },
      query: { dry_run: 'true' },
    });
    expect(planned.status).toBe(200);
    const trace = await client.trace[':trace_id'].events.$get({ param: { trace_id: 'nowhere' } });
    expect(trace.status).toBe(404);
  });

  test('demands bodies and parameters, under the names of the API, and knows no others', () => {
    const client = setUp();
    expectTypeOf<FirstArgument<typeof client.health.$get>>().extract<undefined>().not.toBeNever();
    expectTypeOf<FirstArgument<typeof client.messages.$post>>().extract<undefined>().toBeNever();
    type OfRun = FirstArgument<(typeof client.runs)[':execution_id']['$get']>;
    expectTypeOf<OfRun['param']>().toEqualTypeOf<{ execution_id: string }>();
    type OfRunEvents = FirstArgument<
      (typeof client.workflows)[':id']['runs'][':execution_id']['events']['$get']
    >;
    expectTypeOf<keyof OfRunEvents['param']>().toEqualTypeOf<'id' | 'execution_id'>();
    const wrong = () => {
      // @ts-expect-error: the parameter of this path is `execution_id`.
      void client.runs[':execution_id'].$get({ param: { id: 'x' } });
      // @ts-expect-error: a message is demanded.
      void client.messages.$post();
      // @ts-expect-error: there is no such member of the query.
      void client.runs.$get({ query: { limits: '3' } });
    };
    expect(wrong).toBeTypeOf('function');
  });

  test('makes URLs with parameters and a query', () => {
    const client = setUp();
    const url = client.runs[':execution_id'].$url({ param: { execution_id: 'x' } });
    expect(url.pathname).toBe('/runs/x');
  });
});
