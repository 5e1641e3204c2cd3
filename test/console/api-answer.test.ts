import { describe, expect, it } from 'vitest';
import { CallError, readAnswer } from '../../console/api/answer.ts';

/** The body of an answer, or the reason for which the request failed. */
async function outcomeOf(response: Response): Promise<unknown> {
  return readAnswer(response).catch((error: unknown) => error);
}

const problem = (
  status: number,
  body: unknown = { detail: 'why' },
  headers: Record<string, string> = {},
): Response => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

describe('An answer of the service', () => {
  it('is its body, or nothing where it has none', async () => {
    expect(await outcomeOf(Response.json({ a: 1 }, { status: 201 }))).toEqual({ a: 1 });
    expect(await outcomeOf(new Response(null, { status: 204 }))).toBeUndefined();
  });

  it.each([
    [400, 'refused'],
    [401, 'refused'],
    [404, 'refused'],
    [409, 'refused'],
    [422, 'refused'],
    [429, 'busy'],
    [500, 'refused'],
    [502, 'away'],
    [503, 'busy'],
    [504, 'away'],
  ])('with the status %i is an error of the kind %s, in the words of the service', async (status, kind) => {
    const error = await outcomeOf(problem(status));
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({ kind, status, message: 'why', faults: [], retryAfterSeconds: undefined });
  });

  it('says when the next request is accepted, if that is a number of seconds', async () => {
    const retryAfter = async (value: string) => {
      const error = await outcomeOf(problem(429, {}, { 'Retry-After': value }));
      return error instanceof CallError ? error.retryAfterSeconds : 'no error';
    };
    expect(await retryAfter('7')).toBe(7);
    expect(await retryAfter('Wed, 21 Oct 2026 07:28:00 GMT')).toBeUndefined();
    expect(await retryAfter('soon')).toBeUndefined();
  });

  it('has the places that a 422 names, and nothing that is no place', async () => {
    const errors = [
      { pointer: '/input/a', detail: 'must be a number' },
      { pointer: 7, detail: 'no' },
      null,
      'text',
      { detail: 'no pointer' },
    ];
    expect(await outcomeOf(problem(422, { detail: 'the body is invalid', errors }))).toMatchObject({
      message: 'the body is invalid',
      faults: [{ pointer: '/input/a', detail: 'must be a number' }],
    });
  });

  it.each(['', '<html>Bad Gateway</html>', 'null', '[]', '"text"', '{"detail":{"a":1}}', '{"errors":{}}'])(
    'with an unexpected body is named by its status: %s',
    async (body) => {
      expect(await outcomeOf(problem(502, body))).toMatchObject({ kind: 'away', message: 'status 502' });
    },
  );
});
