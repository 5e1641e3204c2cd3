import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A page of the documentation. */
export interface Page {
  /** Its path in the repository. */
  readonly path: string;
  readonly markdown: string;
}

/** A fenced block of code in a page. */
export interface Block {
  /** The page and the line of the opening fence, for messages. */
  readonly place: string;
  readonly language: string;
  /** The text of the HTML comment in the line before the block, or an empty string. */
  readonly mark: string;
  readonly code: string;
}

/** Every page of the documentation, in the order of their paths. */
export const pages: readonly Page[] = [
  ...globSync(['*.md', 'docs/**/*.md', 'training/*.md', 'models/*.md', 'examples/workflows/*/*.md'], {
    cwd: root,
  }),
]
  .sort()
  .map((path) => ({ path, markdown: readFileSync(join(root, path), 'utf8') }));

/** The page that test/slow/make-it-yours.test.ts follows step by step: its blocks have marks of their own. */
export const guidePath = 'docs/make-it-yours.md';

/** The page with this path. Throws if there is none. */
export function pageAt(path: string): Page {
  const page = pages.find((candidate) => candidate.path === path);
  if (page === undefined) throw new Error(`there is no page ${path}`);
  return page;
}

const fence = /^```(.*)$/;
const comment = /^<!-- (.+) -->$/;

/** The fenced blocks of a page, in order. Throws if a fence is not closed. */
export function blocksOf({ path, markdown }: Page): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let index = 0;
  while (index < lines.length) {
    const language = fence.exec(lines[index] ?? '')?.[1];
    if (language === undefined) {
      index += 1;
      continue;
    }
    const place = `${path}:${index + 1}`;
    const end = lines.indexOf('```', index + 1);
    if (end === -1) throw new Error(`${place}: the block is not closed`);
    const mark = comment.exec(lines[index - 1] ?? '')?.[1] ?? '';
    blocks.push({ place, language, mark, code: lines.slice(index + 1, end).join('\n') });
    index = end + 1;
  }
  return blocks;
}

/** The text of a page without its fenced blocks. */
export function proseOf({ markdown }: Page): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The rows of every table of a page, as the texts of their cells. */
export function tableRows(page: Page): readonly (readonly string[])[] {
  return proseOf(page)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}
