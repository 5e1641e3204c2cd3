import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { atMost, type Figure } from '../../support/report/target.ts';

const folder = fileURLToPath(new URL('../../../assets/console', import.meta.url));

/** The files that the first page loads beside the page itself; the other files belong to other pages. */
const firstFiles = /^(?:index\.html|favicon\.svg|static\/(?:parts|style)-.+)$/;

/** The sizes of the built files with gzip, in KB of 1,000 bytes. */
export async function measureSizes(): Promise<readonly Figure[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = `${parentPath}/${name}`;
      return { name: path.slice(folder.length + 1), bytes: gzipSync(await readFile(path)).length };
    }),
  );
  const sum = (counted: typeof sizes): number =>
    counted.reduce((total, { bytes }) => total + bytes, 0) / 1_000;
  const all = sum(sizes);
  const first = sum(sizes.filter(({ name }) => firstFiles.test(name)));
  return [
    {
      name: 'all files, gzip',
      value: all,
      unit: 'KB',
      target: atMost('console: all files', all, 120, ' KB'),
    },
    {
      name: 'files of the first page, gzip',
      value: first,
      unit: 'KB',
      target: atMost('console: first page', first, 60, ' KB'),
    },
  ];
}
