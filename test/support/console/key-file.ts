import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A file with this text and these permissions, for the test. */
export async function keyFile(text: string, mode = 0o600): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'console-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'key');
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}
