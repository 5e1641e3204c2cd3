import { describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { createPeopleApp, type ItemBody, itemAt, send, stepItem } from '../../../support/http/people.ts';

/** An app with one item, and its path. */
async function appWithItem() {
  const app = createPeopleApp();
  const { item_id } = await send(app);
  return { ...app, app, item_id, path: `/inbox/${item_id}` };
}

const halfPast = '2026-01-01T00:30:00.000Z';

describe('POST /inbox/next', () => {
  test('claims the first open item, and is 204 when there is none', async () => {
    const { post, item_id } = await appWithItem();
    const response = await post('/inbox/next', { by: 'maria' });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    expect(await jsonOf(response)).toMatchObject({
      item_id,
      status: 'claimed',
      assignee: 'maria',
      claimed_until: halfPast,
      version: 2,
    });
    const none = await post('/inbox/next', { by: 'tom' });
    expect([none.status, await none.text()]).toEqual([204, '']);
  });

  test('claims only items of the kinds that are wanted', async () => {
    const { post, ports } = await appWithItem();
    await ports.inbox.create(stepItem());
    expect((await post('/inbox/next', { by: 'maria', kinds: ['draft', 'recovery'] })).status).toBe(204);
    const next = await post('/inbox/next', { by: 'maria', kinds: ['escalation', 'draft', 'draft'] });
    expect(await jsonOf(next)).toMatchObject({ kind: 'escalation' });
  });

  test('gives each of many people another item', async () => {
    const app = createPeopleApp();
    for (let n = 0; n < 20; n++) await send(app);
    const people = Array.from({ length: 30 }, (_, n) => `person ${n}`);
    const responses = await Promise.all(people.map((by) => app.post('/inbox/next', { by })));
    const items = await Promise.all(
      responses.filter(({ status }) => status === 200).map((one) => jsonOf<ItemBody>(one)),
    );
    expect(new Set(items.map(({ item_id }) => item_id)).size).toBe(20);
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(10);
  });

  const kinds = 'kinds: must be a list of one or more of escalation, draft, approval, recovery';
  test.each([
    [{}, 'by: is required'],
    [{ by: 'maria', kinds: [] }, kinds],
    [{ by: 'maria', kinds: 'draft' }, kinds],
    [{ by: 'maria', kinds: null }, kinds],
    [{ by: 'maria', kinds: ['draft', 'message'] }, kinds],
    [{ by: 'maria', kinds: Array.from({ length: 100_000 }, () => 7) }, kinds],
    [[], 'body: must be an object'],
    ['', 'body: must be an object'],
  ])('rejects a body', async (body, detail) => {
    const { post } = await appWithItem();
    await expectError(await post('/inbox/next', body), 422, detail);
  });
});

describe('POST /inbox/{id}/claim', () => {
  test('claims an item, and renews the claim of the same person', async () => {
    const { post, path, clock } = await appWithItem();
    expect(await jsonOf(await post(`${path}/claim`, { by: 'maria' }))).toMatchObject({
      status: 'claimed',
      assignee: 'maria',
      claimed_until: halfPast,
      version: 2,
    });
    await clock.advance(60_000);
    expect(await jsonOf(await post(`${path}/claim`, { by: 'maria' }))).toMatchObject({
      assignee: 'maria',
      claimed_until: '2026-01-01T00:31:00.000Z',
      version: 3,
    });
  });

  test('is 409 with the name of who has it, until the claim has lapsed', async () => {
    const { post, path, clock } = await appWithItem();
    await post(`${path}/claim`, { by: 'maria' });
    const claim = () => post(`${path}/claim`, { by: 'tom' });
    await expectError(await claim(), 409, `the item is claimed by "maria" until ${halfPast}`);
    await clock.advance(30 * 60_000);
    expect(await jsonOf(await claim())).toMatchObject({ assignee: 'tom' });
  });

  test('has one winner among many at once', async () => {
    const { post, path } = await appWithItem();
    const people = Array.from({ length: 50 }, (_, n) => `person ${n}`);
    const responses = await Promise.all(people.map((by) => post(`${path}/claim`, { by })));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49);
  });
});

