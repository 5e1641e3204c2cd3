import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseText, parseTradeText, readFolder, type TradeText, tradeFolders } from '../training/texts.ts';

/** A file of texts, with its folder. */
interface TextFile {
  readonly folder: string;
  readonly file: string;
  readonly lines: readonly string[];
}

const filesOf = (folder: string): readonly TextFile[] =>
  readFolder(folder).map(({ file, lines }) => ({ folder, file, lines }));

const [trades, companies, languages] = tradeFolders.map(filesOf);
const shop = filesOf('texts');

/** Parses the lines of a file; none may be wrong. */
function parseLines<T>({ lines }: TextFile, parse: (line: string) => T): readonly T[] {
  const wrong: string[] = [];
  const parsed = lines.flatMap((line, index) => {
    try {
      return [parse(line)];
    } catch (error) {
      wrong.push(`line ${index + 1}: ${error}`);
      return [];
    }
  });
  expect(wrong).toEqual([]);
  return parsed;
}

const named = (files: readonly TextFile[] = []) => files.map((one) => [one.file, one] as const);
const nameOf = ({ file }: TextFile): string => file.replace(/\.jsonl$/, '');
const set = (values: Iterable<unknown>) => new Set(values);

describe('the texts to a shop', () => {
  test.each(named(shop))('%s are valid', (_file, file) => {
    expect(parseLines(file, parseText).length).toBeGreaterThan(0);
  });
});

describe('the texts of a trade', () => {
  test.each(named(trades))(
    '%s are valid, of that trade, and in English and German at least',
    (_file, file) => {
      const texts = parseLines(file, parseTradeText);
      expect(set(texts.map(({ trade }) => trade))).toEqual(set([nameOf(file)]));
      expect(texts.map(({ language }) => language)).toEqual(expect.arrayContaining(['en', 'de']));
      expect(texts.filter(({ intent }) => intent !== undefined)).toEqual([]);
    },
  );
});

/** An intent of a company, as `companies/intents.json` has it. */
interface CompanyIntent {
  readonly name: string;
  readonly description: string;
  readonly handover: boolean;
}

describe('the texts of a company', () => {
  const intents: Readonly<Record<string, readonly CompanyIntent[]>> = JSON.parse(
    readFileSync(new URL('../training/companies/intents.json', import.meta.url), 'utf8'),
  );

  test('are there for each company with intents, which are described, each once', () => {
    expect(Object.keys(intents).sort()).toEqual((companies ?? []).map(nameOf));
    for (const own of Object.values(intents)) {
      const names = own.map(({ name }) => name);
      expect(set(names).size).toBe(names.length);
      expect(own.filter(({ name }) => !/^[a-z]+(?:_[a-z0-9]+)*$/.test(name))).toEqual([]);
      expect(own.filter(({ description }) => !/^[A-Z].+\.$/.test(description))).toEqual([]);
      expect(set(own.map(({ handover }) => handover))).toEqual(set([true, false]));
    }
  });

  test.each(named(companies))('%s are valid, of that company, and have its intents', (_file, file) => {
    const texts = parseLines(file, parseTradeText);
    const own = intents[nameOf(file)] ?? [];
    expect(set(texts.map(({ trade }) => trade))).toEqual(set([nameOf(file)]));
    const known = set(own.map(({ name }) => name));
    expect(texts.filter(({ intent }) => intent !== undefined && !known.has(intent))).toEqual([]);
    const count = (name: string, role: TradeText['role']): number =>
      texts.filter((text) => text.intent === name && text.role === role).length;
    for (const { name } of own) {
      expect([name, count(name, 'example') >= 2, count(name, 'ticket') + count(name, 'fresh') >= 2]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });
});

describe('the texts of a language', () => {
  test('are there for each language that is judged but English', () => {
    expect((languages ?? []).map(nameOf)).toEqual(['de', 'es', 'fr', 'it', 'nl', 'pl', 'pt']);
  });

  test.each(named(languages))('%s are valid, in that language, with and without concerns', (_file, file) => {
    const texts = parseLines(file, parseTradeText);
    expect(set(texts.map(({ language }) => language))).toEqual(set([nameOf(file)]));
    expect(texts.some(({ concerns }) => concerns.length > 0)).toBe(true);
    expect(texts.some(({ concerns }) => concerns.length === 0)).toBe(true);
  });
});

test('no text is there twice, in whatever folder, case and punctuation', () => {
  const places = new Map<string, string[]>();
  for (const { folder, file, lines } of [shop, trades, companies, languages].flatMap(
    (files) => files ?? [],
  )) {
    for (const [index, line] of lines.entries()) {
      const { text } = JSON.parse(line) as { readonly text: string };
      const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu);
      const key = words?.join(' ') ?? text;
      places.set(key, [...(places.get(key) ?? []), `${folder}/${file}:${index + 1}`]);
    }
  }
  expect([...places.values()].filter(({ length }) => length > 1)).toEqual([]);
});
