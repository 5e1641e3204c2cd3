import { plainLetters } from '../../../lib/text/tokenize.ts';
import { hasModelFile, readLexicons } from '../../shared/reading/model-files.ts';

// Word lists

/** An entry of a word list that stands at a word: `done.refund` has the list `done` and the value `refund`. */
export interface Tag {
  readonly list: string;
  readonly value: string;
  /** The number of its words. */
  readonly length: number;
}

interface Entry extends Tag {
  readonly words: readonly string[];
}

/** The entries of all languages by their first word, the longest first. `=` marks a word whose accents count. */
type Index = ReadonlyMap<string, readonly Entry[]>;

let loaded: Index | undefined;

function lists(): Index {
  loaded ??= loadLists();
  return loaded;
}

/** The entries of one word that is a word of its own in a list, without `*`. */
export function entriesOf(word: string): readonly Tag[] {
  return (
    lists()
      .get(word)
      ?.filter(({ length }) => length === 1) ?? []
  );
}

/** True for a language that has word lists: a reply in another one must be read by a person first. */
export function hasLists(language: string): boolean {
  return /^[a-z]{2}$/.test(language) && hasModelFile(`guard/${language}.txt`);
}

/** Lists whose entries have successive values: `months.1: january, february`; those of `tens` are ten apart. */
const successive = new Set('numbers tens ordinals months short_months weekdays short_weekdays'.split(' '));

function loadLists(): Index {
  const index = new Map<string, Entry[]>();
  for (const [file, lexicon] of readLexicons('guard/')) {
    for (const [key, phrases] of lexicon) {
      const [name = '', start = ''] = key.split('.');
      const list =
        name === 'common' ? `common ${file}` : name === 'numbers' || name === 'tens' ? 'number' : name;
      for (const [at, phrase] of phrases.entries()) {
        const step = name === 'tens' ? 10 * at : at;
        const value = successive.has(name) ? String(Number(start) + step) : start;
        for (const text of new Set(expand(phrase.includes('=') ? phrase : fold(phrase).text))) {
          addEntry(index, entryOf(list, value, text));
        }
      }
    }
  }
  for (const entries of index.values()) entries.sort((a, b) => b.length - a.length);
  return index;
}

function addEntry(index: Map<string, Entry[]>, entry: Entry): void {
  const first = indexKey(entry.words[0] ?? '');
  const others = index.get(first);
  if (others !== undefined) others.push(entry);
  else if (first !== '') index.set(first, [entry]);
}

