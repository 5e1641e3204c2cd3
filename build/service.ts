import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputChunk } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of the compiled service and of the entries of the package. */
export const dist: string = join(root, 'dist');

/** The compiled program. Its last line names the sources that it was compiled from. */
export const program: string = join(dist, 'main.js');

const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Imports of packages that stay imports from `node_modules`; others are compiled in. */
const imported = Object.keys(manifest.dependencies).map(
  (name) => new RegExp(`^${name.replaceAll('.', '\\.')}(?:/|$)`),
);

/** Compiles the service, unless `dist` has it from the present sources. Rejects with a message that says what to do. */
export async function refreshService(): Promise<void> {
  if (readProgram().endsWith(sourceLine())) return;
  await buildService();
}

/**
 * Compiles the service and the entries of the package into `dist`, in place of what is there. They share their modules,
 * so that an extension gets those of the service. A module that is imported on demand stays a file of its own.
 *
 * BullMQ is compiled in: as a dependency it would bring `msgpackr-extract`, whose install script each project that
 * installs the package had to allow or reject. The native code of that package makes reading texts faster, and is left
 * out.
 */
export async function buildService(): Promise<void> {
  const line = sourceLine();
  const { rolldown } = await import('rolldown').catch((error: Error) => {
    throw new Error(
      `dist/ is not compiled from these sources, and cannot be: ${error.message}; run \`npm ci\``,
    );
  });
  const entries = globSync('entries/*.ts', { cwd: join(root, 'src') });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(['main.ts', ...entries].map((path) => [path.slice(0, -3), `src/${path}`])),
    platform: 'node',
    tsconfig: false,
    external: imported,
    resolve: { mainFields: ['module', 'main'], alias: { msgpackr: 'msgpackr/pack' } },
  });
  const { output } = await build.generate({
    chunkFileNames: 'modules/[name].js',
    minifyInternalExports: false,
  });
  await build.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  write(chunks);
  // Last, so that a build that was interrupted counts as none.
  const main = chunks.find(({ fileName }) => fileName === basename(program));
  writeFileSync(program, `${main?.code}${line}`, { mode: 0o755 });
}

/** Writes all files but the program, and removes all others. */
function write(chunks: readonly OutputChunk[]): void {
  const files = new Map(chunks.map(({ fileName, code }) => [join(dist, fileName), code]));
  files.delete(program);
  files.set(join(dist, 'LICENSES.txt'), licensesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
  rmSync(program, { force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const present = readdirSync(dist, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of present.filter((file) => file.isFile())) {
    if (!files.has(join(parentPath, name))) rmSync(join(parentPath, name));
  }
}

function readProgram(): string {
  try {
    return readFileSync(program, 'utf8');
  } catch {
    return '';
  }
}

/** A comment with the hash of all that decides what is compiled. */
function sourceLine(): string {
  const hash = createHash('sha256');
  const sources = globSync('src/**/*.ts', { cwd: root }).sort();
  for (const path of [...sources, 'build/service.ts', 'package.json']) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return `// compiled from ${hash.digest('hex')}\n`;
}

/** The names, versions and licenses of the packages that the modules belong to. */
function licensesOf(modules: readonly string[]): string {
  const folders = modules.flatMap(
    (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version, license }: Record<string, unknown> = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path));
      const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
      return `${name} ${version} (${license})\n${text}`;
    })
    .join('\n----\n\n');
}
