import { describe, expect, it } from 'vitest';
import type { Stage } from '../../support/console/stage.ts';

/** A step that always works, and an input with a pattern. */
const definition = (name: string, more: object = {}) => ({
  name,
  input_schema: {
    type: 'object',
    properties: {
      order_id: { type: 'string', pattern: '^A-[0-9]+$' },
      kind: { enum: ['new', 'old'], default: 'new' },
    },
    required: ['order_id'],
  },
  steps: [{ id: 'say', kind: 'agent', agent_name: 'echo', static_input: { text: '$input.order_id' } }],
  ...more,
});

/** The tests of the page `workflows`. */
export function workflowsSuite(stage: () => Stage): void {
  async function request(path: string, body: unknown, method = 'POST'): Promise<{ readonly id: string }> {
    const response = await fetch(`${stage().baseUrl}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    const answer: unknown = await response.json();
    if (typeof answer !== 'object' || answer === null || !('id' in answer)) throw new Error('no id');
    return { id: String(answer.id) };
  }

  describe('the page workflows of the console', () => {
    it('finds a workflow by its name, and shows what a step calls', async () => {
      const { page, errors } = await stage().open('/workflows');
      await page.getByLabel('Name contains').fill('refund');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Demo: Refund' }).click();
      await page.getByRole('heading', { level: 1, name: 'Demo: Refund' }).waitFor();
      await page.goto(`${page.url()}?step=letter`);
      const chosen = page.getByRole('region', { name: 'The chosen step' });
      await chosen.getByText('demo_send_letter').waitFor();
      await chosen.getByText('⚠ writes').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    it('shows the key of a workflow, opens it by that, and edits it', async () => {
      await request('/workflows/key:test-by-key', definition('Test: key'), 'PUT');
      const schedule = { workflow_id: 'key:test-by-key', cron: '3 4 * * *', enabled: false };
      const made = await fetch(`${stage().baseUrl}/schedules`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(schedule),
      });
      expect(made.status).toBe(201);
      const { page, errors } = await stage().open('/workflows');
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Test: key' }) });
      await row.getByText('test-by-key').waitFor();
      await page.goto(`${page.url().split('#')[0]}#/workflows/key%3Atest-by-key?view=schedules`);
      await page.getByRole('heading', { level: 1, name: 'Test: key' }).waitFor();
      await page.getByText('key test-by-key').waitFor();
      await page.getByRole('region', { name: /^Schedule of Test: key: 3 4/ }).waitFor();
      await page.keyboard.press('e');
      const text = await page.getByLabel('Definition as JSON').inputValue();
      expect(JSON.parse(text)).toMatchObject({ name: 'Test: key', key: 'test-by-key' });
      expect(errors).toEqual([]);
      await page.close();
    });

    it('leads from its runs to the same runs with all filters', async () => {
      const { open, records } = stage();
      const { page, errors } = await open(`/workflows/${records.workflows.refund}?view=runs`);
      await page.getByRole('link', { name: 'All filters, in Runs' }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs', exact: true }).waitFor();
      await expect
        .poll(() => page.getByLabel('Workflow', { exact: true }).inputValue())
        .toBe(records.workflows.refund);
      expect(errors).toEqual([]);
      await page.close();
    });

    it('runs with a form, whose faults stand at their fields, and goes to the run', async () => {
      const { id } = await request('/workflows', definition('Test: run by form'));
      const { page, errors } = await stage().open(`/workflows/${id}`, { expected: [422] });
      await page.getByRole('heading', { level: 1, name: 'Test: run by form' }).waitFor();
      await page.keyboard.press('r');
      const field = page.getByLabel('order_id (required)');
      await field.fill('1234');
      expect(await page.getByLabel('kind').inputValue()).toBe('0');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.inputValue()).toBe('1234');
      await field.fill('A-1234');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/runs\//);
      expect(errors).toEqual([]);
      await page.close();
    });

    it('stores a schedule with a form, and pauses it', async () => {
      const { id } = await request('/workflows', definition('Test: schedule'));
      const { page, errors } = await stage().open(`/workflows/${id}?view=schedules&new=1`, {
        expected: [422],
      });
      const dialog = page.getByRole('dialog', { name: 'New schedule' });
      await dialog.getByLabel('order_id (required)').fill('A-1');
      const times = dialog.getByLabel('Times', { exact: true });
      await times.fill('never');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await expect.poll(() => times.getAttribute('aria-invalid')).toBe('true');
      await times.fill('7 3 * * 2');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      const card = page.getByRole('region', { name: /^Schedule of Test: schedule: 7 3 / });
      await expect.poll(() => card.getByRole('listitem').count()).toBe(5);
      await card.getByText('no other is started').waitFor();
      await card.getByRole('button', { name: 'Pause', exact: true }).click();
      await card.getByText('paused').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    it('checks a text as it is typed, leads to the line, and stores the next version', async () => {
      const { id } = await request('/workflows', definition('Test: edit'));
      const { page, errors } = await stage().open(`/workflows/${id}?view=edit`);
      const text = page.getByLabel('Definition as JSON');
      const written = await text.inputValue();
      await text.fill(written.replace('"agent"', '"nothing"'));
      const problems = page.getByRole('list', { name: 'What is wrong' });
      await problems.getByText('/steps/0/kind').waitFor();
      await problems.getByRole('button', { name: /line/ }).first().click();
      const line = await text.evaluate(
        (element: { value: string; selectionStart: number; selectionEnd: number }) =>
          element.value.slice(element.selectionStart, element.selectionEnd),
      );
      expect(line).toContain('"kind": "nothing"');
      await text.fill(`${written.trimEnd().slice(0, -1)}, }`);
      await problems.getByText(/not JSON/).waitFor();
      expect(await page.getByRole('button', { name: /Save/ }).isDisabled()).toBe(true);
      await text.fill(written.replace('Test: edit', 'Test: edited'));
      await page.getByText('✓ Valid').waitFor();
      await page.keyboard.press('Control+s');
      await page.getByRole('heading', { level: 1, name: 'Test: edited' }).waitFor();
      await page.getByText('version 2', { exact: true }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    it('keeps the text when somebody else stores a version, and when the page is left', async () => {
      const { id } = await request('/workflows', definition('Test: two people'));
      const { page, errors, go } = await stage().open(`/workflows/${id}?view=edit`);
      const text = page.getByLabel('Definition as JSON');
      await text.fill((await text.inputValue()).replace('two people', 'mine'));
      await request(`/workflows/${id}`, definition('Test: theirs'), 'PUT');
      await page.getByText(/Somebody stored version 2/).waitFor();
      await go('/workflows');
      await go(`/workflows/${id}?view=edit`);
      expect(await text.inputValue()).toContain('Test: mine');
      await page.getByRole('button', { name: 'Version 2 against my text' }).click();
      await page.getByRole('row', { name: /− .*Test: theirs/ }).waitFor();
      await page.getByRole('button', { name: /Keep my text/ }).click();
      await page.getByRole('button', { name: 'Save as version 3' }).click();
      await page.getByRole('heading', { level: 1, name: 'Test: mine' }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });

    it('lets Tab indent, and leaves the text with Escape and Tab', async () => {
      const { page, errors } = await stage().open('/workflows?view=new');
      const text = page.getByLabel('Definition as JSON');
      await text.focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('Tab');
      await expect.poll(() => text.inputValue()).toMatch(/^ {2}\{/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      expect(await text.evaluate((element) => element.matches(':focus'))).toBe(false);
      expect(errors).toEqual([]);
      await page.close();
    });

    it('tells what differs between two versions, and simulates one with a mock', async () => {
      const { id } = await request('/workflows', definition('Test: simulate'));
      await request(
        `/workflows/${id}`,
        definition('Test: simulate', { output: { said: '$step.say.text' } }),
        'PUT',
      );
      const { page, errors, go } = await stage().open(`/workflows/${id}?view=versions`);
      await page.getByText('the workflow itself').waitFor();
      await page.getByRole('row', { name: /\+ .*said/ }).waitFor();
      await go(`/workflows/${id}?view=simulate`);
      await page.getByLabel('order_id (required)').fill('A-1');
      await page.getByLabel('Mock of say', { exact: true }).fill('{"output": {"text": "mocked"}}');
      await page.getByRole('button', { name: 'Simulate', exact: true }).click();
      await page.getByRole('heading', { name: /Simulated: ✓?\s*completed/ }).waitFor();
      await page.getByText('"said": "mocked"').waitFor();
      const skipping = [
        { id: 'pause', kind: 'wait', duration_ms: 86_400_000 },
        { id: 'never', tool_name: 'refund_policy', depends_on: ['pause'], when: 'run.attempt > 5' },
      ];
      const other = await request('/workflows', { name: 'Test: skipped', steps: skipping });
      await go(`/workflows/${other.id}?view=simulate`);
      await page.getByLabel('Add a mock for a step').selectOption('pause');
      await page.getByLabel('Mock of pause', { exact: true }).fill('{"delay_ms": 2000}');
      await page.getByRole('button', { name: 'Simulate', exact: true }).click();
      await page.getByText('in 2.0 s of simulated time').waitFor();
      await page.getByRole('row', { name: /never/ }).click();
      await page.getByText('Skipped: run.attempt > 5, false').waitFor();
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}
