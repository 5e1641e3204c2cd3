import { describe, expect, test } from 'vitest';
import { conflict } from '../../../../src/domain/errors.ts';
import type { TestAppOverrides } from '../../../support/http/app.ts';
import { expectError, jsonOf } from '../../../support/http/app.ts';
import { createPeopleApp, type ItemBody, itemAt, send, stepItem } from '../../../support/http/people.ts';

/** An app with one escalation in a conversation, and its path. */
async function appWithItem(overrides: TestAppOverrides = {}) {
  const app = createPeopleApp({}, overrides);
  const sent = await send(app, { conversation_id: 'thread-7' });
  const path = `/inbox/${sent.item_id}`;
  const resolve = (body: unknown) => app.post(`${path}/resolve`, body);
  return { ...app, app, ...sent, path, resolve };
}

const at = '2026-01-01T00:00:00.000Z';
const nothing = {
  note: null,
  response: null,
  intent: null,
  escalation_right: null,
  data: null,
  output: null,
};

describe('POST /inbox/{id}/resolve', () => {
  test('ends an escalation with all that was decided', async () => {
    const { resolve, app, item_id } = await appWithItem();
    const decision = {
      outcome: 'answered',
      by: 'maria',
      note: 'By phone',
      response: 'r'.repeat(8_192),
      intent: 'billing',
      escalation_right: true,
    };
    const response = await resolve(decision);
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    const item = await jsonOf(response);
    expect(item).toMatchObject({
      status: 'resolved',
      assignee: 'maria',
      resolved_at: at,
      version: 2,
      resolution: { ...nothing, ...decision, at },
    });
    expect(await itemAt(app, item_id)).toMatchObject(item);
    expect(await jsonOf(await app.request('/inbox'))).toMatchObject({ items: [], counts: { open: 0 } });
  });

  test('adds the reply to the conversation, and lets go of it', async () => {
    const { resolve, request, trace_id, item_id } = await appWithItem();
    await resolve({ outcome: 'answered', by: 'maria', response: 'I called you.' });
    const conversation = await jsonOf<{ entries: object[] }>(await request('/conversations/thread-7'));
    expect(conversation).toMatchObject({ open_item_id: null });
    expect(conversation.entries.at(-1)).toEqual({
      from: 'person',
      text: 'I called you.',
      at,
      trace_id,
      disposition: null,
      item_id,
    });
  });

  test.each(['dismissed', 'spam'])('ends it as %s without anything else', async (outcome) => {
    const { resolve } = await appWithItem();
    const none = { note: null, response: null, intent: null, escalation_right: null, output: null };
    expect(await jsonOf(await resolve({ outcome, by: 'maria', ...none }))).toMatchObject({
      resolution: { ...nothing, outcome, by: 'maria', at },
    });
  });

  test('sends a draft as it is, or changed', async () => {
    const app = createPeopleApp({ verdict: { escalated: false, reasons: [] }, reply: 'We refund you.' });
    for (const [response, sent] of [
      [undefined, 'We refund you.'],
      ['We do not.', 'We do not.'],
    ]) {
      const { item_id } = await send(app, { draft: true });
      const decision = { outcome: 'answered', by: 'maria', response };
      const item = await jsonOf(await app.post(`/inbox/${item_id}/resolve`, decision));
      expect(item).toMatchObject({ draft: 'We refund you.', resolution: { response: sent } });
    }
  });

  test('has one winner among a hundred at once, and names it to the others', async () => {
    const { resolve, app, item_id } = await appWithItem();
    const people = Array.from({ length: 100 }, (_, n) => `person ${n}`);
    const responses = await Promise.all(
      people.map((by) => resolve({ outcome: 'answered', response: by, by, intent: 'refund' })),
    );
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const { resolution } = await jsonOf<ItemBody>(winners[0] ?? expect.fail());
    for (const response of responses) {
      if (response.status !== 200)
        await expectError(response, 409, `the item is resolved by "${resolution?.['by']}"`);
    }
    expect(await itemAt(app, item_id)).toMatchObject({ resolution, version: 2 });
    const { datasets } = await jsonOf<{ datasets: object[] }>(await app.request('/datasets'));
    expect(datasets).toMatchObject([{ total: 1 }]);
    const { entries } = await jsonOf<{ entries: { from: string }[] }>(
      await app.request('/conversations/thread-7'),
    );
    expect(entries.filter(({ from }) => from === 'person')).toHaveLength(1);
  });

  test('needs no claim, but is 409 where somebody else has one', async () => {
    const { resolve, post, path } = await appWithItem();
    await post(`${path}/claim`, { by: 'tom' });
    const decision = { outcome: 'dismissed', by: 'maria' };
    await expectError(await resolve(decision), 409, /^the item is claimed by "tom" until 2026-/);
    expect((await resolve({ ...decision, by: 'tom' })).status).toBe(200);
  });

  const outcomes = 'answered, dismissed, spam, approved, rejected, completed, failed, retry';
  test.each([
    [{ by: 'm' }, 'outcome: is required'],
    [{ by: 'm', outcome: 'done' }, `outcome: must be one of ${outcomes}`],
    [{ by: 'm', outcome: null }, `outcome: must be one of ${outcomes}`],
    [{ by: 'm', outcome: ['answered'] }, `outcome: must be one of ${outcomes}`],
    [
      { by: 'm', outcome: 'approved' },
      'outcome: must be one of answered, dismissed, spam for an item of kind escalation',
    ],
    [
      { outcome: 'retry' },
      'outcome: must be one of answered, dismissed, spam for an item of kind escalation',
    ],
    [{ outcome: 'answered' }, 'by: is required'],
    [{ outcome: 'approved' }, 'by: is required'],
    [{ by: 'm', outcome: 'answered', response: '' }, 'response: must not be empty'],
    [{ by: 'm', outcome: 'answered', response: ' ' }, 'response: must not be only white space'],
    [
      { by: 'm', outcome: 'answered', response: 'r'.repeat(8_193) },
      'response: must be at most 8192 characters',
    ],
    [{ by: 'm', outcome: 'answered', response: 7 }, 'response: must be a string'],
    [{ by: 'm', outcome: 'spam', response: 'r' }, 'response: is only for the outcome answered'],
    [{ by: 'm', outcome: 'spam', note: 'n'.repeat(4_097) }, 'note: must be at most 4096 characters'],
    [{ by: 'm', outcome: 'spam', note: {} }, 'note: must be a string'],
    [{ by: 'm', outcome: 'spam', intent: 'weather' }, 'intent: "weather" is no intent of the playbook'],
    [{ by: 'm', outcome: 'spam', intent: '__proto__' }, 'intent: "__proto__" is no intent of the playbook'],
    [{ by: 'm', outcome: 'spam', intent: '' }, 'intent: must not be empty'],
    [{ by: 'm', outcome: 'spam', escalation_right: 'yes' }, 'escalation_right: must be true or false'],
    [{ by: 'm', outcome: 'spam', output: [] }, 'output: must be an object'],
    [null, 'body: must be an object'],
  ])('rejects %j', async (body, detail) => {
    const { resolve, app, item_id } = await appWithItem();
    await expectError(await resolve(body), 422, detail);
    expect(await itemAt(app, item_id)).toMatchObject({ status: 'open', version: 1 });
  });
});

