import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf, type TestApp } from '../../support/http/app.ts';
import {
  DEEP,
  evaluationFields,
  fields,
  HUGE,
  message,
  step,
  subtask,
  values,
} from '../../support/http/request-fields.ts';

/** An app with a workflow, and the path of a route in it. */
async function appFor(route: string): Promise<TestApp & { readonly path: string }> {
  const app = createTestApp();
  const { id } = await jsonOf(await app.post('/workflows', { name: 'n', steps: [step] }));
  return { ...app, path: route.replace('{id}', String(id)) };
}

describe.each([...fields, ...evaluationFields])(
  'the field $field of POST $route',
  ({ route, field, body, accepts, optional }) => {
    let shared: ReturnType<typeof appFor> | undefined;
    /** One app for all values: what a request stores does not change the answer to another one. */
    const sharedApp = (): ReturnType<typeof appFor> => {
      shared ??= appFor(route);
      return shared;
    };
    const named = new RegExp(`(?:^|; )${field.replaceAll('.', '\\.')}[.:]`);

    test.each(values)('accepts or rejects %s', async (_name, value) => {
      const { post, path } = await sharedApp();
      const response = await post(path, body(value));
      if (accepts(value)) {
        expect(response.status).toBeLessThan(300);
        return;
      }
      const detail = await expectError(response, 422, named);
      expect(detail).not.toContain(HUGE.slice(0, 100));
    });

    test('may be missing, or is required', async () => {
      const { post, path } = await sharedApp();
      const response = await post(path, body(undefined));
      if (optional) expect(response.status).toBeLessThan(300);
      else await expectError(response, 422, named);
    });
  },
);

describe('the maximum length', () => {
  test.each([
    ['source', 64],
    ['customer_id', 128],
    ['message', 32_768],
  ])('of %s is exact', async (field, most) => {
    const { post } = createTestApp();
    for (const letter of ['x', '€']) {
      const body = (length: number) => ({ ...message, [field]: letter.repeat(length) });
      expect((await post('/messages', body(1))).status).toBe(200);
      expect((await post('/messages', body(most))).status).toBe(200);
      const detail = `${field}: must be at most ${most} characters`;
      await expectError(await post('/messages', body(most + 1)), 422, detail);
      await expectError(await post('/messages', body(0)), 422, `${field}: must not be empty`);
    }
  });
});

describe('the detail of an error', () => {
  test.each<[string, object, string]>([
    ['/messages', {}, 'customer_id: is required; message: is required'],
    ['/messages', { ...message, message: '' }, 'message: must not be empty'],
    ['/messages', { ...message, message: '\t' }, 'message: must not be only white space'],
    ['/messages', { ...message, customer_id: 7 }, 'customer_id: must be a string'],
    [
      '/messages/batch',
      { messages: [message, { ...message, customer_id: '' }, message, { ...message, message: '' }] },
      'messages.1.customer_id: must not be empty; messages.3.message: must not be empty',
    ],
    ['/messages/batch', {}, 'messages: must be an array of messages'],
    ['/agents/route', {}, 'goal: is required'],
    ['/workflows', { steps: [], name: '' }, 'name: must not be empty; steps: must contain at least one step'],
    ['/messages', { message: 'm', customer_id: 'c', source: null }, 'source: must be a string'],
    ['/messages', [], 'body: must be an object'],
    [
      '/workflows',
      { name: 'n', steps: [{ id: '-', kind: 'agent' }] },
      'steps.0.id: must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit; steps.0.agent_name: is required for a step of kind agent',
    ],
    [
      '/workflows',
      { name: 'n', steps: [{ id: 'a' }] },
      'steps.0.tool_name: is required for a step of kind tool',
    ],
  ])('of POST %s names each invalid field and its issue: %j', async (path, body, detail) => {
    const { post } = createTestApp();
    await expectError(await post(path, body), 422, detail);
  });

  test('has at most 2,000 characters', async () => {
    const { post } = createTestApp();
    const messages = Array.from({ length: 100 }, () => ({ customer_id: '', message: '' }));
    const detail = await expectError(await post('/messages/batch', { messages }), 422);
    expect(detail).toHaveLength(2_000);
    expect(detail).toMatch(/^messages\.0\.customer_id: must not be empty; messages\.0\.message: /);
  });

  test.each(['<script>alert(1)</script>', '\r\nX-Injected: 1', 'y'.repeat(500_000), '\ud83d'])(
    'does not repeat what was sent',
    async (text) => {
      const { post } = createTestApp();
      const bodies = [
        { ...message, source: [text] },
        { ...message, message: { [text]: text } },
        { [text]: text },
        [text],
        text,
      ];
      for (const body of bodies) {
        const response = await post('/messages', JSON.stringify(body));
        expect(response.headers.get('x-injected')).toBeNull();
        expect(await expectError(response, 422)).not.toContain(text.slice(0, 50));
      }
    },
  );
});

describe('unknown fields', () => {
  test('are ignored by every route, whatever their names are', async () => {
    const { post, path } = await appFor('/workflows/{id}/run');
    const surplus = JSON.parse(
      `{"__proto__": {"background": true}, "constructor": 1, "x": ${JSON.stringify(DEEP)}}`,
    );
    const bodies: readonly (readonly [string, object])[] = [
      ['/messages', { ...message }],
      ['/messages/batch', { messages: [{ ...message, ...surplus }] }],
      ['/workflows', { name: 'n', steps: [{ ...step, ...surplus }] }],
      ['/agents/route', { goal: 'g', subtasks: [{ ...subtask, ...surplus }] }],
      [path, {}],
    ];
    for (const [route, body] of bodies) {
      const sent = JSON.stringify(body).replace(
        /\}$/,
        `${Object.keys(body).length > 0 ? ',' : ''}"__proto__":{"background":true,"goal":1},"hasOwnProperty":null}`,
      );
      const response = await post(route, sent);
      expect([route, response.status]).toEqual([route, route === '/workflows' ? 201 : 200]);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
