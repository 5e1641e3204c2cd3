import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type Lexicon, parseLexicon } from '../../../lib/learning/lexicon.ts';
import { PACKAGE_FOLDER } from '../package-folder.ts';

/** The folder of what is learned and looked up: models, lexicons and lists of words and patterns. */
export const MODELS = new URL('models/', PACKAGE_FOLDER);

/** Reads a file of `models` that has a line for each list: see {@link parseLexicon}. */
export function readLexicon(path: string): Lexicon {
  return parseLexicon(readFileSync(new URL(path, MODELS), 'utf8'));
}

/** Reads all files of a folder of `models` that have a line for each list, by their names. */
export function readLexicons(folder: string): ReadonlyMap<string, Lexicon> {
  const files = readdirSync(new URL(folder, MODELS));
  return new Map(files.map((file) => [file, readLexicon(`${folder}${file}`)]));
}

/** True for a file that is in `models`. */
export function hasModelFile(path: string): boolean {
  return existsSync(new URL(path, MODELS));
}

/** The lines of a file by section: see {@link readSections}. */
export type Sections = ReadonlyMap<string, readonly string[]>;

/** A pattern in which `{name}` stands for a line of the section `parts`, which begins with that name. */
export function patternOf(text: string, sections: Sections): string {
  return text.replaceAll(/\{([a-z]+)\}/g, (part, name: string) => {
    const line = sections.get('parts')?.find((one) => one.startsWith(`${name} `));
    return line?.slice(name.length + 1) ?? part;
  });
}

/**
 * Reads a file of `models` that has sections, each below its name in brackets. Empty lines and those that begin with
 * `#` are left out. Throws where a line stands in no section.
 */
export function readSections(path: string): Sections {
  const sections = new Map<string, string[]>();
  let lines: string[] | undefined;
  for (const line of readFileSync(new URL(path, MODELS), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name] = /^\[([a-z_]+)\]$/.exec(line) ?? [];
    if (name !== undefined) {
      lines = [];
      sections.set(name, lines);
    } else if (lines === undefined) throw new Error(`models/${path}: a line stands in no section: ${line}`);
    else lines.push(line);
  }
  return sections;
}
