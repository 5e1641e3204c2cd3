import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import type { Stage } from '../../support/console/stage.ts';

/** What is tested of the page `messages`. */
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
