import { loadavg } from 'node:os';
import { measureCrowd } from '../support/scale/crowd.ts';
import { measureRecords } from '../support/scale/records.ts';
import { measureWorkflows } from '../support/scale/workflows.ts';
import type { Findings, Section } from '../support/section.ts';

/** What is larger than the default limits: each part is a figure of its own, and none runs beside another. */
export const scale: Section = {
  name: 'scale',
  title: 'Larger than the default limits',
  async measure(quick) {
    const parts: Findings[] = [];
    for (const measure of [measureWorkflows, measureRecords, measureCrowd]) {
      const before = busyness();
      const { blocks, verdicts } = await measure(quick);
      parts.push({ blocks: [...blocks, `Load average before: ${before}; after: ${busyness()}.`], verdicts });
    }
    return {
      blocks: parts.flatMap(({ blocks }) => blocks),
      verdicts: parts.flatMap(({ verdicts }) => verdicts),
    };
  },
};

function busyness(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1);
}
