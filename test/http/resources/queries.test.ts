import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

const listings = ['/trace/', '/trace', '/workflows', '/workflows/{id}/runs', '/agents/routes'];

const notPlain = [
  '',
  ' ',
  'ten',
  'null',
  'NaN',
  'Infinity',
  '1e2',
  '1E2',
  '0x10',
  '0b1',
  '0o7',
  '+5',
  '-1',
  '-0',
  ' 10',
  '10 ',
  ' 10 ',
  '1.0',
  '1.5',
  '10,5',
  '1_000',
  '10n',
  '5;',
  '１０',
  '٣',
  '²',
  '1\u0000',
  '10\n',
  '100000000000000000000',
  '[]',
  "1' OR '1'='1",
  '<script>',
];

/** An app with a workflow, and the path of a listing in it. */
async function createAppFor(listing: string) {
  const app = createTestApp();
  const { id } = await jsonOf(
    await app.post('/workflows', { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] }),
  );
  return { ...app, path: listing.replace('{id}', String(id)) };
}

const apps = new Map<string, ReturnType<typeof createAppFor>>();

/** One app for each listing: its requests change nothing. */
function appFor(listing: string): ReturnType<typeof createAppFor> {
  const app = apps.get(listing) ?? createAppFor(listing);
  apps.set(listing, app);
  return app;
}

describe.each(listings)('the query of GET %s', (listing) => {
  test.each(notPlain)('rejects %j as a number', async (value) => {
    const { request, path } = await appFor(listing);
    for (const name of ['limit', 'offset']) {
      const response = await request(`${path}?${name}=${encodeURIComponent(value)}`);
      await expectError(response, 422, `${name}: must be an integer in plain decimal digits`);
    }
  });

  test.each(['0', '201', '999999999999999', '00'])('rejects a limit of %s', async (limit) => {
    const { request, path } = await appFor(listing);
    await expectError(await request(`${path}?limit=${limit}`), 422, 'limit: must be from 1 to 200');
  });

  test.each([
    ['limit=1', 1, 0],
    ['limit=200', 200, 0],
    ['limit=007', 7, 0],
    ['offset=0', 50, 0],
    ['offset=999999999', 50, 999_999_999],
    ['offset=999999999999999', 50, 999_999_999_999_999],
    ['limit=10&offset=20', 10, 20],
    ['Limit=0', 50, 0],
    ['limit[]=0', 50, 0],
    ['__proto__=1&constructor=2', 50, 0],
    ['', 50, 0],
  ])('accepts %j', async (query, limit, offset) => {
    const { request, path } = await appFor(listing);
    const response = await request(`${path}?${query}`);
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({ limit, offset });
  });

  test.each(['limit=1&limit=999', 'limit=1&limit=1', 'limit=5&offset=0&limit=5', 'limit&limit'])(
    'rejects a repeated parameter: %s',
    async (query) => {
      const { request, path } = await appFor(listing);
      await expectError(await request(`${path}?${query}`), 422, 'limit: must be given once');
    },
  );

  test('returns all issues together', async () => {
    const { request, path } = await appFor(listing);
    await expectError(
      await request(`${path}?offset=-1&limit=0`),
      422,
      'limit: must be from 1 to 200; offset: must be an integer in plain decimal digits',
    );
  });
});
