import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Compiles BullMQ with what it needs into `dist/vendor/bullmq.js`, their licenses beside it, and lets the modules of
 * `dist` import that file. As a dependency it would bring `msgpackr-extract`, whose install script each project that
 * installs the package had to allow or reject. The native code of that package makes reading texts faster, and is left
 * out.
 */
export async function vendorBullmq(dist: string): Promise<void> {
  const file = join(dist, 'vendor/bullmq.js');
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    root,
    ssr: { noExternal: true },
    resolve: { alias: [{ find: /^msgpackr$/, replacement: 'msgpackr/pack' }] },
    build: {
      ssr: join(root, 'build/bullmq.ts'),
      outDir: dirname(file),
      target: 'node24',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'bullmq.js' } },
    },
  });
  if (!('output' in built)) throw new Error('the build of BullMQ gave no modules');
  const modules = built.output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []));
  writeFileSync(join(dist, 'vendor/bullmq.LICENSE.txt'), licensesOf(modules));
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.js') && !path.startsWith('vendor')) importFrom(file, join(dist, path));
  }
}

/** Lets a module import `file` in the place of the package. */
function importFrom(file: string, path: string): void {
  const text = readFileSync(path, 'utf8');
  const changed = text.replaceAll(/ from 'bullmq';/g, ` from '${relative(dirname(path), file)}';`);
  if (changed !== text) writeFileSync(path, changed);
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