function entryOf(list: string, value: string, text: string): Entry {
  const words = text.match(/=?[\p{L}\p{N}]+\*?|[*$]|[^\s\p{L}\p{N}'-]/gu) ?? [];
  return { list, value, words, length: words.filter((word) => word !== '$').length };
}

/** The longest beginning by which a word with `*` is looked up. */
const STEM = 3;

function indexKey(word: string): string {
  return word.endsWith('*') ? `${word.slice(0, -1).slice(0, STEM)}*` : word;
}

/** The texts of a pattern: `(a|b)` and `[ab]` are alternatives, `?` makes what stands before it optional. */
function expand(pattern: string): readonly string[] {
  let at = 0;
  const alternatives = (): readonly string[] => {
    const all: string[] = [];
    let texts: readonly string[] = [''];
    for (; at < pattern.length && pattern.charAt(at) !== ')'; at++) {
      const sign = pattern.charAt(at);
      let pieces: readonly string[] = [sign];
      if (sign === '|') {
        all.push(...texts);
        texts = [''];
        continue;
      }
      if (sign === '(') {
        at += 1;
        pieces = alternatives();
      } else if (sign === '[') {
        const end = pattern.indexOf(']', at);
        pieces = [...pattern.slice(at + 1, end)];
        at = end;
      }
      if (pattern.charAt(at + 1) === '?') {
        at += 1;
        pieces = [...pieces, ''];
      }
      texts = texts.flatMap((text) => pieces.map((piece) => text + piece));
    }
    return [...all, ...texts];
  };
  return alternatives();
}

/** The entries that stand at a token: of each list the longest. */
function tagsAt(tokens: readonly Token[], at: number): readonly Tag[] {
  const { text = '', raw = '' } = tokens[at] ?? {};
  const index = lists();
  const keys = [text, `=${raw}`, ...[0, 1, 2, 3].map((length) => `${text.slice(0, length)}*`)];
  const tags: Tag[] = [];
  for (const entry of keys.flatMap((key) => index.get(key) ?? [])) {
    const other = tags.findIndex(({ list }) => list === entry.list);
    const longest = tags[other]?.length ?? 0;
    if (longest >= entry.length || !matches(entry, tokens, at)) continue;
    if (other === -1) tags.push(entry);
    else tags[other] = entry;
  }
  return tags;
}

function matches({ words }: Entry, tokens: readonly Token[], at: number): boolean {
  return words.every((word, offset) => {
    const token = tokens[at + offset];
    if (word === '$') return token === undefined || !isGlued(token) || token.kind !== 'word';
    if (token === undefined || (offset > 0 && !isGlued(token))) return false;
    if (word.endsWith('*')) return token.text.startsWith(word.slice(0, -1));
    return word.startsWith('=') ? token.raw === word.slice(1) : token.text === word;
  });
}

// Tokens

export interface Token {
  readonly kind: 'word' | 'number' | 'date' | 'clock' | 'telephone' | 'code' | 'handle' | 'sign';
  /** Small letters without accents, and as written. */
  readonly text: string;
  readonly raw: string;
  /** The places in the folded text. */
  readonly at: number;
  readonly end: number;
  /** The characters since the token before. */
  readonly gap: string;
  readonly sentence: number;
}

/** A text as it is checked. */
export interface Reading {
  readonly shown: string;
  readonly places: readonly number[];
  readonly tokens: readonly Token[];
  readonly tags: readonly (readonly Tag[])[];
  /** The first token after each sentence, and the characters after it. */
  readonly sentences: readonly Sentence[];
}

export interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly ending: string;
}

const hidden = /^(?:\p{Cf}|\p{Mn})$/u;

function foldCharacter(char: string): string {
  const lower = char.toLowerCase();
  if (char === '\n' || (char >= ' ' && char <= '~' && char !== '`')) return lower;
  if (/^[\u2018\u2019\u02bc\u00b4`\u2032]$/.test(char)) return "'";
  if (/^[\u2010-\u2015\u2212]$/.test(char)) return '-';
  if (/^\s$/.test(char)) return ' ';
  if (hidden.test(char)) return '';
  return plainLetters[lower] ?? lower.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, '');
}

/** Small letters without accents, plain signs and single blanks; `places` are those of the characters in `shown`. */
function fold(given: string): {
  readonly text: string;
  readonly shown: string;
  readonly places: readonly number[];
} {
  const shown = given.normalize('NFKC');
  const places: number[] = [];
  const parts: string[] = [];
  let at = 0;
  for (const char of shown) {
    const plain = foldCharacter(char);
    if (plain !== ' ' || parts.at(-1) !== ' ') {
      if (plain !== '') parts.push(plain);
      for (let unit = 0; unit < plain.length; unit++) places.push(at);
    }
    at += char.length;
  }
  return { text: parts.join(''), shown, places: [...places, at] };
}

const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['date', /\d{4}-\d{1,2}-\d{1,2}(?!\d)(?:t(?=\d))?/y],
  ['date', /\d{1,2}(?:\.\d{1,2}\.(?:\d{4}|\d{2})|\/\d{1,2}\/(?:\d{4}|\d{2}))(?![\d/])/y],
  ['date', /(?<![€$£¥] ?)(?:[0-2]?\d|3[01])\.(?:0?\d|1[0-2])\.(?![\d/])/y],
  ['clock', /\d{1,2}(?:[:.]\d{2})? ?[ap]\.?m(?![\p{L}\d])\.?/uy],
  ['clock', /\d{1,2}(?::\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?|h\d{2})(?![\p{L}\d])/uy],
  ['telephone', /(?:\+\(?\d|\(\d|\d)\d*\)?(?:(?: ?[/-] ?| )?\(\d+\)|(?: ?[/-] ?| )\d+){1,9}(?![\p{L}\d])/uy],
  ['telephone', /\+?\d{2,4}(?:\.\d{2,4}){2,5}(?![\p{L}\d.])/uy],
  ['handle', /(?<![\p{L}\p{N}.+_-])@[\p{L}\p{N}_][\p{L}\p{N}_.]+/uy],
  ['code', /[\p{L}\d]+(?:[-_/.][\p{L}\d]+){0,12}/uy],
  ['number', /\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,']\d+)*|\p{N}/uy],
  ['word', /[\p{L}\p{M}]+/uy],
  ['sign', /[%€$£¥°#]/y],
];

const grouped = /^\d{1,3}([.,' ])\d{3}(?:\1\d{3})*(?:[.,]\d{1,2})?$/;

function isTelephone(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  if (digits < 7 || digits > 20 || grouped.test(text)) return false;
  if (/^(?:\+|\(|0\d)/.test(text)) return true;
  return (
    !text.includes(' - ') && (text.match(/\d+/g) ?? []).length >= 3 && !/^\d{1,3}(?: \d{3})+ ?\D/.test(text)
  );
}

/** The parts of `30-day` and `40eur`; undefined for a code such as `a-1234`. */
function countedParts(text: string): readonly string[] | undefined {
  const parts = text.split(/[-/]/).map((part) => /^(\d+(?:[.,]\d+)*)?(\p{L}*)$/u.exec(part));
  const isPlain = parts.every((part) => part !== null && (part[2] === '' || isUnitWord(part[2] ?? '')));
  if (isPlain && parts[0]?.[1] !== undefined) return text.match(/\d+(?:[.,]\d+)*|\p{L}+/gu) ?? [];
  const amount = /^(\p{L}{3})(\d+(?:[.,]\d+)*)$/u.exec(text);
  return amount !== null && isUnitWord(amount[1] ?? '') ? amount.slice(1) : undefined;
}

const unitLists = new Set(['unit', 'months', 'short_months', 'suffix', 'uhr']);

function isUnitWord(word: string): boolean {
  return entriesOf(word).some(({ list }) => unitLists.has(list));
}

/** Reads a text: its tokens, the entries of the word lists in it, and its sentences. */
export function read(given: string): Reading {
  const { text, shown, places } = fold(given);
  const tokens: Token[] = [];
  let sentence = 0;
  const add = (kind: Token['kind'], at: number, length: number): void => {
    const before = tokens.at(-1);
    const gap = text.slice(before?.end ?? 0, at);
    const end = at + length;
    const isInitial = gap === '.' && before?.text.length === 1 && length === 1;
    if (!isInitial && before !== undefined && /[.!?;]|[^:,]\n *\n|^\n *\n/.test(gap)) sentence += 1;
    const raw = shown.slice(places[at], places[end]).toLowerCase();
    tokens.push({ kind, text: text.slice(at, end), raw, at, end, gap: isInitial ? '' : gap, sentence });
  };
  let at = 0;
  while (at < text.length) {
    const [kind, length] = tokenAt(text, at);
    const parts = kind === 'code' ? countedParts(text.slice(at, at + length)) : undefined;
    if (parts !== undefined) {
      for (let [index, from] = [0, at]; index < parts.length; index++) {
        const part = parts[index] ?? '';
        from = text.indexOf(part, from);
        add(/^\d/.test(part) ? 'number' : 'word', from, part.length);
        from += part.length;
      }
    } else if (kind !== undefined) add(kind, at, length);
    at += length;
  }
  const tags = tokens.map((_, index) => tagsAt(tokens, index));
  return { shown, places, tokens, tags, sentences: sentencesOf(tokens, text) };
}

function tokenAt(text: string, at: number): readonly [Token['kind'] | undefined, number] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    if (kind === 'telephone' && !isTelephone(found)) continue;
    if (kind === 'code' && !(/\d/.test(found) && /\p{L}/u.test(found))) continue;
    return [kind, found.length];
  }
  return [undefined, 1];
}

function sentencesOf(tokens: readonly Token[], text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (let from = 0; from < tokens.length; ) {
    let to = from;
    while (tokens[to]?.sentence === tokens[from]?.sentence) to += 1;
    const ending = tokens[to]?.gap ?? text.slice(tokens.at(-1)?.end);
    sentences.push({
      from,
      to,
      text: tokens
        .slice(from, to)
        .map((token) => token.text)
        .join(' '),
      ending,
    });
    from = to;
  }
  return sentences;
}

/** True where at most a blank, hyphen, apostrophe or line break stands before a token. */
export function isGlued({ gap }: Token): boolean {
  return /^[ \n'-]{0,3}$/.test(gap);
}

export function tagOf({ tags }: Reading, at: number, list: string): Tag | undefined {
  return tags[at]?.find((tag) => tag.list === list);
}

export function wordsOf({ shown, places, tokens }: Reading, from: number, to: number): string {
  return shown.slice(places[tokens[from]?.at ?? 0], places[tokens[to]?.end ?? 0]).slice(0, 80);
}

/** The tokens from `from` to before `to` that entries of a list stand on. */
export function coveredBy(
  reading: Reading,
  list: string,
  { from, to }: Pick<Sentence, 'from' | 'to'> = { from: 0, to: reading.tokens.length },
): ReadonlySet<number> {
  const covered = new Set<number>();
  for (let at = from; at < to; at++) {
    const { length = 0 } = tagOf(reading, at, list) ?? {};
    for (let offset = 0; offset < length; offset++) covered.add(at + offset);
  }
  return covered;
}
