const vowels = 'aeiou';

/**
 * The regular inflections of an English verb or noun, with the word itself: plural, third person, past and present
 * participle. Some of them do not exist, which does not affect a lookup.
 */
export function inflectionsOf(word: string): readonly string[] {
  if (word.length < 3) return [word];
  const stem = word.endsWith('e') ? word.slice(0, -1) : word;
  const forms = [word, plural(word), `${stem}ed`, `${stem}ing`];
  if (endsInShortSyllable(word)) {
    const last = word.slice(-1);
    forms.push(`${word}${last}ed`, `${word}${last}ing`);
  }
  if (endsInConsonantY(word)) forms.push(`${word.slice(0, -1)}ied`);
  return forms;
}

function plural(word: string): string {
  if (endsInConsonantY(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

function endsInConsonantY(word: string): boolean {
  return word.endsWith('y') && !vowels.includes(word.charAt(word.length - 2));
}

/** True for words that end in a vowel and a consonant, which may be doubled: `cancel`, `ship`. */
function endsInShortSyllable(word: string): boolean {
  const [before, vowel, last] = word.slice(-3);
  if (before === undefined || vowel === undefined || last === undefined) return false;
  return !vowels.includes(before) && vowels.includes(vowel) && !`${vowels}wxy`.includes(last);
}
