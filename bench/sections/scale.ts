import { loadavg } from 'node:os';
import type { Section, SectionResult } from '../support/report/section.ts';
import { measureConnections } from '../support/scale/connections.ts';
import { measureRecords } from '../support/scale/records.ts';
import { measureWorkflows } from '../support/scale/workflows.ts';

/** Measures sizes beyond the default limits, one part after the other. */
export const scale: Section = {
  name: 'scale',
  title: 'Beyond the default limits',
  async measure(quick) {
    const parts: SectionResult[] = [];
    for (const measure of [measureWorkflows, measureRecords, measureConnections]) {
      const before = readLoadAverage();
      const { blocks, targets } = await measure(quick);
      parts.push({
        blocks: [...blocks, `Load average before: ${before}; after: ${readLoadAverage()}.`],
        targets,
      });
    }
    return {
      blocks: parts.flatMap(({ blocks }) => blocks),
      targets: parts.flatMap(({ targets }) => targets),
    };
  },
};

function readLoadAverage(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1);
}
