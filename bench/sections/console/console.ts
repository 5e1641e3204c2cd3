import { buildConsole } from '../../../build/console.ts';
import type { Section } from '../../support/report/section.ts';
import { decimal, markdownTable } from '../../support/report/table.ts';
import { targetCell } from '../../support/report/target.ts';
import { measureFeed } from './feed.ts';
import { measureFirstVisit } from './first-visit.ts';
import { measureLists } from './lists.ts';
import { measureLiveRun } from './live-run.ts';
import { measureLargeRuns } from './runs.ts';
import { measureSizes } from './sizes.ts';

/** Measures the web console in Chromium, on the loopback interface. */
export const console_: Section = {
  name: 'console',
  title: 'Console',
  async measure(quick) {
    await buildConsole();
    const figures = [
      ...(await measureSizes()),
      ...(await measureFirstVisit(quick)),
      ...(await measureLargeRuns(quick)),
      ...(await measureLiveRun(quick)),
      ...(await measureLists()),
      ...(await measureFeed(quick)),
    ];
    return {
      targets: figures.flatMap(({ target }) => target ?? []),
      blocks: [
        'Chromium without a window, on this machine, with a service in a process of its own.',
        markdownTable(
          ['What', 'measured', 'target'],
          figures.map(({ name, value, unit, target }) => [
            name,
            `${decimal(value, value < 10 ? 1 : 0)} ${unit}`,
            targetCell(target),
          ]),
          ['target'],
        ),
      ],
    };
  },
};
