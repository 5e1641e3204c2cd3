import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MarkedCode, markedCode } from './support/marked-code.ts';
import { startProgram } from './support/process/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const blocks = markedCode(await readFile(join(root, 'README.md'), 'utf8'));

const using = (use: MarkedCode['use']): readonly string[] =>
  blocks.filter((block) => block.use === use).map(({ name }) => name);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] }),
  );
  await writeFile(join(folder, 'nothing.ts'), 'export {};\n');
  for (const { use, name, code } of blocks) if (use !== null) await writeFile(join(folder, name), code);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs Node where the blocks are, with this package under its name; resolves to what was printed. */
async function node(...args: readonly string[]): Promise<string> {
  const hook = join(root, 'test/support/process/own-name.ts');
  const all = ['--import', hook, ...args];
  const { code, stdout, stderr } = await startProgram(process.execPath, all, { cwd: folder, env: {} }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const load = `
import { createOrchestrator } from 'orchestration-service';
import { defaultPorts } from 'orchestration-service/defaults';

const orchestrator = createOrchestrator(defaultPorts());
const before = orchestrator.agents.list().length;
const { default: extension } = await import(new URL(process.argv[1], 'file://' + process.cwd() + '/'));
await extension(orchestrator);
console.log(orchestrator.tools.list().length + orchestrator.agents.list().length - before);
`;

describe('the code in the README', () => {
  test('is all marked with what it is good for', () => {
    expect(using(null)).toEqual([]);
  });

  test('compiles', async () => {
    const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder];
    const { code, stdout } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  test.each(using('runs'))('runs to its end: %s', async (name) => {
    expect(await node(name)).not.toBe('');
  });

  test.each(using('extension'))('registers something: %s', async (name) => {
    const args = ['--input-type=module', '--eval', load, name];
    expect(Number(await node(...args))).toBeGreaterThan(0);
  });
});
