import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { program } from '../build/service.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The first Node on PATH that is older than 24, and its version. */
function findOldNode(): { readonly path: string; readonly version: string } | undefined {
  for (const bin of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(bin, 'node');
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const version = stdout?.trim().slice(1);
    if (status === 0 && Number.parseInt(version, 10) < 24) return { path, version };
  }
  return undefined;
}

/** Runs a command to its end. */
function run(command: string, args: readonly string[]) {
  return new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

function rejectionOf(version: string) {
  const stderr = `orchestration-service requires Node 24 or newer, this is Node ${version}\n`;
  return { code: 1, stdout: '', stderr };
}

describe('a Node version that is too old', () => {
  test('is reported in one line with the required version', async () => {
    const fakeVersion = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.2' } })`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(fakeVersion)}`];
    for (const path of [main, program]) {
      expect(await run(process.execPath, [...args, path])).toEqual(rejectionOf('20.1.2'));
    }
  });

  const old = findOldNode();

  test.runIf(old !== undefined)('can load the file that checks the version', async () => {
    const { path = '', version = '' } = old ?? {};
    expect(await run(path, [program])).toEqual(rejectionOf(version));
  });
});

test('the required version is that of the package', async () => {
  const { engines } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const required = /const REQUIRED_MAJOR = (\d+);/.exec(await readFile(main, 'utf8'))?.[1];
  expect(engines.node).toBe(`>=${required}`);
});
