import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf, type TestApp } from '../support/http-app.ts';

const message = { source: 'email', customer_id: 'customer-1', message: 'hello' };
const step = { id: 'a', kind: 'tool', tool_name: 'lookup', depends_on: [], static_input: {} };
const subtask = { agent_name: 'echo', payload: {} };

const HUGE = 'x'.repeat(40_000);
const DEEP = Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), {});

/** A value of every kind, by a name for it. */
const values: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['42.5', 42.5],
  ['an empty text', ''],
  ['a blank text', ' \n\u2003'],
  ['a text', 'text'],
  ['a huge text', HUGE],
  ['an empty list', []],
  ['a list of null', [null]],
  ['an empty object', {}],
  ['an object', { constructor: 1 }],
  ['a deep object', DEEP],
];

const isText = (from: number, to: number) => (value: unknown) =>
  typeof value === 'string' && value.length >= from && value.length <= to;
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const nothing = () => false;

interface Field {
  readonly route: string;
  /** The field's path, as a detail names it. */
  readonly field: string;
  /** A body that is right but for the field, which has `value`. */
  readonly body: (value: unknown) => object;
  /** Whether a value is right. */
  readonly accepts: (value: unknown) => boolean;
  /** Whether the field may be missing. */
  readonly optional: boolean;
}

const inBatch = (name: string) => (value: unknown) => ({
  messages: [message, message, message, { ...message, [name]: value }],
});
const inStep = (name: string) => (value: unknown) => ({
  name: 'n',
  steps: [
    { ...step, id: 'z' },
    { ...step, [name]: value },
  ],
});
const inSubtask = (name: string) => (value: unknown) => ({
  goal: 'g',
  subtasks: [subtask, { ...subtask, [name]: value }],
});

const text = (from: number, to: number) => ({ accepts: isText(from, to), optional: false });
const isMessage = (value: unknown) => isText(1, 32_768)(value) && String(value).trim() !== '';

const fields: readonly Field[] = [
  {
    route: '/messages',
    field: 'source',
    body: (source) => ({ ...message, source }),
    accepts: isText(1, 64),
    optional: true,
  },
  {
    route: '/messages',
    field: 'customer_id',
    body: (customer_id) => ({ ...message, customer_id }),
    ...text(1, 128),
  },
  {
    route: '/messages',
    field: 'message',
    body: (value) => ({ ...message, message: value }),
    accepts: isMessage,
    optional: false,
  },
  {
    route: '/messages/batch',
    field: 'messages',
    body: (messages) => ({ messages }),
    accepts: nothing,
    optional: false,
  },
  {
    route: '/messages/batch',
    field: 'messages.0',
    body: (value) => ({ messages: [value] }),
    accepts: nothing,
    optional: false,
  },
  {
    route: '/messages/batch',
    field: 'messages.3.source',
    body: inBatch('source'),
    accepts: isText(1, 64),
    optional: true,
  },
  {
    route: '/messages/batch',
    field: 'messages.3.customer_id',
    body: inBatch('customer_id'),
    ...text(1, 128),
  },
  {
    route: '/messages/batch',
    field: 'messages.3.message',
    body: inBatch('message'),
    accepts: isMessage,
    optional: false,
  },
  { route: '/workflows', field: 'name', body: (name) => ({ name, steps: [step] }), ...text(1, 128) },
  {
    route: '/workflows',
    field: 'description',
    body: (description) => ({ name: 'n', description, steps: [step] }),
    accepts: isText(0, 1_024),
    optional: true,
  },
  {
    route: '/workflows',
    field: 'steps',
    body: (steps) => ({ name: 'n', steps }),
    accepts: nothing,
    optional: false,
  },
  {
    route: '/workflows',
    field: 'steps.0',
    body: (value) => ({ name: 'n', steps: [value] }),
    accepts: nothing,
    optional: false,
  },
  {
    route: '/workflows',
    field: 'steps.1.id',
    body: inStep('id'),
    accepts: (value) => value === 'text',
    optional: false,
  },
  { route: '/workflows', field: 'steps.1.kind', body: inStep('kind'), accepts: nothing, optional: true },
  {
    route: '/workflows',
    field: 'steps.1.tool_name',
    body: inStep('tool_name'),
    ...text(1, 64),
  },
  {
    route: '/workflows',
    field: 'steps.1.depends_on',
    body: inStep('depends_on'),
    accepts: isEmptyList,
    optional: true,
  },
  {
    route: '/workflows',
    field: 'steps.1.static_input',
    body: inStep('static_input'),
    accepts: isObject,
    optional: true,
  },
  {
    route: '/workflows/{id}/run',
    field: 'background',
    body: (background) => ({ background }),
    accepts: (value) => typeof value === 'boolean',
    optional: true,
  },
  {
    route: '/workflows/{id}/run',
    field: 'input',
    body: (input) => ({ input }),
    accepts: isObject,
    optional: true,
  },
  {
    route: '/agents/route',
    field: 'goal',
    body: (goal) => ({ goal, subtasks: [] }),
    ...text(1, 32_768),
  },
  {
    route: '/agents/route',
    field: 'subtasks',
    body: (subtasks) => ({ goal: 'g', subtasks }),
    accepts: isEmptyList,
    optional: true,
  },
  {
    route: '/agents/route',
    field: 'subtasks.0',
    body: (value) => ({ goal: 'g', subtasks: [value] }),
    accepts: nothing,
    optional: false,
  },
  {
    route: '/agents/route',
    field: 'subtasks.1.agent_name',
    body: inSubtask('agent_name'),
    ...text(1, 128),
  },
  {
    route: '/agents/route',
    field: 'subtasks.1.payload',
    body: inSubtask('payload'),
    accepts: isObject,
    optional: true,
  },
];

