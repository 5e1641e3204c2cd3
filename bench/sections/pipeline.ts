import { defaultPorts } from '../../src/adapters/defaults.ts';
import { interleave } from '../support/interleave.ts';
import { makeOrchestrator } from '../support/rigs.ts';
import type { Section } from '../support/section.ts';
import { median } from '../support/statistics.ts';
import { decimal, markdownTable, whole } from '../support/table.ts';
import { customerMessage, message, mixedMessages } from '../support/workload.ts';

/** As many as the store in memory keeps. */
const KEPT = 10_000;

export const pipeline: Section = {
  name: 'pipeline',
  title: 'Message pipeline',
  async measure(quick) {
    const stored = makeOrchestrator();
    const unstored = makeOrchestrator({ traces: { ...defaultPorts().traces, put: async () => {} } });
    const same = customerMessage(message);
    const mixed = mixedMessages(500).map(({ body }) => customerMessage(body));
    for (let count = 0; count < KEPT; count++) await stored.messages.process(same);
    let turn = 0;
    const candidates = [
      { name: 'one message over and over', work: () => stored.messages.process(same) },
      {
        name: '500 different messages by turns',
        work: () => stored.messages.process(mixed[turn++ % mixed.length] ?? same),
      },
      { name: 'one message, its trace not stored', work: () => unstored.messages.process(same) },
    ];
    const plan = { rounds: quick ? 5 : 21, roundMs: quick ? 50 : 250 };
    const figures = await interleave(candidates, plan);
    for (const orchestrator of [stored, unstored]) await orchestrator.close(0);
    const rows = candidates.map(({ name }, index) => {
      const ms = median(figures[index] ?? []);
      return [name, decimal(ms * 1_000, 1), whole(1_000 / ms)];
    });
    return {
      verdicts: [],
      blocks: [
        'In one process, without HTTP, log and metrics, one message at a time; the store of traces in memory is full.',
        markdownTable(['Messages', 'µs each', 'a second'], rows),
      ],
    };
  },
};