describe('POST /inbox/{id}/release', () => {
  test('makes the item open again', async () => {
    const { post, path } = await appWithItem();
    await post(`${path}/claim`, { by: 'maria' });
    const response = await post(`${path}/release`, { by: 'maria' });
    expect(response.headers.get('etag')).toBe('"3"');
    expect(await jsonOf(response)).toMatchObject({ status: 'open', assignee: null, claimed_until: null });
  });

  test('is 409 for an item that nobody or somebody else has', async () => {
    const { post, path } = await appWithItem();
    await expectError(await post(`${path}/release`, { by: 'tom' }), 409, 'nobody has claimed the item');
    await post(`${path}/claim`, { by: 'maria' });
    await expectError(await post(`${path}/release`, { by: 'tom' }), 409, /^the item is claimed by "maria"/);
  });
});

describe('POST /inbox/{id}/assign', () => {
  test('claims the item for somebody else, whoever has it', async () => {
    const { post, path } = await appWithItem();
    await post(`${path}/claim`, { by: 'maria' });
    const body = { by: 'boss', assignee: 'tom' };
    expect(await jsonOf(await post(`${path}/assign`, body))).toMatchObject({ assignee: 'tom', version: 3 });
  });
});

describe('POST /inbox/{id}/notes', () => {
  test('adds notes, the oldest first, also to an ended item', async () => {
    const { post, path, app, item_id } = await appWithItem();
    await post(`${path}/notes`, { by: 'maria', note: ' Called.\n' });
    await post(`${path}/resolve`, { by: 'maria', outcome: 'dismissed' });
    const at = '2026-01-01T00:00:00.000Z';
    const notes = [
      { by: 'maria', note: ' Called.\n', at },
      { by: 'tom', note: 'n'.repeat(4_096), at },
    ];
    const second = await post(`${path}/notes`, { by: 'tom', note: 'n'.repeat(4_096) });
    expect(await jsonOf(second)).toMatchObject({ status: 'resolved', notes, version: 4 });
    expect(await itemAt(app, item_id)).toMatchObject({ notes });
  });

  test('loses none of many that come at once, and is 409 after the hundredth', async () => {
    const { post, path, app, item_id } = await appWithItem();
    const add = (n: number) => post(`${path}/notes`, { by: 'maria', note: `note ${n}` });
    const responses = await Promise.all(Array.from({ length: 100 }, (_, n) => add(n)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await itemAt(app, item_id)).notes).toHaveLength(100);
    await expectError(await add(100), 409, 'the item has 100 notes already');
  });
});

/** The changes, each with a valid body. */
const changes: readonly (readonly [string, object])[] = [
  ['claim', { by: 'maria' }],
  ['release', { by: 'maria' }],
  ['assign', { by: 'maria', assignee: 'tom' }],
  ['notes', { by: 'maria', note: 'x' }],
  ['resolve', { by: 'maria', outcome: 'dismissed' }],
];

