import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ConsolePage } from '../../support/console/page.ts';
import type { Stage } from '../../support/console/stage.ts';
import { sampleOf } from '../../support/extent.ts';

/** A place of the console, and a text that is there once its page is. */
interface Place {
  readonly name: string;
  readonly path: string;
}

/** Each page, and one record of each kind. */
function placesOf({ records: { runs, messages, items, routes, workflows, conversation } }: Stage): Place[] {
  const of = (name: string, path: string): Place => ({ name, path });
  return [
    of('overview', '/overview'),
    of('messages', '/messages'),
    of('a message that a person must see', `/messages/${messages.concern}`),
    of('a message that failed', `/messages/${messages.failed}`),
    of('a conversation', `/messages?conversation=${conversation}`),
    of('the playground', `/messages?view=try&from=${messages.answered}`),
    of('runs', '/runs'),
    of('a run that failed', `/runs/${runs.failed}`),
    of('a run that waits for a person', `/runs/${runs.waitingForApproval}`),
    of('the waterfall of a run', `/runs/${runs.retriedStep}?view=waterfall`),
    of('the steps of a run', `/runs/${runs.retriedStep}?view=steps`),
    of('the events of a run', `/runs/${runs.completed}?view=events`),
    of('the data of a run', `/runs/${runs.completed}?view=data`),
    of('workflows', '/workflows'),
    of('a workflow', `/workflows/${workflows.refund}`),
    of('the versions of a workflow', `/workflows/${workflows.refund}?view=versions`),
    of('the editor', `/workflows/${workflows.order}?view=edit`),
    of('the form of a run', `/workflows/${workflows.order}?view=run`),
    of('routing', '/routing'),
    of('a routed goal', `/routing/${routes.partial}`),
    of('a goal to try', `/routing?view=try&from=${routes.completed}`),
    of('inbox', '/inbox'),
    of('an escalation', `/inbox/${items.escalation}`),
    of('an approval', `/inbox/${items.approval}`),
    of('an unknown outcome', `/inbox/${items.recovery}`),
    of('quality', '/quality'),
    of('examples', '/quality?view=examples'),
    of('schedules', '/automation'),
    of('tools', '/automation?view=tools&tool=demo_send_letter'),
    of('agents', '/automation?view=agents'),
    of('system', '/system'),
    of('events', '/system?view=events'),
  ];
}

const themes = ['light', 'dark'] as const;

const widths = [1_440, 390, 1_024] as const;

/** A state that a page can be in, with what brings it about. */
interface State {
  readonly name: string;
  /** Before the page is opened. */
  readonly arrange?: (page: Page) => Promise<unknown>;
  readonly path: string;
  /** The reader's next action. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** The sign of the state: a CSS selector, or the beginning of a text. */
  readonly shows: string;
}

/** Answers each reading of messages with an error. */
const refuse = (status: number) => (page: Page) =>
  page.route(/\/trace\/?\?/, (route) =>
    route.fulfill({ status, json: { error: 'x', detail: 'the reason' }, headers: { 'Retry-After': '600' } }),
  );

const press = (key: string) => (page: Page) => page.keyboard.press(key);

