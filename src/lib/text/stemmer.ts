/** Maximum length of a word that is stemmed, which bounds the time. No English word is longer. */
const MAX_LENGTH = 40;

/**
 * The stem of an English word in lower case, the same for its inflections: `refunds`, `refunded` and `refunding` have
 * that of `refund`, `replies` that of `reply`, `stopped` that of `stop`. It applies Porter's rules for plurals, past
 * tenses and participles only, so that few different words share a stem. Words of other scripts are not changed.
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > MAX_LENGTH || !isPlainWord(word)) return word;
  return withoutFinalE(withI(withoutPast(withoutPlural(word))));
}

function isPlainWord(word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    if (code < 0x61 || code > 0x7a) return false;
  }
  return true;
}

/**
 * `classes` to `class`, `replies` and `replied` to `repli`, `ties` to `tie`, `orders` to `order`; not `this`, `status`.
 */
function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies') || word.endsWith('ied')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (!word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  return hasVowel(word, word.length - 2) ? word.slice(0, -1) : word;
}

/** `agreed` to `agree`, `stopped` to `stop`, `hoping` to `hope`, `billing` to `bill`; not `bring`, `need`, `aed`. */
function withoutPast(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const base = word.slice(0, word.length - ending);
  return ending === 0 || base.length < 2 || !hasVowel(base, base.length) ? word : restoreEnding(base);
}

/** Restores the word before an ending: `escalat` gets its `e` back, `stopp` loses a `p`. */
function restoreEnding(base: string): string {
  if (base.endsWith('at') || base.endsWith('bl') || base.endsWith('iz')) return `${base}e`;
  if (endsDoubled(base) && !'lsz'.includes(base.charAt(base.length - 1))) return base.slice(0, -1);
  const short = base.length === 2 ? isVowel(base, 0) && !isVowel(base, 1) : endsShort(base, base.length);
  return short && measure(base, base.length) === 1 ? `${base}e` : base;
}

/** `reply` to `repli`, to match `replies`; not `by`, `day`. */
function withI(word: string): string {
  const last = word.length - 1;
  return last > 1 && word.endsWith('y') && !isVowel(word, last - 1) ? `${word.slice(0, -1)}i` : word;
}

/** `summarise` to `summaris`, to match `summarising`; `cancell` to `cancel`; not `use`, `care`, `call`. */
function withoutFinalE(word: string): string {
  const last = word.length - 1;
  if (word.endsWith('ll') && measure(word, last) > 1) return word.slice(0, -1);
  if (!word.endsWith('e') || last < 3) return word;
  const syllables = measure(word, last);
  return syllables > 1 || (syllables === 1 && !endsShort(word, last)) ? word.slice(0, -1) : word;
}

/** Porter's measure: how often a consonant follows a vowel in the first `length` letters. */
function measure(word: string, length: number): number {
  let count = 0;
  let afterVowel = false;
  for (let index = 0; index < length; index++) {
    const vowel = isVowel(word, index);
    if (afterVowel && !vowel) count++;
    afterVowel = vowel;
  }
  return count;
}

function hasVowel(word: string, length: number): boolean {
  for (let index = 0; index < length; index++) if (isVowel(word, index)) return true;
  return false;
}

/** True where the first `length` letters end in consonant, vowel, consonant, the last not `w`, `x` or `y`. */
function endsShort(word: string, length: number): boolean {
  if (length < 3 || 'wxy'.includes(word.charAt(length - 1))) return false;
  return !isVowel(word, length - 1) && isVowel(word, length - 2) && !isVowel(word, length - 3);
}

function endsDoubled(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word.charAt(last) === word.charAt(last - 1) && !isVowel(word, last);
}

function isVowel(word: string, index: number): boolean {
  switch (word.charAt(index)) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return true;
    case 'y':
      return index > 0 && !isVowelLetter(word.charAt(index - 1));
    default:
      return false;
  }
}

function isVowelLetter(letter: string): boolean {
  return 'aeiou'.includes(letter);
}
