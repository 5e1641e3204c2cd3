import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import { tabTo } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';

const findOrder = {
  id: 'order',
  tool_name: 'demo_find_order',
  static_input: { order_id: '$input.order_id' },
};

const pay = {
  id: 'pay',
  tool_name: 'demo_move_payment',
  depends_on: ['order'],
  static_input: { account: '$step.order.account', amount: '$step.order.total' },
};

const ask = {
  id: 'ask',
  kind: 'approval' as const,
  title: 'May order ${{ input.order_id }} be paid?',
  depends_on: ['order'],
};

/** The tests of the page `runs`. */
export function runsSuite(stage: () => Stage): void {
  /** Creates a workflow of its own, and a run of it that has a status. */
  async function prepare(kind: 'payment' | 'approval', orderId: string, status: string) {
    const api = createClient(stage().baseUrl);
    const name = `Runs ${randomUUID().slice(0, 8)}`;
    const steps =
      kind === 'payment' ? [findOrder, pay] : [findOrder, ask, { ...pay, depends_on: ['ask', 'order'] }];
    const created = await api.workflows.$post({ json: { name, steps } });
    expect(created.ok).toBe(true);
    const { id: workflowId } = (await created.json()) as { id: string };
    const json = { background: true, input: { order_id: orderId } };
    const started = await api.workflows[':id'].run.$post({ param: { id: workflowId }, json });
    const { execution_id: id } = (await started.json()) as { execution_id: string };
    const read = async () => {
      const answer = await api.runs[':execution_id'].$get({ param: { execution_id: id } });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return answer.json();
    };
    await expect.poll(async () => (await read()).status).toBe(status);
    return { api, name, workflowId, id, read };
  }

  /** From the overview to the only run of a workflow, by keys alone. */
  async function findRun(page: Page, workflow: string): Promise<void> {
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.getByRole('option', { name: workflow }).waitFor({ state: 'attached' });
    await tabTo(page, '#filter-workflow');
    await page.keyboard.type(workflow);
    await page.getByText('1 shown').waitFor();
    await tabTo(page, '[role=table] [role=rowgroup]');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: workflow }).waitFor();
  }

  describe('the page runs of the console', () => {
    it('runs the failed items of a step again, and shows the run of a chain with its steps', async () => {
      const api = createClient(stage().baseUrl);
      const steps = [
        {
          id: 'orders',
          kind: 'workflow' as const,
          static_input: '$'.concat('{{ item }}'),
          foreach: { items: 'input.orders', on_item_error: 'continue' as const },
          definition: {
            steps: [
              { id: 'hello', kind: 'agent' as const, agent_name: 'echo' },
              { ...findOrder, id: 'find', depends_on: ['hello'] },
            ],
          },
        },
      ];
      const created = await api.workflows.$post({ json: { name: 'Runs of chains', steps } });
      const { id } = (await created.json()) as { id: string };
      const json = { input: { orders: [{ order_id: 7 }] } };
      const ended = await api.workflows[':id'].run.$post({ param: { id }, json });
      const run = (await ended.json()) as { execution_id: string };
      const { page, errors } = await stage().open(`/runs/${run.execution_id}?step=orders`);
      await page.getByRole('button', { name: 'Run failed items again', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: 'Run failed items again', exact: true })
        .click();
      await page.waitForURL((url) => !url.hash.includes(run.execution_id) && url.hash.includes('/runs/'));
      await page.getByText(/^reruns/).waitFor();
      const listed = await api.runs.$get({ query: { workflow_id: id } });
      const { executions } = (await listed.json()) as {
        executions: { execution_id: string; chain?: string }[];
      };
      const child = executions.find(({ chain }) => chain === 'orders');
      await page.goto(`${page.url().split('#')[0]}#/runs/${child?.execution_id}?step=find`);
      await page.getByText('steps of orders').waitFor();
      await page.getByRole('complementary', { name: 'Step find' }).getByText('demo_find_order').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    it('finds a failed run and retries it by keyboard alone, and says what acts again', async () => {
      const { name, read } = await prepare('payment', 'T-1-closed', 'FAILED');
      const { page, errors } = await stage().open('/overview');
      await findRun(page, name);
      await page.getByText('step "pay" failed: the account is closed').waitFor();
      await page.keyboard.press('r');
      const dialog = page.getByRole('dialog', { name: 'Retry this run' });
      await dialog.getByText('One step runs, one keeps its output').waitFor();
      await dialog.getByRole('cell', { name: 'a repeat with the same key does nothing twice' }).waitFor();
      await tabTo(page, 'dialog button[type=submit]');
      await page.keyboard.press('Enter');
      await page.getByText('attempt 2', { exact: true }).waitFor();
      expect((await read()).attempt).toBe(2);
      expect(errors).toEqual([]);
      await page.close();
    });

    it('approves a step by keyboard alone, and shows the end of the run without a reload', async () => {
      const { name, read } = await prepare('approval', 'T-2', 'WAITING');
      const { page, errors } = await stage().open('/overview');
      await findRun(page, name);
      await page.keyboard.press('a');
      const dialog = page.getByRole('dialog', { name: 'Approve step ask' });
      await dialog.getByText('May order T-2 be paid?').waitFor();
      await tabTo(page, 'dialog input[type=text]');
      await page.keyboard.type('Looks right.');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('Ann');
      await page.keyboard.press('Enter');
      await page.locator('.page-head').getByText('completed').waitFor();
      expect((await read()).step_results['ask']?.output).toMatchObject({
        approved: true,
        decided_by: 'Ann',
        note: 'Looks right.',
      });
      expect(errors).toEqual([]);
      await page.close();
    });

    it('reruns from a step with changed input by keyboard alone', async () => {
      const { name, api, workflowId, id } = await prepare('payment', 'T-3-closed', 'FAILED');
      const { page, errors } = await stage().open('/overview');
      await findRun(page, name);
      await tabTo(page, '.tabs a[href*="view=steps"]');
      await page.keyboard.press('Enter');
      await page.getByRole('treegrid', { name: 'Steps' }).waitFor();
      await tabTo(page, '[role=treegrid]');
      // The failed step is chosen at first.
      await page.getByRole('complementary', { name: 'Step pay' }).waitFor();
      await page.keyboard.press('ArrowUp');
      await page.getByRole('complementary', { name: 'Step order' }).waitFor();
      await page.keyboard.press('e');
      const dialog = page.getByRole('dialog', { name: 'Run it again' });
      await dialog.getByText('2 steps run').waitFor();
      await dialog.getByText('One step acts again: pay').waitFor();
      await tabTo(page, 'dialog textarea');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('{"order_id": "T-4"}');
      await tabTo(page, 'dialog button[type=submit]');
      await page.keyboard.press('Enter');
      await page.locator('.page-head').getByText('completed').waitFor();
      await page.locator('.page-head').getByText('reruns').waitFor();
      const newest = async () => {
        const answer = await api.runs.$get({ query: { workflow_id: workflowId } });
        return answer.ok ? (await answer.json()).executions[0] : undefined;
      };
      const expected = { rerun_of: id, input: { order_id: 'T-4' }, status: 'COMPLETED' };
      await expect.poll(newest).toMatchObject(expected);
      expect(errors).toEqual([]);
      await page.close();
    });

    it('shows where each input of a step came from, its attempts, and the events', async () => {
      const { records, open } = stage();
      const { page, errors, go } = await open(`/runs/${records.runs.retriedStep}?view=steps&step=charge`);
      const step = page.getByRole('complementary', { name: 'Step charge' });
      await step.getByRole('button', { name: 'order', exact: true }).first().waitFor();
      await step.getByText('.total').waitFor();
      expect(await step.getByText('the bank is busy').count()).toBe(2);
      expect(await step.getByText('of back-off').count()).toBe(2);
      await go(`/runs/${records.runs.retriedStep}?view=events&type=step.retrying`);
      await page.getByText('attempt 1 failed: the bank is busy').waitFor();
      expect(await page.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(3);
      expect(errors).toEqual([]);
      await page.close();
    });

    it('asks whether a step of unknown outcome has happened, before anything acts again', async () => {
      const { records, open } = stage();
      const { page, errors } = await open(`/runs/${records.lost?.unknownOutcome}`);
      await page.getByText('Did mail happen? Its process stopped while it acted.').waitFor();
      await page.keyboard.press('d');
      const dialog = page.getByRole('dialog', { name: 'Did mail happen?' });
      const decide = dialog.getByRole('button', { name: 'Decide', exact: true });
      await dialog.getByLabel('Your name').fill('Ann');
      expect(await decide.isDisabled()).toBe(true);
      await dialog.getByLabel('It happened').check();
      await dialog.getByText('Output of the step').waitFor();
      await dialog.getByText('"demo-').waitFor();
      expect(await decide.isEnabled()).toBe(true);
      const words = await dialog.locator('fieldset label > span').allInnerTexts();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      // The inbox has the same words, in the same order.
      await page.getByRole('link', { name: 'in the inbox' }).click();
      const choice = page.getByRole('group', { name: 'Did it happen?' }).getByRole('button');
      await choice.first().waitFor();
      const firstLines = words.map((text) => text.split('\n')[0]);
      expect((await choice.allInnerTexts()).map((text) => text.slice(2))).toEqual(firstLines);
      expect(firstLines).toContain('It did not happen: leave it, the step fails');
      expect(errors).toEqual([]);
      await page.close();
    });

    it('compares two runs, and deletes one', async () => {
      const { id, api } = await prepare('payment', 'T-5-closed', 'FAILED');
      const { page, errors } = await stage().open(`/runs/${id}`, { expected: [404] });
      const again = await api.runs[':execution_id'].rerun.$post({
        param: { execution_id: id },
        json: { input: { order_id: 'T-6' }, background: false },
      });
      expect(again.ok).toBe(true);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page
        .getByRole('dialog')
        .getByRole('row', { name: /completed/ })
        .getByRole('link')
        .click();
      await page
        .getByRole('row', { name: /Input order_id/ })
        .getByText('"T-6"')
        .waitFor();
      await page.getByRole('row', { name: /^pay/ }).getByText('the account is closed').waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs', exact: true }).waitFor();
      expect((await api.runs[':execution_id'].$get({ param: { execution_id: id } })).status).toBe(404);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
