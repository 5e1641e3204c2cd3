import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pageAt, pages, root, tableRows } from '../support/docs/pages.ts';

/** Keys of one part of the console, such as `This run`, with what they do. */
interface Key {
  readonly section: string;
  readonly part: string;
  readonly key: string;
  readonly labels: readonly string[];
}

/** The texts in single quotes. */
const textsIn = (source: string): readonly string[] =>
  Array.from(source.matchAll(/'([^']+)'/g), ([, text = '']) => text);

/** The arguments of each call of `useKeys` in a source. */
function callsIn(source: string): readonly string[] {
  return source
    .split(/\buseKeys\(/)
    .slice(1)
    .map((rest) => {
      let depth = 1;
      let end = 0;
      while (depth > 0 && end < rest.length) {
        const sign = rest[end] ?? '';
        if ('([{'.includes(sign)) depth += 1;
        if (')]}'.includes(sign)) depth -= 1;
        end += 1;
      }
      return rest.slice(0, end - 1);
    });
}

/** The keys of a source. Those of a list are its numbers: `1` stands for them. */
function keysOf(path: string, source: string): readonly Key[] {
  const folder = /^console\/pages\/(\w+)\//.exec(path)?.[1];
  const section =
    folder === undefined ? 'On every page' : `${folder.charAt(0).toUpperCase()}${folder.slice(1)}`;
  return callsIn(source).flatMap((call) => {
    const [part = ''] = textsIn(call);
    const entries = Array.from(call.matchAll(/\bkey: ([^,]+),\s*label: ([\s\S]*?),\s*run:/g));
    if (entries.length > 0) {
      return entries
        .filter(([, key = '']) => !key.startsWith('`'))
        .map(([, key = '', label = '']) => ({
          section,
          part,
          key: textsIn(key)[0] ?? '1',
          labels: key.startsWith("'") ? textsIn(label) : [],
        }));
    }
    // The keys stand in a list beside the call.
    return Array.from(source.matchAll(/\['(\w)', '([^']+)', openers\./g), ([, key = '', label = '']) => ({
      section,
      part,
      key,
      labels: [label],
    }));
  });
}

/** The keys that lead to the pages. */
function pageKeys(): readonly Key[] {
  const source = readFileSync(join(root, 'console/app/pages.ts'), 'utf8');
  return Array.from(source.matchAll(/title: '(\w+)',\s*key: '(\w)'/g), ([, title = '', key = '']) => ({
    section: 'On every page',
    part: 'Everywhere',
    key: `g ${key}`,
    labels: [title],
  }));
}

const coded: readonly Key[] = [
  ...globSync('console/{app,pages}/**/*.{ts,tsx}', { cwd: root })
    .sort()
    .flatMap((path) => keysOf(path, readFileSync(join(root, path), 'utf8'))),
  ...pageKeys(),
];

const documented: readonly Key[] = pageAt('docs/console.md')
  .markdown.split(/^## /m)
  .slice(1)
  .flatMap((text) => {
    const [section = ''] = text.split('\n');
    return tableRows({ path: section, markdown: text })
      .filter(
        ([first = '', , ...rest]) => first.startsWith('`') && !first.includes('--') && rest.length === 1,
      )
      .map(([key = '', part = '', label = '']) => ({
        section,
        part,
        key: /`([^`]+)`/.exec(key)?.[1] ?? '',
        labels: [label],
      }));
  });

const nameOf = ({ section, part, key }: Key): string => `${section}: ${part}: ${key}`;

describe('the keys in docs/console.md', () => {
  test('are those of the console', () => {
    const names = (keys: readonly Key[]): readonly string[] => [...new Set(keys.map(nameOf))].sort();
    expect(names(documented)).toEqual(names(coded));
    expect(names(coded).length).toBeGreaterThan(45);
  });

  test('do what the console says about them', () => {
    const missing = coded.flatMap((entry) => {
      const told = documented.filter((row) => nameOf(row) === nameOf(entry)).flatMap(({ labels }) => labels);
      const text = told.join(' ').replaceAll('`', '').toLowerCase();
      return entry.labels
        .filter((label) => !text.includes(label.toLowerCase()))
        .map((label) => `${nameOf(entry)}: ${label}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('the pages in docs/console.md', () => {
  test('are those of the console, in the order of its menu', () => {
    const source = readFileSync(join(root, 'console/app/pages.ts'), 'utf8');
    const titles = Array.from(source.matchAll(/title: '(\w+)'/g), ([, title = '']) => title);
    const headings = Array.from(
      pageAt('docs/console.md').markdown.matchAll(/^## (.+)$/gm),
      ([, heading = '']) => heading,
    );
    expect(headings.filter((heading) => titles.includes(heading))).toEqual(titles);
  });
});

describe('the pictures in docs/images', () => {
  const pictures = globSync('docs/images/*', { cwd: root });

  test('are shown by a page, and are small', () => {
    const shown = pages.map(({ markdown }) => markdown).join('\n');
    expect(pictures.filter((path) => !shown.includes(path.replace('docs/', '')))).toEqual([]);
    const bytes = pictures.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
    expect(bytes).toBeLessThan(1_500_000);
  });
});
