import { cp, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProgram } from './support/process/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A checkout of its own, at first without packages. */
let checkout: string;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'checkout-'));
  for (const name of ['build', 'package.json', 'src']) {
    await cp(join(root, name), join(checkout, name), { recursive: true });
  }
});

afterAll(() => rm(checkout, { recursive: true, force: true }));

/** The program of `npm start`, with the argument that prints the usage. */
const start = () =>
  startProgram(process.execPath, [join(checkout, 'build/start.ts'), '--help'], { cwd: tmpdir(), env: {} })
    .ended;

test('npm start compiles the service where it is missing or its sources have changed, and only then', async () => {
  expect(await start()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^dist\/ is not compiled from these sources, .*'rolldown'.*; run `npm ci`\n$/,
    ),
  });
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const program = join(checkout, 'dist/main.js');
  const written = async () => (await stat(program)).mtimeMs;
  expect(await start()).toMatchObject({ code: 0, stdout: expect.stringContaining('start the HTTP service') });
  const first = await written();
  expect(await start()).toMatchObject({ code: 0 });
  expect(await written()).toBe(first);

  const source = join(checkout, 'src/bin/cli.ts');
  const { mtime, atime } = await stat(source);
  const text = (await readFile(source, 'utf8')).replace('start the HTTP service', 'begin the HTTP service');
  await writeFile(source, text);
  await utimes(source, atime, mtime);
  expect(await start()).toMatchObject({ code: 0, stdout: expect.stringContaining('begin the HTTP service') });
  expect(await written()).toBeGreaterThan(first);

  await writeFile(source, `${text}\nconst = 1;\n`);
  const refused = await start();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('src/bin/cli.ts');
});
