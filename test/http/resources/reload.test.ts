import { describe, expect, test } from 'vitest';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { setUpPlaybook } from '../../../src/adapters/playbook-setup.ts';
import type { ReloadPlaybook } from '../../../src/application/driving-port.ts';
import { invalid, unavailable } from '../../../src/domain/errors.ts';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

const appWith = (reload: ReloadPlaybook) => createTestApp({ http: { reload } });
const post = { method: 'POST' };

const reloaded = {
  playbook: { source: 'playbook.yaml', version: 'c2e07b41d95a' },
  warnings: ['message_tools[0]: there is no tool "stock" here'],
  changed: true,
};

/** The faults of a playbook that could hardly be worse. */
const faults = Array.from(
  { length: 100 },
  (_, index) => `playbook.yaml:${index + 1}:3: colour: ${'x'.repeat(200)}`,
);

describe('POST /system/reload', () => {
  test('tells which playbook is in use now', async () => {
    const response = await appWith(async () => reloaded).request('/system/reload', post);
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual(reloaded);
  });

  test('is 422 with all faults, however many they are', async () => {
    const { request } = appWith(() =>
      Promise.reject(invalid(faults.map((detail) => ({ path: [], detail })))),
    );
    const { error, detail } = await jsonOf<Record<string, string>>(await request('/system/reload', post));
    expect(error).toBe('Unprocessable Entity');
    expect(detail).toBe(faults.join('; '));
    const problem = await request('/system/reload', {
      ...post,
      headers: { Accept: 'application/problem+json' },
    });
    expect(problem.status).toBe(422);
    expect(await problem.json()).toMatchObject({
      detail: faults.join('; '),
      errors: faults.map((one) => ({ pointer: '', detail: one })),
    });
  });

  test('is 404 in a program that reloads nothing', async () => {
    await expectError(await createTestApp().request('/system/reload', post), 404);
  });

  test('is 503 while the service shuts down', async () => {
    const { request } = appWith(() => Promise.reject(unavailable('the service is shutting down')));
    await expectError(await request('/system/reload', post), 503);
  });

  test('shows nothing of what it did not expect', async () => {
    const { request } = appWith(() => Promise.reject(new Error('canary')));
    const response = await request('/system/reload', post);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('canary');
  });

  test('needs a key where others do, and is no page that a browser opens', async () => {
    let reloads = 0;
    const reload = async () => {
      reloads += 1;
      return reloaded;
    };
    const { request } = createTestApp({ http: { reload, apiKeys: ['own-key'] } });
    await expectError(await request('/system/reload', post), 401);
    await expectError(await request('/system/reload', { headers: { 'X-Api-Key': 'own-key' } }), 405);
    const foreign = { Origin: 'https://elsewhere.example', 'X-Api-Key': 'own-key' };
    await expectError(await request('/system/reload', { ...post, headers: foreign }), 403);
    expect(reloads).toBe(0);
  });
});

describe('another playbook', () => {
  const intents = [
    { name: 'lost_book', description: 'Lost.', examples: ['I lost my book'], replies: { en: 'We look.' } },
  ];

  async function replaced() {
    const app = createTestApp();
    const before = await jsonOf<{ playbook: { version: string } }>(await app.request('/system'));
    // The document is generated once for each playbook.
    await app.request('/openapi.json');
    const additions = [{ name: 'test', playbook: { company: { name: 'Hill Library' }, intents } }];
    const setup = await setUpPlaybook({ additions });
    app.orchestrator.usePlaybook(setup, () => playbookPorts(setup));
    return { ...app, before: before.playbook.version };
  }

  test('is told by GET /system, and its tools by GET /tools', async () => {
    const { request, before } = await replaced();
    const { playbook } = await jsonOf<{ playbook: { version: string } }>(await request('/system'));
    expect(playbook).toMatchObject({ name: 'Hill Library', intents: 15 });
    expect(playbook.version).not.toBe(before);
    const { tools } = await jsonOf<{ tools: { name: string }[] }>(await request('/tools'));
    expect(tools.map(({ name }) => name)).toContain('check_order_status');
  });

  test('has its intents in requests and in the API description from then on', async () => {
    const { request, post: send } = await replaced();
    expect((await request('/trace/?intent=lost_book')).status).toBe(200);
    await expectError(await request('/trace/?intent=lost_key'), 422);
    const ticket = { message: 'I lost my book', expected_intent: 'lost_book' };
    const evaluated = await send('/evaluation', { tickets: [ticket] });
    expect(await jsonOf(evaluated)).toMatchObject({ classification_accuracy: 1 });
    const refused = await send('/evaluation', { tickets: [{ ...ticket, expected_intent: 'lost_key' }] });
    const { detail } = await jsonOf<{ detail: string }>(refused);
    expect(detail).toMatch(/^tickets\.0\.expected_intent: must be one of .*\blost_book\b/);
    const description = await (await request('/openapi.json')).text();
    expect(description).toContain('"lost_book"');
  });
});
