import { measureDelays } from '../support/events/delays.ts';
import { measureFeedReaders } from '../support/events/feed-readers.ts';
import { measureRunReaders } from '../support/events/run-readers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';

/** Measures the delays of events and background runs, and what readers of events cost, one part after the other. */
export const events: Section = {
  name: 'events',
  title: 'Events and background runs',
  async measure(quick) {
    const parts: SectionResult[] = [];
    for (const measure of [measureDelays, measureRunReaders, measureFeedReaders]) {
      parts.push(await measure(quick));
    }
    return {
      blocks: parts.flatMap(({ blocks }) => blocks),
      targets: parts.flatMap(({ targets }) => targets),
    };
  },
};
