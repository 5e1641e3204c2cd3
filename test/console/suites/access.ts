import { describe, expect, test } from 'vitest';
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

const looks = [
  { theme: 'light', width: 1_440, height: 900 },
  { theme: 'dark', width: 390, height: 800 },
] as const;

/** What holds for all pages: axe-core finds nothing, nothing sticks out, and nothing goes wrong. */
export function accessSuite(stage: () => Stage): void {
  describe.each(sampleOf(looks, 0))('every page in the theme $theme, $width pixels wide', (look) => {
    test('has no fault of access, of its policy or of its layout', async () => {
      const { open, baseUrl } = stage();
      const console = await open('/overview', look);
      const faults: string[] = [];
      for (const { name, path } of placesOf(stage())) {
        await console.go(path);
        await console.page.locator('.loading').first().waitFor({ state: 'detached' });
        const sticksOut = await console.page.evaluate('document.documentElement.scrollWidth > innerWidth');
        if (sticksOut === true) faults.push(`${name}: is wider than the window`);
        const heads = await console.page.locator('h1').count();
        if (heads !== 1) faults.push(`${name}: has ${heads} heads`);
        for (const violation of await console.violations()) faults.push(`${name}: ${violation}`);
      }
      expect(faults).toEqual([]);
      expect(console.errors).toEqual([]);
      expect(console.page.url()).toContain(baseUrl);
      await console.page.close();
    });
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
