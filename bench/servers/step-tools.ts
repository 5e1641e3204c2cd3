/**
 * An extension of the measured service: a tool that waits, and a gate that holds one run at a time until another run
 * opens it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool, type Extension } from '../../src/entries/tools.ts';

const nothing = z.object({});

const extension: Extension = ({ tools }) => {
  let gate = Promise.withResolvers<void>();
  tools.register(
    defineTool({
      name: 'bench_wait',
      description:
        'Waits some milliseconds. Returns when it began, in milliseconds since 1970, and in which process.',
      effect: 'read',
      input: z.object({ ms: z.number().min(0).max(1_000) }),
      async execute({ ms }) {
        const began = Date.now();
        if (ms > 0) await sleep(ms);
        return { began, pid: process.pid };
      },
    }),
  );
  tools.register(
    defineTool({
      name: 'bench_gate',
      description: 'Waits until the gate is open, and closes it.',
      effect: 'read',
      input: nothing,
      async execute() {
        await gate.promise;
        gate = Promise.withResolvers();
        return {};
      },
    }),
  );
  tools.register(
    defineTool({
      name: 'bench_open_gate',
      description: 'Opens the gate.',
      effect: 'read',
      input: nothing,
      execute() {
        gate.resolve();
        return {};
      },
    }),
  );
};

export default extension;
