import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

test('the training makes the shipped model again, to the byte', { timeout: 900_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'training-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'judgement.bin');
  await run(process.execPath, ['training/train.ts', path], { cwd: fileURLToPath(root) });
  const made = await readFile(path);
  expect(made.equals(await readFile(new URL('models/judgement.bin', root)))).toBe(true);
});
