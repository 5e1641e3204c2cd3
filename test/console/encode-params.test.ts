import { expect, test } from 'vitest';
import { encodeParams } from '../../console/api/encode-params.ts';
import { createClient } from '../../src/entries/client.ts';

/** The path that the client asks for a run of this id. */
async function pathOf(id: string): Promise<string> {
  let asked = '';
  const api = createClient('http://127.0.0.1:9', {
    fetch: async (input: string | URL | Request) => {
      asked = new URL(input instanceof Request ? input.url : input).pathname;
      return new Response('{}');
    },
  });
  await encodeParams(api).runs[':execution_id'].cancel.$post({ param: { execution_id: id }, json: {} });
  return asked;
}

test.each(['../../workflows/x', 'a/b', 'a?b=c', 'a#b', '..', '.', '%2e%2e', 'ü ✓', '\\..\\x'])(
  'an id stays one part of the path: %j',
  async (id) => {
    const path = await pathOf(id);
    expect(path).toMatch(/^\/runs\/[^/]+\/cancel$/);
    expect(path).not.toContain('/../');
  },
);

test('a usual id is asked for as it is', async () => {
  expect(await pathOf('01a2064c-1f7b-7000-a5c9-dab0c37c7147')).toBe(
    '/runs/01a2064c-1f7b-7000-a5c9-dab0c37c7147/cancel',
  );
});
