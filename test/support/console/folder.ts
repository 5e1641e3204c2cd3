import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The page of the stand-in. */
export const page =
  '<!doctype html><title>Console</title><link rel="icon" href="./favicon.svg"><script type="module" src="./static/main-1a2b3c.js"></script>\n';

/** The script of the stand-in: large enough that compression matters. */
export const script = `console.log(${JSON.stringify('what is said again and again. '.repeat(500))});\n`;

/** A folder that looks as the build leaves it, with files that must not be served. Removed at the end of the test. */
export async function consoleFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'console-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, 'console');
  await mkdir(join(folder, 'static/deeper'), { recursive: true });
  const files = {
    'console/index.html': page,
    'console/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'console/notes.txt': 'canary of another type',
    'console/static/main-1a2b3c.js': script,
    'console/static/main-4d5e6f.css': 'body { margin: 0 }',
    'console/static/font-7a8b9c.woff2': 'font',
    'console/static/deeper/far.js': 'canary of a deeper folder',
    'secret.js': 'canary beside the folder',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(parent, name), text);
  await symlink(join(parent, 'secret.js'), join(folder, 'static/link.js'));
  return folder;
}

/** Paths of things that must never be served, as they are written in a request. */
export const hiddenPaths: readonly string[] = [
  '/console/index.html',
  '/console/notes.txt',
  '/console/secret.js',
  '/console/static',
  '/console/static/',
  '/console/static/link.js',
  '/console/static/deeper/far.js',
  '/console/static/../../secret.js',
  '/console/%2e%2e/secret.js',
  '/console/..%2fsecret.js',
  '/console/static/..%2f..%2fsecret.js',
  '/console/static%2fmain-1a2b3c.js%00',
  '/console//static/main-1a2b3c.js',
  '/console/%E0%A4%A',
  '/console/__proto__',
  '/console/constructor',
];
