import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A log of executed steps outside of the service, and the extension whose tool writes it. */
export interface StepLog {
  /** The path of the extension. */
  readonly extension: string;
  /** The number of executions by step, `<run id>:<step id>`. */
  readExecutedSteps(): Promise<ReadonlyMap<string, number>>;
  remove(): Promise<void>;
}

/** An extension with a tool that appends a line to a file, which survives a kill of the process. */
const source = (file: string): string => `
import { appendFileSync } from 'node:fs';

const anything = {
  safeParse: (data) => ({ success: true, data }),
  toJSONSchema: () => ({ type: 'object' }),
};

export default ({ tools }) => {
  tools.register({
    name: 'log_step',
    description: 'Appends a line to a file, waits, and returns its process id.',
    effect: 'write',
    input: anything,
    async execute({ ms }, { idempotencyKey, attempt }) {
      appendFileSync(${JSON.stringify(file)}, idempotencyKey + ' ' + attempt + ' ' + process.pid + '\\n');
      await new Promise((resolve) => setTimeout(resolve, ms));
      return { pid: process.pid, at: Date.now() };
    },
  });
};
`;

export async function createStepLog(): Promise<StepLog> {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  const file = join(folder, 'lines.txt');
  const extension = join(folder, 'log-step.mjs');
  await writeFile(file, '');
  await writeFile(extension, source(file));
  return {
    extension,
    async readExecutedSteps() {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      const times = new Map<string, number>();
      for (const line of lines) {
        const [step = ''] = line.split(' ', 1);
        times.set(step, (times.get(step) ?? 0) + 1);
      }
      return times;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
