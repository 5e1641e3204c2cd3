import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { access, constants, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const byNumbers = new Intl.Collator('en', { numeric: true });

/** A program that tests need and that npm does not install. */
export interface Program {
  /** Its possible names on PATH, in order of preference. */
  readonly names: readonly string[];
  /** The Debian package that contains it. */
  readonly debianPackage: string;
  /** Where it is when it is not on PATH: a pattern of folders. */
  readonly folders?: string;
}

export const redisServer: Program = {
  names: ['redis-server', 'valkey-server'],
  debianPackage: 'redis-server',
};

export const postgres: Program = {
  names: ['postgres'],
  debianPackage: 'postgresql',
  folders: '/usr/lib/postgresql/*/bin',
};

export const curl: Program = { names: ['curl'], debianPackage: 'curl' };

export const chromium: Program = {
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  debianPackage: 'chromium',
};

/**
 * The path of a program. Installs the Debian package if it is missing, which needs root. Throws with a line that says
 * what to install if that fails.
 */
export async function findProgram({ names, debianPackage, folders }: Program): Promise<string> {
  const found = await onPath(names, folders);
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || (await onPath(['apt-get'])) === undefined) {
    throw new Error(`these tests need ${names.join(' or ')} on PATH: install it, for example with apt`);
  }
  await install(debianPackage);
  const installed = await onPath(names, folders);
  if (installed === undefined) throw new Error(`apt-get installed ${debianPackage}, but it is not on PATH`);
  return installed;
}

async function onPath(wanted: readonly string[], pattern?: string): Promise<string | undefined> {
  // The folders of several versions: the newest first.
  const more = pattern === undefined ? [] : globSync(pattern).sort(byNumbers.compare).reverse();
  for (const name of wanted) {
    for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...more]) {
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

/** The policy file keeps the package from starting a service. Several test files may run this at the same time. */
async function install(debianPackage: string): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d';
  const isCreated = await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' }).then(
    () => true,
    () => false,
  );
  const options = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=3'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...args: readonly string[]) =>
    run('apt-get', [...options, ...args], { env, maxBuffer: 2 ** 26 });
  const installing = ['install', '-y', '--no-install-recommends', debianPackage];
  try {
    await aptGet(...installing).catch(async () => {
      await aptGet('update');
      await aptGet(...installing);
    });
  } catch {
    throw new Error(
      `these tests need ${debianPackage}, and apt-get could not install it: install it by hand`,
    );
  } finally {
    if (isCreated) await rm(policy, { force: true });
  }
}