/** An app with a workflow, and the path of a route in it. */
async function appFor(route: string): Promise<TestApp & { readonly path: string }> {
  const app = createTestApp();
  const { id } = await jsonOf(await app.post('/workflows', { name: 'n', steps: [step] }));
  return { ...app, path: route.replace('{id}', String(id)) };
}

describe.each(fields)('the field $field of POST $route', ({ route, field, body, accepts, optional }) => {
  const named = new RegExp(`(?:^|; )${field.replaceAll('.', '\\.')}[.:]`);

  test.each(values)('takes or refuses %s', async (_name, value) => {
    const { post, path } = await appFor(route);
    const reply = await post(path, body(value));
    if (accepts(value)) {
      expect(reply.status).toBeLessThan(300);
      return;
    }
    const detail = await expectError(reply, 422, named);
    expect(detail).not.toContain(HUGE.slice(0, 100));
  });

  test('may be missing, or is asked for', async () => {
    const { post, path } = await appFor(route);
    const reply = await post(path, body(undefined));
    if (optional) expect(reply.status).toBeLessThan(300);
    else await expectError(reply, 422, named);
  });
});

describe('the bounds of a text', () => {
  test.each([
    ['source', 64],
    ['customer_id', 128],
    ['message', 32_768],
  ])('of %s are exact', async (field, most) => {
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

describe('the detail of a refusal', () => {
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
    ['/workflows', { steps: [], name: '' }, 'name: must not be empty'],
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
  ])('of POST %s names each field and what is wrong with it: %j', async (path, body, detail) => {
    const { post } = createTestApp();
    await expectError(await post(path, body), 422, detail);
  });

  test('has at most 2,000 characters, however much is wrong', async () => {
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
        const reply = await post('/messages', JSON.stringify(body));
        expect(reply.headers.get('x-injected')).toBeNull();
        expect(await expectError(reply, 422)).not.toContain(text.slice(0, 50));
      }
    },
  );
});

describe('surplus fields', () => {
  test('of every route are ignored, whatever they are called', async () => {
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
      const reply = await post(route, sent);
      expect([route, reply.status]).toEqual([route, route === '/workflows' ? 201 : 200]);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
