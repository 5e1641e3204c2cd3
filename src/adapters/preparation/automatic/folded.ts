const letters: Readonly<Record<string, string>> = {
  ı: 'i',
  ł: 'l',
  ø: 'o',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  '’': "'",
  '‘': "'",
  '‑': '-',
  '–': '-',
  '—': '-',
};

/** A text in lower case without accents, so that one pattern finds every spelling. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!/\P{ASCII}/u.test(lower)) return lower;
  const plain = lower.normalize('NFD').replace(/\p{M}/gu, '');
  return plain.replace(/[ıłøßæœđ’‘‑–—]/g, (letter) => letters[letter] ?? letter);
}
