import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/client.ts';
import type { Stage } from '../../support/console/stage.ts';
import { runsOf } from '../../support/extent.ts';

/** Texts that would become elements, scripts or addresses where somebody took them for more than text. */
const corpus: readonly string[] = [
  '<script>globalThis.hurt = 1</script>',
  '<img src=x onerror="globalThis.hurt = 1" class="hurt">',
  '"><svg onload="globalThis.hurt = 1" class="hurt">',
  "'><b class='hurt'>bold</b>",
  'javascript:globalThis.hurt=1',
  '<a class="hurt" href="javascript:globalThis.hurt=1">here</a>',
  '<iframe class="hurt" srcdoc="<script>parent.hurt=1</script>"></iframe>',
  '<style>main { display: none }</style>',
  '{{ 7 * 7 }} ${7 * 7} <%= 7 %>',
  '&lt;script&gt; &#60;b&#62; %3Cscript%3E',
  '\u202Etxet desrever\u202C \u200B\u2066\u0000',
  '__proto__',
  `${'w'.repeat(3_000)} ${'line\n'.repeat(300)}`,
];

/** The tests of texts that callers send: pages show them as text, and as nothing else. */
export function hostileSuite(stage: () => Stage): void {
  /** Fills every field that a caller can fill with a text of the corpus. Returns the places that show them. */
  async function fill(text: string): Promise<readonly string[]> {
    const api = createClient(stage().baseUrl);
    const short = text.slice(0, 120);
    const places: string[] = [];
    const message = await api.messages.$post({
      json: {
        source: short.slice(0, 60),
        customer_id: short,
        message: `I will call my lawyer. ${text}`,
        subject: short,
        conversation_id: `c ${short}`.slice(0, 128),
        metadata: { [short.slice(0, 60)]: short },
      },
    });
    if (message.ok) {
      const { trace_id, item_id } = await message.json();
      places.push(
        `/messages/${trace_id}`,
        `/messages?conversation=${encodeURIComponent(`c ${short}`.slice(0, 128))}`,
      );
      if (item_id !== null) {
        const by = short.slice(0, 100);
        await api.inbox[':id'].notes.$post({
          param: { id: item_id },
          json: { by, note: text.slice(0, 900) },
        });
        await api.inbox[':id'].claim.$post({ param: { id: item_id }, json: { by } });
        places.push(`/inbox/${item_id}`);
      }
    }
    const workflow = await api.workflows.$post({
      json: {
        name: short,
        steps: [
          {
            id: 'say',
            kind: 'agent',
            agent_name: 'echo',
            static_input: { text: '$input.text', fixed: short },
          },
        ],
      },
    });
    if (workflow.ok) {
      const { id } = await workflow.json();
      const ran = await api.workflows[':id'].run.$post({
        param: { id },
        json: { input: { text, [short]: short } },
      });
      places.push(`/workflows/${id}`, `/workflows/${id}?view=edit`);
      if (ran.ok) {
        const { execution_id } = await ran.json();
        places.push(`/runs/${execution_id}?step=say`, `/runs/${execution_id}?view=data`);
      }
    }
    const routed = await api.agents.route.$post({ json: { goal: `Echo this: ${text}` } });
    if (routed.ok) {
      const { routing_id } = await routed.json();
      if (routing_id !== null) places.push(`/routing/${routing_id}`);
    }
    return places;
  }

  describe('hostile texts', () => {
    test('are shown as text on every page that has them', async () => {
      const { open } = stage();
      const console = await open('/overview');
      const { page } = console;
      page.on('dialog', (dialog) => {
        console.errors.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      for (const text of corpus.slice(0, runsOf(4, corpus.length))) {
        for (const place of [
          ...(await fill(text)),
          '/messages',
          '/runs',
          '/workflows',
          '/inbox',
          '/routing',
        ]) {
          await console.go(place);
          await page.locator('.loading').first().waitFor({ state: 'detached' });
          const found = await page.evaluate(
            `[document.querySelectorAll('.hurt').length, globalThis.hurt ?? null,
              document.querySelectorAll('script').length, document.documentElement.scrollWidth > innerWidth]`,
          );
          expect(found, `${place}: ${text.slice(0, 60)}`).toEqual([0, null, 1, false]);
        }
      }
      expect(console.errors).toEqual([]);
      await page.close();
    });

    test('in the address of the page are text too', async () => {
      const { open } = stage();
      const console = await open('/overview', { expected: [404, 422] });
      for (const text of corpus.slice(0, 7)) {
        const part = encodeURIComponent(text);
        for (const place of [
          `/${part}`,
          `/runs/${part}`,
          `/messages?intent=${part}&view=${part}`,
          `/inbox?kind=${part}`,
        ]) {
          await console.go(place);
          await console.page.locator('.loading').first().waitFor({ state: 'detached' });
          expect(
            await console.page.evaluate(
              "[document.querySelectorAll('.hurt').length, globalThis.hurt ?? null]",
            ),
          ).toEqual([0, null]);
        }
      }
      expect(console.errors).toEqual([]);
      await console.page.close();
    });
  });
}