const click = (name: RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

/** The states of section "How changes arrive" in docs/console.md, and every kind of dialog. */
function statesOf({ records: { runs, messages, workflows } }: Stage): readonly State[] {
  return [
    { name: 'refused', arrange: refuse(422), path: '/messages', shows: 'text=the reason' },
    { name: 'without a key', arrange: refuse(401), path: '/messages', shows: 'text=wants an API key' },
    { name: 'too many requests', arrange: refuse(429), path: '/messages', shows: 'text=Too many requests' },
    { name: 'busy', arrange: refuse(503), path: '/messages', shows: 'text=the reason' },
    {
      name: 'away',
      arrange: (page) => page.route(/\/trace\/?\?/, (route) => route.abort()),
      path: '/messages',
      shows: 'text=The service cannot be reached',
    },
    {
      name: 'loading',
      arrange: (page) => page.route(/\/trace\/?\?/, () => undefined),
      path: '/messages',
      shows: '.loading',
    },
    { name: 'empty', path: '/messages?customer_id=nobody', shows: 'main >> text=No message' },
    { name: 'an unknown run', path: '/runs/unknown', shows: 'main >> text=unknown' },
    { name: 'no such page', path: '/nowhere', shows: 'text=There is no page at this address' },
    { name: 'the list of keys', path: '/messages', act: press('?'), shows: 'dialog >> text=list the keys' },
    { name: 'the palette', path: '/messages', act: press('Control+k'), shows: 'dialog >> role=option' },
    { name: 'curl', path: '/messages', act: click(/^Show as curl/), shows: 'dialog >> text=curl -s' },
    { name: 'a retry', path: `/runs/${runs.failed}`, act: click(/^Retry/), shows: 'dialog >> role=cell' },
    { name: 'a rerun', path: `/runs/${runs.failed}`, act: click(/^Rerun/), shows: 'dialog' },
    {
      name: 'an approval',
      path: `/runs/${runs.waitingForApproval}`,
      act: click(/^Approve/),
      shows: 'dialog',
    },
    { name: 'a deletion', path: `/messages/${messages.concern}`, act: click(/^Delete/), shows: 'dialog' },
    { name: 'a new schedule', path: '/automation', act: press('n'), shows: 'dialog >> text=Time zone' },
    {
      name: 'a text with faults',
      path: `/workflows/${workflows.refund}?view=edit`,
      act: (page) => page.getByLabel('Definition as JSON').fill('{ "name": "x", "steps": [{}] }'),
      shows: 'role=list[name="What is wrong"]',
    },
    {
      name: 'a fault of a form',
      path: `/workflows/${workflows.refund}?view=run`,
      act: (page) => page.getByRole('button', { name: 'Run', exact: true }).click(),
      shows: '[aria-invalid=true]',
    },
    {
      name: 'an evaluation',
      path: '/quality?size=100&seed=1',
      act: press('e'),
      shows: 'text=Threshold explorer',
    },
  ];
}

/** The rules for all pages: axe-core finds nothing, nothing sticks out, and nothing goes wrong. */
export function accessSuite(stage: () => Stage): void {
  /** The faults of a page as it is, in both themes. */
  async function faultsOf({ page, violations }: ConsolePage, name: string): Promise<readonly string[]> {
    const faults: string[] = [];
    const sticksOut = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    if (sticksOut === true) faults.push(`${name}: is wider than the window`);
    const heads = await page.locator('h1').count();
    if (heads !== 1) faults.push(`${name}: has ${heads} heads`);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      for (const violation of await violations()) faults.push(`${name}, ${theme}: ${violation}`);
    }
    return faults;
  }

  /** Milliseconds for many readings by axe-core, which need the processor all the time. */
  const longest = 180_000;

  test.each(sampleOf(widths, 0))(
    'every page has no fault of access, policy or layout in both themes, %i pixels wide',
    async (width) => {
      const { open, baseUrl } = stage();
      const opened = await open('/overview', { width });
      const faults: string[] = [];
      for (const { name, path } of placesOf(stage())) {
        await opened.go(path);
        await opened.page.locator('.loading').first().waitFor({ state: 'detached' });
        faults.push(...(await faultsOf(opened, name)));
      }
      expect(faults).toEqual([]);
      expect(opened.errors).toEqual([]);
      expect(opened.page.url()).toContain(baseUrl);
      await opened.page.close();
    },
    longest,
  );

  test('every state and dialog has no fault of access or layout in both themes', {
    timeout: longest,
  }, async () => {
    const faults: string[] = [];
    const opened = await stage().open('/system', { expected: [401, 404, 422, 429, 503] });
    const { page } = opened;
    for (const { name, arrange, path, act, shows } of statesOf(stage())) {
      await arrange?.(page);
      await opened.go(path);
      await act?.(page);
      await page.locator(shows).first().waitFor();
      faults.push(...(await faultsOf(opened, name)));
      await page.unrouteAll();
      await page.keyboard.press('Escape');
      await opened.go('/system');
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  test('the frame fits a window of 360 pixels, and one at 400 percent', async () => {
    const { open } = stage();
    for (const width of [360, 320]) {
      const console = await open('/overview', { width, height: 256 });
      for (const path of ['/overview', '/runs', '/inbox', '/system']) {
        await console.go(path);
        expect(await console.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(
          true,
        );
      }
      await console.page.close();
    }
  });
}
