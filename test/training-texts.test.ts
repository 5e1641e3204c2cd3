import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTradeText, type TradeText } from '../training/texts.ts';

const folder = new URL('../training/trades/', import.meta.url);
const files = readdirSync(folder).sort();
const linesOf = (file: string): readonly string[] =>
  readFileSync(new URL(file, folder), 'utf8').trim().split('\n');

describe('the texts of a trade', () => {
  test.each(files)('%s are valid, of that trade, and in two languages', (file) => {
    const texts: TradeText[] = [];
    const wrong: string[] = [];
    for (const [index, line] of linesOf(file).entries()) {
      try {
        texts.push(parseTradeText(line));
      } catch (error) {
        wrong.push(`line ${index + 1}: ${error}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(new Set(texts.map(({ trade }) => trade))).toEqual(new Set([file.replace(/\.jsonl$/, '')]));
    expect(new Set(texts.map(({ language }) => language))).toEqual(new Set(['en', 'de']));
  });

  test('are each in one place', () => {
    const places = Map.groupBy(
      files.flatMap((file) => linesOf(file).map((line, index) => ({ line, place: `${file}:${index + 1}` }))),
      ({ line }) =>
        parseTradeText(line)
          .text.toLowerCase()
          .match(/[\p{L}\p{N}]+/gu)
          ?.join(' ') ?? line,
    );
    const repeated = [...places.values()].filter(({ length }) => length > 1);
    expect(repeated.map((same) => same.map(({ place }) => place))).toEqual([]);
  });
});
