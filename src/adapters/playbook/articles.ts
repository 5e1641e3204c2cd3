import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { limitFaults, type PlaybookFault, withoutPlace } from './faults.ts';
import { language, playbookLimits, text } from './fields.ts';
import { codeOf, decodeText, parseYaml, readBytes } from './yaml.ts';

/** A help article of a playbook. */
export interface Article {
  /** The file's name without `.md`. */
  readonly id: string;
  readonly title: string;
  /** The text for customers, as plain text. */
  readonly body: string;
  /** The intents of messages that it answers. */
  readonly intents: readonly string[];
  /** The languages of its text. */
  readonly languages: readonly string[];
  /** Words that customers search for; they are never shown. */
  readonly keywords: string;
}

/** The articles of a folder, and what is wrong with it. Faults of the folder itself name no file. */
export interface ArticleFolder {
  /** Each file could be read so far that its intents are known. */
  readonly isComplete: boolean;
  readonly articles: readonly Article[];
  readonly faults: readonly PlaybookFault[];
}

/** The most articles of a folder, and the largest one in bytes. */
const MAX_ARTICLES = 2_000;
const MAX_ARTICLE_BYTES = 262_144;

/** The front matter between the two `---` lines at the start of an article. */
const frontMatter = z.strictObject({
  title: text(playbookLimits.shortLength),
  intents: z.array(z.string().max(playbookLimits.nameLength)).min(1).max(playbookLimits.intents),
  languages: z.array(language).min(1).max(playbookLimits.languages).optional(),
  keywords: z.string().max(10_000).optional(),
});

/** Reads the `*.md` files of a folder, by name. `defaultLanguage` is that of articles which name none. */
export function readArticles(folder: string, defaultLanguage: string): ArticleFolder {
  let entries: readonly Dirent[];
  let real: string;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
    real = realpathSync(folder);
  } catch (error) {
    return unread(`there is no folder of that name (${codeOf(error)})`);
  }
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith('.md'));
  if (names.length > MAX_ARTICLES) {
    return unread(`has ${names.length} articles; expected at most ${MAX_ARTICLES}`);
  }
  const read = names
    .sort()
    .map((name) => readArticle(join(folder, name), name.slice(0, -3), real, defaultLanguage));
  const articles = read.flatMap(({ article }) => article ?? []);
  const faults = limitFaults(read.flatMap((one) => one.faults));
  return { articles, faults, isComplete: articles.length === names.length };
}

function readArticle(
  file: string,
  id: string,
  folder: string,
  defaultLanguage: string,
): { readonly article?: Article; readonly faults: readonly PlaybookFault[] } {
  const fault = (message: string, line = 1) => ({ faults: [{ path: '', line, column: 1, file, message }] });
  try {
    if (!realpathSync(file).startsWith(`${folder}${sep}`)) return fault('is a link out of the folder');
  } catch (error) {
    return fault(`cannot be read (${codeOf(error)})`);
  }
  const read = readBytes(file, MAX_ARTICLE_BYTES);
  if (read.fault !== undefined) return fault(read.fault);
  const decoded = decodeText(read.bytes);
  if (decoded.fault !== undefined) return fault(decoded.fault.message, decoded.text.split('\n').length);
  const lines = decoded.text.replace(/^\ufeff/, '').split(/\r?\n/);
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end === -1) {
    return fault('has no front matter; expected `---`, title and intents, `---` before the text');
  }
  const parsed = parseYaml(Buffer.from(lines.slice(1, end).join('\n')), frontMatter);
  const inFile = (one: PlaybookFault) => ({ ...one, line: (one.line ?? 1) + 1, file });
  if (parsed.faults !== undefined) return { faults: parsed.faults.map(inFile) };
  const { title, intents, languages = [defaultLanguage], keywords = '' } = parsed.value;
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  const faults = [
    ...parsed.issues.map(parsed.locate).map(inFile),
    ...(body === '' ? fault('has no text after its front matter', end + 1).faults : []),
  ];
  const areIntentsUnknown = parsed.issues.some(({ path, hides }) =>
    [path[0], hides?.[0]].includes('intents'),
  );
  return areIntentsUnknown
    ? { faults }
    : { article: { id, title, body, intents, languages, keywords }, faults };
}

function unread(message: string): ArticleFolder {
  return { articles: [], faults: [withoutPlace(message)], isComplete: false };
}

/** The most texts of an intent that its articles give to learn from. */
const MAX_TEXTS = 80;

/** The titles, keywords and sentences of the articles of each intent, to learn from. */
export function articleTextsOf(articles: readonly Article[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  for (const { title, keywords, body, intents } of articles) {
    const sentences = body
      .slice(0, 4_000)
      .split(/(?<=[.!?])\s+|\n+/)
      .filter((one) => one.length > 15);
    const own = [title, keywords, ...sentences].filter((one) => one.trim() !== '');
    for (const intent of intents) {
      texts.set(intent, [...(texts.get(intent) ?? []), ...own].slice(0, MAX_TEXTS));
    }
  }
  return texts;
}
