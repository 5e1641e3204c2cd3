/**
 * The source of an extension whose tools return their input. Each appends the idempotency key of a call to the file
 * `calls`, and ends once the file of the name `until` is there, where it has one. The files are in the working folder.
 */
export const fileTools = (
  tools: Readonly<Record<string, { readonly effect: 'read' | 'write'; readonly until?: string }>>,
): string => `
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from '${import.meta.resolve('zod')}';

export default ({ tools }) => {
  for (const [name, { effect, until }] of Object.entries(${JSON.stringify(tools)})) {
    tools.register({
      name,
      description: name,
      effect,
      timeoutMs: 600_000,
      input: z.record(z.string(), z.json()),
      async execute(input, { idempotencyKey, signal }) {
        appendFileSync('calls', idempotencyKey + '\\n');
        while (until !== undefined && !existsSync(until)) await sleep(20, undefined, { signal });
        return { ...input };
      },
    });
  }
};
`;
