import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import { openConsole } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';
import { assessed } from '../../support/llm/fake-model.ts';
import { startFakeProvider } from '../../support/llm/fake-provider.ts';
import { byPurpose } from '../../support/llm/provider-replies.ts';
import { startService } from '../../support/process/service.ts';

const playbook = {
  company: { name: 'Tannenhof', signature: 'Tannenhof, Lindau' },
  models: [{ name: 'main', model: 'small', price: { input: 1_000, output: 2_000, currency: 'EUR' } }],
  intents: [
    {
      name: 'returns',
      description: 'Asks whether something can be given back.',
      examples: ['Can I give it back?', 'How do I return this?', 'What is your refund policy?'],
      tool: { name: 'refund_policy' },
      replies: { en: 'You can give it back within 30 days.' },
    },
    {
      name: 'hours',
      description: 'Asks when the shop is open.',
      examples: ['When are you open?', 'opening hours please', 'Are you open on Sunday?'],
      replies: { en: 'We are open from 9 to 5.' },
    },
  ],
};

const unsafe = 'You get <b>99 euros</b> back.';

/** The tests of messages that a language model judges: their page, and their inbox item. */
export function answeringSuite(stage: () => Stage): void {
  const termsOf = (page: Page): Promise<readonly string[]> =>
    page.getByRole('region', { name: 'How it was judged' }).locator('dt').allTextContents();

  describe('the console of messages that a language model judges', () => {
    const owned = new AsyncDisposableStack();
    let escalated: { readonly baseUrl: string; readonly traceId: string; readonly itemId: string };
    beforeAll(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'console-answering-'));
      owned.defer(() => rm(folder, { recursive: true, force: true }));
      const responder = { reply: unsafe, used: ['c1'], left_open: [] };
      const provider = await startFakeProvider(byPurpose({ classifier: assessed('returns'), responder }));
      owned.defer(provider.close);
      await writeFile(join(folder, 'playbook.json'), JSON.stringify(playbook));
      const { baseUrl, stop } = await startService({
        PLAYBOOK: join(folder, 'playbook.json'),
        LLM_API_KEY: 'none',
        LLM_BASE_URL: provider.baseUrl,
        LLM_MODEL: 'small',
        LLM_MAX_RETRIES: '0',
      });
      owned.defer(stop);
      const sent = await createClient(baseUrl).messages.$post({
        // The built-in judgement reads another wish, so that the rules do not write the reply.
        json: { customer_id: 'Ada', source: 'chat', message: 'When are you open?' },
      });
      if (!sent.ok) throw new Error(`status ${sent.status}`);
      const { trace_id, item_id } = await sent.json();
      escalated = { baseUrl, traceId: trace_id, itemId: item_id ?? 'none' };
    });
    afterAll(() => owned.disposeAsync());

    test('tells who judged, what stood above, what was refused and what it cost, in this order', async () => {
      const { baseUrl, traceId } = escalated;
      const { page, errors } = await openConsole(stage().context, baseUrl, `/messages/${traceId}`);
      const judgement = page.getByRole('region', { name: 'How it was judged' });
      await judgement.waitFor();

      const order = ['Judged by', 'Above the judge', 'Built-in opinion', 'Reply refused', 'Tokens', 'Cost'];
      expect((await termsOf(page)).filter((term) => order.includes(term))).toEqual(order);
      await judgement.getByText('the language model (certain)').waitFor();
      await judgement.getByText(/^the first and the mended reply by the guard: .*number/).waitFor();
      await judgement.getByText('classifier 1 call, 11 in, 7 out, 0.025 EUR').waitFor();
      await judgement.getByText('0.075 EUR', { exact: true }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    test('offers the reply that was not sent as text, and takes it over below what was written', async () => {
      const { baseUrl, itemId } = escalated;
      const { page, errors } = await openConsole(stage().context, baseUrl, `/inbox/${itemId}`);
      const draft = page.getByRole('region', { name: 'A draft of the service, which was not sent' });
      await draft.getByText(unsafe).waitFor();
      const answer = page.getByLabel('Answer to the customer');
      expect(await answer.inputValue()).toBe('');
      await answer.fill('Dear Ada,');
      const use = draft.getByRole('button', { name: 'Use the draft' });
      await use.click();
      expect(await answer.inputValue()).toMatch(/^Dear Ada,\n\n/);
      expect(await answer.inputValue()).toContain(unsafe);
      await expect.poll(() => use.isDisabled()).toBe(true);
      expect(await answer.evaluate((element) => element.matches(':focus'))).toBe(true);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
