import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `messages`. */
export function messagesSuite(stage: () => Stage): void {
  describe('the page messages of the console', () => {
    test('gathers new messages until they are asked for', async () => {
      const { open, baseUrl } = stage();
      const customer = `console ${randomUUID().slice(0, 8)}`;
      const send = (message: string) =>
        createClient(baseUrl).messages.$post({ json: { source: 'chat', customer_id: customer, message } });
      await send('Where is my order A-1234?');
      const { page, errors } = await open(`/messages?customer_id=${encodeURIComponent(customer)}`);
      await page.locator('.live-live').waitFor();
      const rows = page.getByRole('table').getByRole('row');
      await expect.poll(() => rows.count()).toBe(2);
      await send('I want a refund.');
      await page.getByRole('button', { name: '1 new' }).waitFor();
      expect(await rows.count()).toBe(2);
      await page.getByRole('button', { name: '1 new' }).click();
      await expect.poll(() => rows.nth(1).textContent()).toContain('I want a refund.');
      expect(errors).toEqual([]);
      await page.close();
    });

    test('keeps what is typed into a filter while messages come, and takes it after a pause', async () => {
      const { open, baseUrl } = stage();
      const customer = `typed ${randomUUID().slice(0, 8)}`;
      const json = { source: 'chat', customer_id: customer, message: 'Where is my order A-1234?' };
      const { page, errors } = await open('/messages');
      await page.locator('.live-live').waitFor();
      const field = page.getByLabel('Customer');
      await field.focus();
      for (const letter of customer) {
        await createClient(baseUrl).messages.$post({ json });
        // As a person types: events are shown between two letters.
        await page.keyboard.type(letter, { delay: 120 });
      }
      expect(await field.inputValue()).toBe(customer);
      await page.waitForURL(`**customer_id=${customer.replace(' ', '+')}`);
      await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBeGreaterThan(1);
      await page.getByRole('button', { name: 'Clear' }).click();
      await expect.poll(() => field.inputValue()).toBe('');
      await field.fill('nobody');
      await page.keyboard.press('Enter');
      expect(page.url()).toContain('customer_id=nobody');
      await page.goBack();
      await expect.poll(() => field.inputValue()).toBe('');
      expect(errors).toEqual([]);
      await page.close();
    });

    test('shows what was set apart, how it was judged, and the stages with what they found', async () => {
      const { open, records } = stage();
      const { page, errors } = await open(`/messages/${records.messages.concern}`);
      await page.getByText('Signature, context only').waitFor();
      await page.getByText('the message speaks of legal action', { exact: true }).waitFor();
      await page.getByRole('button', { name: /verifier/ }).click();
      await page.getByRole('region', { name: 'verifier: what it found' }).getByText('"threshold"').waitFor();
      await page.getByRole('link', { name: 'its inbox item', exact: true }).click();
      await page.waitForURL('**/#/inbox/**');
      expect(errors).toEqual([]);
      await page.close();
    });

    test('tries a message again with changes, and says what differs', async () => {
      const { open, records } = stage();
      const { page, errors } = await open(`/messages?view=try&from=${records.messages.answered}`);
      await expect.poll(() => page.getByLabel('Text').inputValue()).not.toBe('');
      await page.getByLabel('Text').fill('I will see you in court.');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      const differences = page.getByRole('region', { name: 'Differences' });
      await differences.getByText('legal', { exact: true }).waitFor();
      expect(await differences.getByRole('row', { name: /^outcome/ }).textContent()).toContain('escalated');
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
