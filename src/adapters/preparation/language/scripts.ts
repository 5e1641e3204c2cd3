/** The ranges of scripts other than Latin, with the language that each stands for. */
const ranges: readonly (readonly [first: number, last: number, language: string])[] = [
  [0x370, 0x3ff, 'el'],
  [0x400, 0x52f, 'ru'],
  [0x530, 0x58f, 'hy'],
  [0x590, 0x5ff, 'he'],
  [0x600, 0x6ff, 'ar'],
  [0x750, 0x77f, 'ar'],
  [0x900, 0x97f, 'hi'],
  [0x980, 0x9ff, 'bn'],
  [0xa00, 0xa7f, 'pa'],
  [0xa80, 0xaff, 'gu'],
  [0xb80, 0xbff, 'ta'],
  [0xc00, 0xc7f, 'te'],
  [0xc80, 0xcff, 'kn'],
  [0xd00, 0xd7f, 'ml'],
  [0xe00, 0xe7f, 'th'],
  [0x10a0, 0x10ff, 'ka'],
  [0x1100, 0x11ff, 'ko'],
  [0x1f00, 0x1fff, 'el'],
  [0x3040, 0x30ff, 'ja'],
  [0x3130, 0x318f, 'ko'],
  [0x3400, 0x9fff, 'zh'],
  [0xac00, 0xd7af, 'ko'],
];

/** The language by the script, when at least half of the letters are not Latin; undefined for Latin texts. */
export function scriptLanguage(text: string): string | undefined {
  if (!/[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af]/.test(text)) return undefined;
  const counts = new Map<string, number>();
  let latin = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x370) {
      if (isLatinLetter(code)) latin++;
      continue;
    }
    const language = ranges.find(([first, last]) => code >= first && code <= last)?.[2];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return mostFrequent(text, counts, latin);
}

function mostFrequent(text: string, counts: ReadonlyMap<string, number>, latin: number): string | undefined {
  let best: readonly [string, number] = ['und', 0];
  let total = 0;
  for (const entry of counts) {
    total += entry[1];
    if (entry[1] > best[1]) best = entry;
  }
  // A sign of Chinese or Japanese stands for several letters.
  const weight = counts.has('zh') || counts.has('ja') || counts.has('ko') ? 3 : 1;
  if (total * weight < latin || total === 0) return undefined;
  if (counts.has('ja')) return 'ja';
  return best[0] === 'ru' && /[іїєґ]/i.test(text) ? 'uk' : best[0];
}

function isLatinLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code >= 0xc0;
}
