import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, pageAt, root } from '../support/docs/pages.ts';
import { startProgram } from '../support/process/program.ts';

const blocks = blocksOf(pageAt('docs/workflow-builder.md'));

function codeOf(mark: string): string {
  const block = blocks.find((candidate) => candidate.mark === mark);
  if (block === undefined) throw new Error(`there is no block with the mark ${mark}`);
  return block.code;
}

/** The output of an example of the page. */
async function outputOf(file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'builder-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, file), codeOf(`runs as ${file}`));
    const args = ['--import', join(root, 'test/support/process/own-name.ts'), file];
    return (await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('the page about the workflow builder shows the definition that its first example prints', async () => {
  const printed = await outputOf('first.ts');
  const definition = printed.slice(0, printed.indexOf('\n}\n') + 2);
  expect(JSON.parse(definition)).toEqual(JSON.parse(codeOf('file first.json')));
  expect(printed.slice(definition.length)).toContain("[ [ 'draft' ], [ 'summary' ] ] COMPLETED");
});

test('its example with steps from a loop makes all of them', async () => {
  expect(await outputOf('loop.ts')).toBe('4\n');
});
