import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import type { Stage } from '../../support/console/stage.ts';

/** The tests of the page `routing`. */
export function routingSuite(stage: () => Stage): void {
  describe('the page routing of the console', () => {
    test('splits a goal as it is typed, sends nothing until asked, and then shows who got what', async () => {
      const { open, baseUrl } = stage();
      const api = createClient(baseUrl);
      const total = async (): Promise<number> => {
        const answer = await api.agents.routes.$get();
        return answer.ok ? (await answer.json()).total : Number.NaN;
      };
      const before = await total();
      const { page, errors } = await open('/routing?view=try');
      await page.getByLabel('Goal', { exact: true }).fill('Where is my order A-1234? Then echo this.');
      await page.getByText('by “order”').waitFor();
      expect(await total()).toBe(before);
      await page.getByRole('button', { name: 'Edit the subtasks first' }).click();
      await page.getByRole('button', { name: 'Remove subtask 1' }).click();
      await page.getByLabel('Payload').fill('{"text": "from the console"}');
      await page.getByRole('button', { name: 'Send to the agents', exact: true }).click();
      await page.getByRole('heading', { name: /^Goal / }).waitFor();
      await page.getByText('split by explicit').waitFor();
      await page.getByText('input and output').first().click();
      await page.getByRole('region', { name: 'Output of echo' }).getByText('from the console').waitFor();
      expect(await total()).toBe(before + 1);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      expect(await total()).toBe(before + 1);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('heading', { name: 'Routing', exact: true }).waitFor();
      expect(await total()).toBe(before);
      expect(errors).toEqual([]);
      await page.close();
    });

    test('marks what nobody takes', async () => {
      const { open, records } = stage();
      const { page } = await open(`/routing/${records.routes.failed}`);
      await page.getByRole('heading', { name: 'What nobody takes' }).waitFor();
      await page.getByText('Nothing was sent to any agent.').waitFor();
      await page.close();
    });
  });
}
