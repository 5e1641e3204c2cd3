import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './console.ts';
import { buildService, dist } from './service.ts';

// Builds what is published: dist/ with the declarations of its entries, and assets/.

const root = fileURLToPath(new URL('..', import.meta.url));
const assets = join(root, 'assets');
const require = createRequire(import.meta.url);

for (const folder of [dist, assets]) rmSync(folder, { recursive: true, force: true });
await buildService();
writeDeclarations();
for (const path of filesOf(dist)) if (path.endsWith('.d.ts')) renameImports(path);
removePrivateDeclarations();
copyAssets();
await buildConsole();

function writeDeclarations(): void {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'build')], { stdio: 'inherit' });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
}

/** The compiler keeps the imports of declarations as they are. */
function renameImports(path: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replaceAll(/(\bfrom |\bimport\(|\bimport )(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'),
  );
}

/** Keeps only the declarations that the package's entries lead to: no other one can be imported. */
function removePrivateDeclarations(): void {
  const reached = new Set<string>();
  function reach(path: string): void {
    if (reached.has(path)) return;
    reached.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(
      /(?:\bfrom |\bimport\(|\bimport )(['"])(\.[^'"]+)\.js\1/g,
    );
    for (const [, , to] of imports) reach(join(dirname(path), `${to}.d.ts`));
  }
  const declarations = filesOf(dist).filter((path) => path.endsWith('.d.ts'));
  for (const path of declarations) if (dirname(path) === join(dist, 'entries')) reach(path);
  for (const path of declarations) if (!reached.has(path)) rmSync(path);
}

/**
 * Copies the files of the documentation pages, so that installing the package installs neither Swagger UI nor Redoc.
 */
function copyAssets(): void {
  copyFiles(require.resolve('swagger-ui-dist/package.json'), 'swagger-ui', [
    'swagger-ui.css',
    'index.css',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'favicon-32x32.png',
    'LICENSE',
    'NOTICE',
  ]);
  copyFiles(require.resolve('redoc/package.json'), 'redoc', [
    'bundles/redoc.standalone.js',
    'bundles/redoc.standalone.js.LICENSE.txt',
    'LICENSE',
  ]);
}

function copyFiles(manifest: string, folder: string, names: readonly string[]): void {
  const from = dirname(manifest);
  const to = join(assets, folder);
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, basename(name)));
}
