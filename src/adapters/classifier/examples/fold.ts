/** Accents of Latin, Greek and Cyrillic letters, and the vowel signs that Hebrew and Arabic mostly omit. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g;

/** Lower case without accents and without the apostrophe of `don't`, for comparing words. */
export function fold(text: string): string {
  const plain = isAscii(text) ? text : text.normalize('NFKD').replace(accents, '').normalize('NFC');
  return plain
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/n['’]t\b/g, 'nt');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
