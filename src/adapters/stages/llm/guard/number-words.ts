import { unitAfter } from './units.ts';

/** Words for numbers that are added up. */
const values: ReadonlyMap<string, number> = new Map([
  ...numbered(
    0,
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen',
  ),
  ...numbered(16, 'sixteen seventeen eighteen nineteen'),
  ...tens('twenty thirty forty fifty sixty seventy eighty ninety'),
  ...numbered(
    0,
    'null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn',
  ),
  ...numbered(16, 'sechzehn siebzehn achtzehn neunzehn'),
  ...tens('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
  ...numbered(1, 'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize'),
  ...tens('vingt trente quarante cinquante soixante'),
  ...numbered(1, 'uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince'),
  ...numbered(16, 'dieciséis diecisiete dieciocho diecinueve'),
  ...numbered(21, 'veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis'),
  ...tens('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
  ...Object.entries({ fourty: 40, dozen: 12, dutzend: 12, zwei: 2, zwo: 2, dreissig: 30, une: 1, una: 1 }),
  ...Object.entries({ eine: 1, einen: 1, einem: 1, einer: 1, eins: 1, fortnight: 2 }),
]);

/** Words that multiply what stands before them. */
const factors: ReadonlyMap<string, number> = new Map(
  Object.entries({
    hundred: 100,
    thousand: 1_000,
    million: 1_000_000,
    hundert: 100,
    tausend: 1_000,
    cent: 100,
    cents: 100,
    mille: 1_000,
    cien: 100,
    ciento: 100,
    mil: 1_000,
  }),
);

function numbered(start: number, words: string): (readonly [string, number])[] {
  return words.split(' ').map((word, at) => [word, start + at] as const);
}

function tens(words: string): (readonly [string, number])[] {
  return words.split(' ').map((word, at) => [word, (word === 'vingt' || at > 0 ? at + 2 : 2) * 10] as const);
}

/** Articles, which are numbers only before a unit, and words of other meanings. */
const articles = new Set('one ein eine einen einem einer un une una uno six once null'.split(' '));

/** A number word up to this value is harmless without a unit: `these two options`. */
const HARMLESS = 12;

/**
 * Writes number words as digits: `forty euros` as `40 euros`. With `all`, also small ones without a unit, which may be
 * harmless.
 */
export function writeNumbersAsDigits(text: string, all: boolean): string {
  const plain = text
    .replaceAll(/quatre[- ]vingts?[- ]dix/g, '90')
    .replaceAll(/quatre[- ]vingts?/g, '80')
    .replaceAll(/soixante[- ]dix/g, '70')
    .replaceAll(/\bhalf(?: the)?(?: price| off| the cost| the amount)/g, '50%')
    .replaceAll(/\ba fortnight\b/g, '14 days')
    .replaceAll(
      /(?<=\b(?:in|within|after|for|about|another|takes|under|nach|binnen|dans|sous|en|dentro de) )an? (?=\p{L})/gu,
      'one ',
    );
  return plain.replaceAll(sequence, (found, offset: number) => {
    const value = amountOf(found);
    if (value === undefined) return found;
    const unit = unitAfter(plain.slice(offset + found.length, offset + found.length + 48));
    const counts = unit !== undefined || value > HARMLESS || (all && !articles.has(found));
    return counts ? String(value) : found;
  });
}

const names = [...values.keys(), ...factors.keys()].sort((a, b) => b.length - a.length).join('|');
const compound =
  '(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)';
const sequence = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${compound}|${names})(?:(?:[ -]| and | et | y )(?:${compound}|${names})){0,8}(?![\\p{L}\\p{N}])`,
  'gu',
);

/** The value of a sequence of number words; undefined where it is none. */
function amountOf(found: string): number | undefined {
  const words = found.split(/[ -]/).flatMap(splitCompound);
  let total = 0;
  let group = 0;
  let seen = false;
  for (const word of words) {
    const factor = factors.get(word);
    const value = values.get(word);
    if (factor !== undefined) {
      group = (group === 0 ? 1 : group) * factor;
      if (factor >= 1_000) {
        total += group;
        group = 0;
      }
    } else if (value !== undefined) group += value;
    seen ||= factor !== undefined || value !== undefined;
  }
  // `cent` and `cents` alone are coins.
  return seen && !/^cents?$/.test(found) ? total + group : undefined;
}

function splitCompound(word: string): readonly string[] {
  const found = word.match(/^(\p{L}+)und(\p{L}+zig|dreißig|dreissig)$/u);
  return found === null ? [word] : found.slice(1);
}
