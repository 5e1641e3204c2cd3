import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Makes what is published: dist/, compiled from the package's entries and what they reach, and assets/.

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const assets = join(root, 'assets');
const require = createRequire(import.meta.url);

for (const folder of [dist, assets]) rmSync(folder, { recursive: true, force: true });
compile();
for (const path of filesOf(dist)) if (path.endsWith('.d.ts')) renameImports(path);
chmodSync(join(dist, 'main.js'), 0o755);
copyRedoc();

function compile(): void {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'build')], { stdio: 'inherit' });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
}

/** The compiler rewrites the imports of what runs; those of the declarations still name the sources. */
function renameImports(path: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replaceAll(/(\bfrom |\bimport\(|\bimport )(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'),
  );
}

/** Redoc's peers are too heavy to be installed with the package, so its bundle comes in the package. */
function copyRedoc(): void {
  const redoc = dirname(require.resolve('redoc/package.json'));
  mkdirSync(assets);
  copyFileSync(join(redoc, 'LICENSE'), join(assets, 'redoc.LICENSE.txt'));
  for (const name of ['redoc.standalone.js', 'redoc.standalone.js.LICENSE.txt']) {
    copyFileSync(join(redoc, 'bundles', name), join(assets, name));
  }
}
