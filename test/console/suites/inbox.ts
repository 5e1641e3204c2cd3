import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import { tabTo } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `inbox`. */
export function inboxSuite(stage: () => Stage): void {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${stage().baseUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return JSON.parse(await response.text());
  };
  const readItem = async (id: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${stage().baseUrl}/inbox/${id}`);
    return JSON.parse(await response.text());
  };
  /** The id of the message that comes next. */
  const readFirst = async (): Promise<string> => {
    const query = { status: 'open', kind: 'escalation', limit: '1' };
    const open = await createClient(stage().baseUrl).inbox.$get({ query });
    if (!open.ok) throw new Error(`status ${open.status}`);
    const [first] = (await open.json()).items;
    return first?.item_id ?? 'no open item';
  };
  let count = 0;
  /** Makes an item that is open: a message of a customer of its own. */
  const makeItem = async (message: string, more: object = {}): Promise<string> => {
    const { item_id } = await post('/messages', { customer_id: `inbox-page-${++count}`, message, ...more });
    return String(item_id);
  };
  const lawyer = 'You billed me twice and nobody answers. Fix it or my lawyer will.';
  const becomeKim = async (page: Page): Promise<void> => {
    const was = await page.evaluate(`localStorage.getItem('console.person')`);
    if (was === 'Kim') return;
    await page.evaluate(`localStorage.setItem('console.person', 'Kim')`);
    await page.reload();
  };
  const forgetPerson = `localStorage.removeItem('console.person')`;

  describe('the page inbox of the console', () => {
    it.each([
      ['from the overview on', 0],
      ['also where keys are quicker than the page', 400],
    ])('lets an item be answered by keyboard alone, %s', async (_, lateMs) => {
      const { page, errors } = await stage().open('/overview', { lateMs });
      try {
        await page.evaluate(forgetPerson);
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
        const { keyboard } = page;
        await keyboard.press('g');
        await keyboard.press('i');
        await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
        await page.getByRole('list', { name: 'Queue' }).waitFor();
        await tabTo(page, '#filter-kind');
        await keyboard.press('m');
        await expect.poll(() => page.url()).toContain('kind=escalation');
        await tabTo(page, 'a, button');
        await makeItem('The toaster exploded and burned my son.');
        // An overdue item comes before the most urgent one.
        const mostUrgent = await readFirst();
        await keyboard.press('n');
        await page.getByRole('dialog', { name: 'Who are you?' }).waitFor();
        await keyboard.type('Kim');
        await keyboard.press('Enter');
        await page.getByRole('region', { name: 'Why it is here' }).waitFor();
        const id = new URL(page.url()).hash.split(/[/?]/)[2] ?? '';
        expect(await readItem(id)).toMatchObject({ status: 'claimed', assignee: 'Kim' });
        expect(id).toBe(mostUrgent);
        await keyboard.press('1');
        await keyboard.press('y');
        await keyboard.press('r');
        await keyboard.type('I am calling you now.', { delay: lateMs / 10 });
        await keyboard.press('Escape');
        await keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Not sent yet: answer' }).waitFor();
        expect(await readItem(id)).toMatchObject({ status: 'claimed' });
        await keyboard.press('Enter');
        await page.getByRole('region', { name: 'How it ended' }).waitFor();
        expect(await readItem(id)).toMatchObject({
          status: 'resolved',
          resolution: {
            outcome: 'answered',
            by: 'Kim',
            response: 'I am calling you now.',
            escalation_right: true,
          },
        });
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    });

    it('takes a decision back, keeps what was typed, and sends it when the page is left', async () => {
      const [id, other] = [await makeItem(lawyer), await makeItem(lawyer)];
      const { page, errors, go } = await stage().open(`/inbox/${id}`);
      try {
        await becomeKim(page);
        await page.getByLabel('Answer to the customer').fill('It was our mistake.');
        await page.getByRole('button', { name: 'Answer Enter' }).click();
        await page.getByRole('button', { name: 'Undo z' }).click();
        await page.getByLabel('Answer to the customer').waitFor();
        await go(`/inbox/${other}`);
        await page.getByRole('region', { name: 'Why it is here' }).waitFor();
        expect(await page.getByLabel('Answer to the customer').inputValue()).toBe('');
        await go(`/inbox/${id}`);
        await page.reload();
        await expect
          .poll(() => page.getByLabel('Answer to the customer').inputValue())
          .toBe('It was our mistake.');
        expect(await readItem(id)).toMatchObject({ status: 'open' });
        await page.getByRole('button', { name: 'Answer Enter' }).click();
        await page.getByRole('button', { name: 'Undo z' }).waitFor();
        await page.goto('about:blank');
        await expect
          .poll(() => readItem(id))
          .toMatchObject({
            status: 'resolved',
            resolution: { response: 'It was our mistake.' },
          });
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    });

    it('says when somebody else takes the item, and loses no text of a decision that is refused', async () => {
      const id = await makeItem(lawyer);
      const { page, errors } = await stage().open(`/inbox/${id}`, { expected: [409] });
      try {
        await becomeKim(page);
        await page.getByLabel('Answer to the customer').fill('We pay it back.');
        await page.getByRole('button', { name: 'Answer Enter' }).click();
        await page.getByRole('button', { name: 'Undo z' }).waitFor();
        await post(`/inbox/${id}/claim`, { by: 'Bob' });
        await page.getByText('Bob has this item until').waitFor();
        await page.keyboard.press('Enter');
        await page.getByText('What you filled in is kept').waitFor();
        expect(await page.getByLabel('Answer to the customer').inputValue()).toBe('We pay it back.');
        await page.getByRole('button', { name: 'Take it over' }).click();
        await page.getByText('with Kim').waitFor();
        await page.getByRole('button', { name: 'Answer Enter' }).click();
        await page.keyboard.press('Enter');
        await page.getByRole('region', { name: 'How it ended' }).waitFor();
        expect(await readItem(id)).toMatchObject({ resolution: { by: 'Kim', response: 'We pay it back.' } });
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    });

    it('approves a draft as it is, and shows what was set apart as text', async () => {
      const id = await makeItem('How do I reset my password?\n\n> <b>quoted</b>\n> before', { draft: true });
      const { page, errors } = await stage().open(`/inbox/${id}`);
      try {
        await becomeKim(page);
        await page.getByText('quote, set apart').click();
        await page.getByText('<b>quoted</b>').waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('a');
        await page.getByRole('heading', { name: 'Not sent yet: answer' }).waitFor();
        await page.getByRole('button', { name: 'Send now' }).click();
        await page.getByRole('region', { name: 'How it ended' }).waitFor();
        const item = await readItem(id);
        expect(item).toMatchObject({ resolution: { outcome: 'answered', response: item['draft'] } });
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    });

    it('says what an approval lacks at once, and holds it when that is filled in', async () => {
      const response_schema = {
        type: 'object',
        required: ['reason'],
        properties: { reason: { type: 'string' } },
      };
      const steps = [{ id: 'ask', kind: 'approval', title: `May it? ${++count}`, response_schema }];
      const { id: workflow } = await post('/workflows', { name: 'Inbox: approval', steps });
      await post(`/workflows/${workflow}/run`, { background: true });
      const { page, errors } = await stage().open('/inbox?kind=approval');
      try {
        await becomeKim(page);
        await page.getByRole('list', { name: 'Queue' }).getByText(`May it? ${count}`).click();
        await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor();
        await page.keyboard.press('a');
        const field = page.getByLabel('reason (required)');
        await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
        await page.getByText('is required').waitFor();
        expect(await page.getByRole('heading', { name: 'Not sent yet: approve' }).count()).toBe(0);
        await page.keyboard.type('It is paid.');
        await page.getByText('is required').waitFor({ state: 'detached' });
        await page.keyboard.press('Escape');
        await page.keyboard.press('a');
        await page.getByRole('heading', { name: 'Not sent yet: approve' }).waitFor();
        await page.keyboard.press('Enter');
        await page.getByRole('region', { name: 'How it ended' }).waitFor();
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    });

    it('goes through the queue by keys, with its filters in the URL', async () => {
      await makeItem(lawyer);
      const { page, errors } = await stage().open('/inbox?priority=1,2&kind=escalation');
      try {
        const rows = page.getByRole('list', { name: 'Queue' }).getByRole('link');
        await rows.nth(1).waitFor();
        expect(await page.getByLabel('Kind').inputValue()).toBe('escalation');
        await page.keyboard.press('j');
        await page.keyboard.press('j');
        const title = String(
          await page.evaluate("document.activeElement?.querySelector('b')?.textContent ?? ''"),
        );
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 2, name: title }).waitFor();
        expect(page.url()).toContain('kind=escalation');
        await page.goBack();
        await page.getByText('Choose an item').waitFor();
        expect(errors).toEqual([]);
      } finally {
        await page.close();
      }
    });
  });
}
