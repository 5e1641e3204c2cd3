/** Letters of which Unicode makes no plain letter and an accent. */
export const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
};

const apostrophes = { '’': "'", '‘': "'" };

/** Letters as people without a keyboard for them write them: `ü` as `ue`. */
const spelled: Readonly<Record<string, string>> = {
  ...plainLetters,
  ...apostrophes,
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ø: 'oe',
  '´': "'",
};

/** Lower case without accents, for comparing words. Other marks stay: in many scripts they are vowels. */
export function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[äöüßæøœłıđ’‘´]/g, (letter) => spelled[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .normalize('NFC');
}

const plain: Readonly<Record<string, string>> = {
  ...plainLetters,
  ...apostrophes,
  '‑': '-',
  '–': '-',
  '—': '-',
};

/** Lower case without any mark, `ü` as `u`, so that one pattern finds every spelling. */
export function foldPlain(text: string): string {
  const lower = text.toLowerCase();
  if (!/\P{ASCII}/u.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ıłøßæœđ’‘‑–—]/g, (letter) => plain[letter] ?? letter);
}
