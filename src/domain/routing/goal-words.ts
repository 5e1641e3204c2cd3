import { isApostrophe, isBlank } from '../../lib/text/characters.ts';
import type { TextSpan } from '../../lib/text/sentences.ts';
import { eachWord } from '../../lib/text/words.ts';

/** The text between a word and the one before: only blanks, a comma, other punctuation, or material. */
export type Gap = 'blank' | 'comma' | 'stop' | 'material';

/** A word of a clause. */
export interface GoalWord extends TextSpan {
  /** In lower case, and without the apostrophe of a negation: `dont` for `Don't`. */
  readonly lower: string;
  readonly gap: Gap;
}

/** The words of a part of a text, without those of the quotations in it. `don't` is one word. */
export function wordsOf(text: string, span: TextSpan, quoted: readonly TextSpan[] = []): GoalWord[] {
  const words: GoalWord[] = [];
  let { start } = span;
  for (const material of [...quoted, { start: span.end, end: span.end }]) {
    const first = words.length;
    eachWord(text, start, material.start, (from, to) =>
      addWord(words, first, text, { start: from, end: to }),
    );
    start = material.end;
  }
  return words;
}

/** Adds a word, or the `t` of `don't` to the word before it. Words before `first` are on the other side of material. */
function addWord(words: GoalWord[], first: number, text: string, { start, end }: TextSpan): void {
  const last = words.length > first ? words.at(-1) : undefined;
  const word = text.slice(start, end);
  const lower = (isAscii(word) ? word : word.normalize('NFKC')).toLowerCase();
  if (last !== undefined && lower === 't' && start === last.end + 1 && last.lower.endsWith('n')) {
    if (isApostrophe(text.charCodeAt(last.end))) {
      words[words.length - 1] = { ...last, end, lower: `${last.lower}t` };
      return;
    }
  }
  const gap = last === undefined ? (words.length > 0 ? 'material' : 'blank') : gapOf(text, last.end, start);
  words.push({ start, end, lower, gap });
}

function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) > 0x7f) return false;
  return true;
}

const stops = new Set(';:()[]—–.!?…：；');

function gapOf(text: string, from: number, to: number): Gap {
  let gap: Gap = 'blank';
  if (to === from + 1 && text.charAt(from) === ' ') return gap;
  for (let at = from; at < to; at++) {
    const character = text.charAt(at);
    if (stops.has(character) || (character === '-' && isBlank(text.charCodeAt(at - 1)))) return 'stop';
    if (character === ',' || character === '，' || character === '、') gap = 'comma';
  }
  return gap;
}