describe('a decision about a step', () => {
  /** An app whose inbox keeps what was decided about steps instead of a run. */
  async function appWithStep(kind: 'approval' | 'recovery') {
    const decided: object[] = [];
    const app = createPeopleApp(
      {},
      {
        useCases: ({ inbox }) => ({
          inbox: inbox && {
            ...inbox,
            async resolve(_id, decision) {
              decided.push(decision);
              throw conflict('kept by the test');
            },
          },
        }),
      },
    );
    await app.ports.inbox.create(stepItem({ kind }));
    return { ...app, decided };
  }

  test('is by `api` where a recovery names nobody', async () => {
    const { post, decided } = await appWithStep('recovery');
    await post('/inbox/step-1/resolve', { outcome: 'completed', output: { id: 7 } });
    await post('/inbox/step-1/resolve', { outcome: 'retry', by: 'maria' });
    expect(decided).toMatchObject([
      { outcome: 'completed', by: 'api', output: { id: 7 } },
      { outcome: 'retry', by: 'maria' },
    ]);
  });

  test.each([[{ amount: 7 }], [[1, null]], ['text'], [0], [false], [null]])(
    'may have the data %j with an approval',
    async (data) => {
      const { post, decided } = await appWithStep('approval');
      await post('/inbox/step-1/resolve', { outcome: 'approved', by: 'maria', data });
      expect(decided).toMatchObject([{ outcome: 'approved', by: 'maria', data }]);
    },
  );
});
