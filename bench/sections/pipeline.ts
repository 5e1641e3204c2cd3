import { defaultPorts } from '../../src/adapters/defaults.ts';
import { measureInRounds } from '../support/in-process/rounds.ts';
import type { Section } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { createBenchOrchestrator } from '../support/workloads/core.ts';
import { mixedMessages, sampleMessage, toCustomerMessage } from '../support/workloads/requests.ts';

/** The capacity of the store in memory. */
const CAPACITY = 10_000;

export const pipeline: Section = {
  name: 'pipeline',
  title: 'Message pipeline',
  async measure(quick) {
    const stored = createBenchOrchestrator();
    const unstored = createBenchOrchestrator({ traces: { ...defaultPorts().traces, put: async () => {} } });
    const same = toCustomerMessage(sampleMessage);
    const mixed = mixedMessages(500).map(({ body }) => toCustomerMessage(body));
    for (let count = 0; count < CAPACITY; count++) await stored.messages.process(same);
    let next = 0;
    const workloads = [
      { name: 'one message, repeated', run: () => stored.messages.process(same) },
      {
        name: '500 different messages',
        run: () => stored.messages.process(mixed[next++ % mixed.length] ?? same),
      },
      { name: 'one message, trace not stored', run: () => unstored.messages.process(same) },
    ];
    const plan = { rounds: quick ? 5 : 21, roundMs: quick ? 50 : 250 };
    const samples = await measureInRounds(workloads, plan);
    for (const orchestrator of [stored, unstored]) await orchestrator.close(0);
    const rows = workloads.map(({ name }, index) => {
      const ms = median(samples[index] ?? []);
      return [name, decimal(ms * 1_000, 1), integer(1_000 / ms)];
    });
    return {
      targets: [],
      blocks: [
        'In one process, without HTTP, logs and metrics, one message at a time; the store of traces in memory is full.',
        markdownTable(['Messages', 'µs each', 'per second'], rows),
      ],
    };
  },
};
