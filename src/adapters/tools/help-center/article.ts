import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** A help article for customers. */
export interface Article {
  /** The file's name without `.md`. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** The intents of messages that it answers. */
  readonly intents: readonly string[];
  /** Words that customers search for; they are never shown. */
  readonly keywords: string;
}

/** The part between the two `---` lines at the start of an article. */
const frontMatterSchema = z.strictObject({
  title: z.string().min(1),
  intents: z.array(z.string()),
  languages: z.array(z.string()).default(['en']),
  keywords: z.string().default(''),
});

/** Reads the articles of a folder, `*.md` with front matter, by name. Throws where one is not valid. */
export function readArticles(folder: URL): readonly Article[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names
    .sort()
    .map((name) => parseArticle(name.slice(0, -3), readFileSync(new URL(name, folder), 'utf8')));
}

function parseArticle(id: string, text: string): Article {
  const [, frontMatter, ...rest] = text.split(/^---$/m);
  if (frontMatter === undefined) throw new Error(`the article ${id} has no front matter`);
  const { title, intents, keywords } = frontMatterSchema.parse(parse(frontMatter));
  return { id, title, intents, keywords, body: rest.join('---').trim() };
}