describe.each(changes)('POST /inbox/{id}/%s', (change, valid) => {
  /** An app with an item that maria has claimed, in version 2. */
  async function claimed() {
    const found = await appWithItem();
    await found.post(`${found.path}/claim`, { by: 'maria' });
    const change_ = (body: unknown, headers: Record<string, string> = {}) =>
      found.post(`${found.path}/${change}`, body, headers);
    return { ...found, change: change_ };
  }

  test.each([{ 'If-Match': '"2"' }, { 'If-Match': '*' }, { 'If-Match': ' "2" ' }, {}])(
    'accepts the version that the item has, with the headers %j',
    async (headers) => {
      const { change: send_ } = await claimed();
      const response = await send_(
        { ...valid, version: 2, unknown: true },
        headers as Record<string, string>,
      );
      expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"']);
      expect(await jsonOf(response)).toMatchObject({ version: 3 });
    },
  );

  test('is 409 for another version in the body, and 412 for another one in If-Match', async () => {
    const { change: send_, app, item_id } = await claimed();
    const detail = (seen: number) => `the item has changed: its version is 2, not ${seen}`;
    await expectError(await send_({ ...valid, version: 1 }), 409, detail(1));
    await expectError(await send_({ ...valid, version: 3 }, { 'If-Match': '*' }), 409, detail(3));
    await expectError(await send_(valid, { 'If-Match': '"1"' }), 412, detail(1));
    await expectError(await send_({ ...valid, version: 3 }, { 'If-Match': '"3"' }), 412, detail(3));
    expect(await itemAt(app, item_id)).toMatchObject({ version: 2, status: 'claimed' });
  });

  test.each(['2', '', '"0"', '"02"', 'W/"2"', '"2", "3"', '"two"', '"2', `"${'9'.repeat(17)}"`, '**'])(
    'rejects the If-Match %j',
    async (tag) => {
      const { change: send_ } = await claimed();
      const detail = 'If-Match: must be the ETag of an item, such as "7", or *';
      await expectError(await send_(valid, { 'If-Match': tag }), 422, detail);
    },
  );

  test('rejects versions that differ', async () => {
    const { change: send_ } = await claimed();
    const response = await send_({ ...valid, version: 2 }, { 'If-Match': '"3"' });
    await expectError(response, 422, 'version: is not the one of If-Match');
  });

  test.each(['1', 0, -1, 1.5, null, true, {}, 1e300])('rejects the version %j', async (version) => {
    const { change: send_ } = await claimed();
    await expectError(await send_({ ...valid, version }), 422, 'version: must be an integer of 1 or more');
  });

  test.each([
    [undefined, 'is required'],
    [null, 'must be a string'],
    [7, 'must be a string'],
    [['maria'], 'must be a string'],
    ['', 'must not be empty'],
    [' \n\u2003', 'must not be only white space'],
    ['m'.repeat(129), 'must be at most 128 characters'],
    ['m'.repeat(100_000), 'must be at most 128 characters'],
  ])('rejects %j as the person', async (by, problem) => {
    const { change: send_ } = await claimed();
    await expectError(await send_({ ...valid, by }), 422, `by: ${problem}`);
  });

  test('accepts a person of 128 characters of any script', async () => {
    const { post, path } = await appWithItem();
    const by = '👩'.repeat(128);
    await post(`${path}/claim`, { by });
    expect((await post(`${path}/${change}`, { ...valid, by })).status).toBe(200);
  });

  test('is 404 for an unknown item', async () => {
    const { post } = createPeopleApp();
    await expectError(await post(`/inbox/nobody/${change}`, valid), 404, 'inbox item "nobody" not found');
  });

  test('counts under the template of its route, and its log line names the item', async () => {
    const { change: send_, finished, logger, item_id } = await claimed();
    await send_(valid);
    expect(finished.at(-1)).toMatchObject({ route: `/inbox/{id}/${change}`, status: 200 });
    expect(logger.lines.at(-1)).toMatchObject({ message: 'request', item_id });
  });

  test('answers problem details with a pointer', async () => {
    const { change: send_ } = await claimed();
    const response = await send_({ ...valid, by: '' }, { Accept: 'application/problem+json' });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/by' }] });
  });
});

test.each([
  ['assign', { by: 'maria' }, 'assignee: is required'],
  ['assign', { by: 'maria', assignee: ' ' }, 'assignee: must not be only white space'],
  ['assign', { by: 'maria', assignee: 'x'.repeat(129) }, 'assignee: must be at most 128 characters'],
  ['notes', { by: 'maria' }, 'note: is required'],
  ['notes', { by: 'maria', note: null }, 'note: must be a string'],
  ['notes', { by: 'maria', note: '\t' }, 'note: must not be only white space'],
  ['notes', { by: 'maria', note: 'x'.repeat(4_097) }, 'note: must be at most 4096 characters'],
])('POST /inbox/{id}/%s rejects %j', async (change, body, detail) => {
  const { post, path } = await appWithItem();
  await expectError(await post(`${path}/${change}`, body), 422, detail);
});
