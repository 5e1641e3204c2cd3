import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

/** States an intent, and takes the place of an example tool. */
const extension = `
export const playbook = {
  intents: [{
    name: 'gift_wrapping',
    description: 'Wants something wrapped as a gift.',
    examples: ['Can you wrap it as a present?', 'Do you offer gift wrapping?', 'Please gift wrap my order'],
    replies: { en: 'We wrap gifts for free.' },
  }],
};
const accepts = { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({ type: 'object' }) };
export default ({ tools }) => tools.register({
  name: 'check_order_status', description: 'Looks an order up.', input: accepts, effect: 'read',
  execute: (input, { customerId }) => ({ status: 'packed', carrier: 'courier of ' + customerId, eta_days: 1 }),
});
`;

let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extended-playbook-'));
  await writeFile(join(folder, 'shop.mjs'), extension);
  service = await startService({ EXTENSIONS: join(folder, 'shop.mjs') });
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function answer(message: string): Promise<Record<string, unknown>> {
  return bodyOf(await postJson(`${service.baseUrl}/messages`, { customer_id: 'customer-7', message }));
}

test('an intent of an extension is answered beside those of the built-in playbook', async () => {
  expect(await answer('Do you offer gift wrapping?')).toMatchObject({
    intent: 'gift_wrapping',
    disposition: 'answered',
    response: expect.stringContaining('We wrap gifts for free.'),
  });
  expect(await answer('I want my money back for the broken lamp')).toMatchObject({ intent: 'refund' });
});

test('a tool of an extension takes the place of an example, and knows the customer', async () => {
  const { response } = await answer('Where is my order A-1234?');
  expect(response).toContain('courier of customer-7');
});
