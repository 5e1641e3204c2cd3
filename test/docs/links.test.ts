import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Page, pageAt, pages, proseOf, root } from '../support/docs/pages.ts';

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The faults of a page's links to files and headings of the repository. */
function linkIssues(page: Page): readonly string[] {
  const targets = Array.from(proseOf(page).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
    if (file !== '' && !existsSync(join(root, path)))
      return [`${page.path}: ${target}: there is no such file`];
    if (anchor === undefined) return [];
    const linked = path === page.path ? page : pages.find((one) => one.path === path);
    const isThere = linked !== undefined && anchorsOf(linked).has(anchor);
    return isThere ? [] : [`${page.path}: ${target}: there is no such heading`];
  });
}

/** Files and folders of the repository that a page names in code but that do not exist. */
function pathIssues({ path, markdown }: Page): readonly string[] {
  const named = markdown.matchAll(
    /`((?:src|test|bench|examples|build|console|docs|training|models|playbook)\/[\w./-]*)`/g,
  );
  return Array.from(named, ([, file = '']) => file)
    .filter((file) => !existsSync(join(root, file)))
    .map((file) => `${path}: ${file}`);
}

/** The names of pages in the tables of the README, in order. */
const mapped = Array.from(
  pageAt('README.md').markdown.matchAll(/\]\((docs\/[\w/-]+\.md)\)/g),
  ([, path]) => path,
);

describe('the links of the documentation', () => {
  test.each(pages)('lead to files and headings that exist: $path', (page) => {
    expect(linkIssues(page)).toEqual([]);
  });

  test('are found when they lead nowhere', () => {
    const planted = (markdown: string): readonly string[] =>
      linkIssues({ path: 'docs/planted.md', markdown });
    expect(planted('[a](nowhere.md)')).toHaveLength(1);
    expect(planted('[a](messages.md#nowhere)')).toHaveLength(1);
    expect(planted('[a](#nowhere)')).toHaveLength(1);
    expect(planted('[a](../src/nowhere.ts)')).toHaveLength(1);
    expect(
      planted('## Here it is\n[a](#here-it-is) [b](messages.md#traces) [c](https://example.com)'),
    ).toEqual([]);
  });
});

describe('the paths that the documentation names', () => {
  test.each(pages)('exist: $path', (page) => {
    expect(pathIssues(page)).toEqual([]);
  });

  test('are found when they do not exist', () => {
    const markdown = 'See `src/nowhere.ts`, `src/main.ts` and `src/domain`.';
    expect(pathIssues({ path: 'planted.md', markdown })).toEqual(['planted.md: src/nowhere.ts']);
  });
});

describe('the README', () => {
  test('has at most 200 lines', () => {
    expect(pageAt('README.md').markdown.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  test('leads to every page', () => {
    const all = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(all.filter((path) => !mapped.includes(path))).toEqual([]);
  });

  test('has the two commands that start and test the project', () => {
    const { markdown } = pageAt('README.md');
    expect(markdown).toContain('```sh\nnpm ci && npm start\n```');
    expect(markdown).toContain('```sh\nnpm ci && npm test\n```');
  });
});

const citation = /\b(specification|decisions), sections? (\d[\d.]*(?:(?:,| and) \d[\d.]*)*)/g;

/** Citations of a text whose section does not exist. A section such as 5.2 is item 2 of the list in section 5. */
function citationIssues(text: string): readonly string[] {
  return Array.from(text.matchAll(citation)).flatMap(([, document = '', numbers = '']) =>
    numbers
      .split(/,? and |, /)
      .filter((number) => !hasSection(document, number.replace(/\.$/, '')))
      .map((number) => `${document}, section ${number}`),
  );
}

function hasSection(document: string, number: string): boolean {
  const [section = '', item] = number.split('.');
  const { markdown } = pageAt(`docs/spec/${document}.md`);
  const text = markdown.split(/^## /m).find((part) => part.startsWith(`${section}. `));
  return text !== undefined && (item === undefined || new RegExp(`^${item}\\. `, 'm').test(text));
}

describe('the citations of the specification in the code', () => {
  const files = globSync('{src,test,bench,build}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((path) => path !== 'test/docs/links.test.ts' && statSync(join(root, path)).isFile())
    .map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }));

  test('name sections that exist', () => {
    const cited = files.filter(({ source }) => source.search(citation) !== -1);
    expect(cited.length).toBeGreaterThan(10);
    expect(
      cited.flatMap(({ path, source }) => citationIssues(source).map((issue) => `${path}: ${issue}`)),
    ).toEqual([]);
  });

  test('are found when the section does not exist', () => {
    const right = '(specification, section 3) (decisions, sections 1 and 7) (specification, section 5.2)';
    expect(citationIssues(right)).toEqual([]);
    expect(citationIssues('(specification, section 12)')).toHaveLength(1);
    expect(citationIssues('(decisions, sections 1 and 9)')).toHaveLength(1);
    expect(citationIssues('(specification, section 5.20)')).toHaveLength(1);
  });
});
