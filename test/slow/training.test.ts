import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

test('the training makes the shipped models again, to the byte', { timeout: 1_200_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'training-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await run(process.execPath, ['training/train.ts', folder], { cwd: fileURLToPath(root) });
  for (const name of ['judgement.json', 'shop.json']) {
    const made = await readFile(join(folder, name));
    expect(made.equals(await readFile(new URL(`models/${name}`, root))), name).toBe(true);
  }
});
