import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ToolDefinition } from '../../../src/adapters/playbook/definition.ts';
import { formatFault } from '../../../src/adapters/playbook/faults.ts';
import {
  type PlaybookContext,
  type ReadPlaybook,
  readPlaybook,
} from '../../../src/adapters/playbook/load.ts';
import { anyTool } from '../../../src/adapters/playbook/schema.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';

/** A context with the example tools, in which tools of a playbook are not checked. */
export const context: PlaybookContext<ToolDefinition> = {
  tool: anyTool,
  checkTool: () => [],
  checkEnvironment: () => [],
  env: {},
  missing: 'warning',
  exampleTools: new Map(exampleTools.map(({ name }) => [name, undefined])),
  schemasOf: () => ({ input: undefined, output: undefined }),
  builtInEntities: ['order_id', 'refund_reason'],
};

/** Files by their paths. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** Runs something with a folder that has these files, and removes it. */
export function withFiles<T>(files: Files, run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'playbook-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The result of reading a playbook, with faults and warnings as lines. */
export interface Outcome extends Pick<ReadPlaybook, 'loaded'> {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads a playbook that is called `p.yaml` in its messages. */
export function read(
  yaml: string | Buffer,
  files: Files = {},
  given: PlaybookContext<ToolDefinition> = context,
): Outcome {
  return withFiles({ ...files, 'p.yaml': yaml }, (folder) => {
    const { loaded, faults, warnings } = readPlaybook(join(folder, 'p.yaml'), given);
    const lines = (list: ReadPlaybook['faults']) =>
      list.map((fault) => formatFault('p.yaml', fault).replaceAll(`${folder}/`, ''));
    return { loaded, faults: lines(faults), warnings: lines(warnings) };
  });
}

/** The playbook of valid YAML. Throws where there are faults. */
export function load(yaml: string, files: Files = {}): NonNullable<ReadPlaybook['loaded']> {
  const { loaded, faults } = read(yaml, files);
  if (loaded === undefined) throw new Error(faults.join('\n'));
  return loaded;
}

/** A company that brings no warning, in one line. */
export const company = 'company: { name: Tannenhof Cycles }';
