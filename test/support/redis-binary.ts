import { execFile } from 'node:child_process';
import { access, constants, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const names = ['redis-server', 'valkey-server'];

/**
 * The path of a Redis server program. Where none is installed, installs Debian's, which needs root. Throws one line
 * that says what to do where that cannot be done.
 */
export async function findRedisBinary(): Promise<string> {
  const found = await onPath();
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || (await onPath(['apt-get'])) === undefined) {
    throw new Error(
      'these tests need redis-server or valkey-server on PATH: install either, for example with apt',
    );
  }
  await install();
  const installed = await onPath();
  if (installed === undefined) throw new Error('apt-get installed redis-server, but it is not on PATH');
  return installed;
}

async function onPath(wanted: readonly string[] = names): Promise<string | undefined> {
  for (const name of wanted) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      const path = join(folder, name);
      const usable = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (usable) return path;
    }
  }
  return undefined;
}

/** The policy keeps the package from starting a service of its own. Several test files may come here at once. */
async function install(): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' }).then(
    () => true,
    () => false,
  );
  const options = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=3'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...args: readonly string[]) => run('apt-get', [...options, ...args], { env });
  const installing = ['install', '-y', '--no-install-recommends', 'redis-server'];
  try {
    await aptGet(...installing).catch(async () => {
      await aptGet('update');
      await aptGet(...installing);
    });
  } catch {
    throw new Error('these tests need redis-server, and apt-get could not install it: install it by hand');
  } finally {
    if (ours) await rm(policy, { force: true });
  }
}
