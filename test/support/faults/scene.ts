import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the tools of a run of faults leave what they did, and the module that makes those tools. */
export interface FaultScene {
  /** The path of the extension. */
  readonly extension: string;
  /** The executed steps, `<execution id>:<step id>`, with how often each was. */
  executed(): Promise<ReadonlyMap<string, number>>;
  remove(): Promise<void>;
}

/** A tool that appends a line to a file, so that nothing which it did can be forgotten with its process. */
const source = (file: string): string => `
import { appendFileSync } from 'node:fs';

const anything = {
  safeParse: (data) => ({ success: true, data }),
  toJSONSchema: () => ({ type: 'object' }),
};

export default ({ tools }) => {
  tools.register({
    name: 'leave_line',
    description: 'Leaves a line, waits, and says which process it was in.',
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

export async function createFaultScene(): Promise<FaultScene> {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  const file = join(folder, 'lines.txt');
  const extension = join(folder, 'leave-line.mjs');
  await writeFile(file, '');
  await writeFile(extension, source(file));
  return {
    extension,
    async executed() {
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
