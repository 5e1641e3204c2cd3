import { codeAt, isBlank, isLineBreak, isWordCode, widthOf } from './characters.ts';

/** A part of a text: from `start` to `end`, exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Maximum number of characters of a word that the rules read. */
const MAX_WORD = 16;

const closers = new Set(`"'”’»)]}」』）】`);
const openers = new Set(`"'“‘„«([{¿¡「『（【`);
const wideEnds = new Set('。！？｡．۔।॥؟');
const bullets = new Set('-–—*+•‣◦·▪●');

/**
 * Splits a text into sentences, without the blanks between them. A sentence ends with punctuation (`.`, `!`, `?`, `…`,
 * `。` and similar) and closing quotes and brackets, with an empty line, or with a line that is a separate item.
 * Abbreviations, initials, decimals and numbered items do not end a sentence. A part without words belongs to the
 * sentence before it, or at the start of a line to the one after it. The time is linear in the length of the text.
 */
export function sentenceSpans(text: string, start: number = 0, end: number = text.length): TextSpan[] {
  const spans: TextSpan[] = [];
  let from = skipBlanks(text, start, end);
  let line = from;
  let at = from;
  let wordless = true;
  const close = (upTo: number): void => {
    const last = wordless ? spans.pop() : undefined;
    if (upTo > from) spans.push({ start: last?.start ?? from, end: upTo });
    else if (last !== undefined) spans.push(last);
  };
  while (at < end) {
    const token = at;
    while (at < end && !isBlank(text.charCodeAt(at))) {
      const code = codeAt(text, at);
      if (wordless) wordless = !isWordCode(code);
      at += widthOf(code);
      if (wordless || code < 0x80 || !wideEnds.has(text.charAt(at - 1))) continue;
      at = skipEndMarks(text, at, end);
      close(at);
      from = at;
      wordless = true;
    }
    const next = skipBlanks(text, at, end);
    const breaks = next < end ? countBreaks(text, at, next) : 0;
    if (next < end && !wordless && isSentenceEnd(text, { token, line, at, next, end, breaks })) {
      close(at);
      from = next;
      wordless = true;
    } else if (wordless && from !== line && spans.length > 0) {
      close(at);
      from = next;
    }
    if (breaks > 0) line = next;
    if (next >= end) {
      close(at);
      return spans;
    }
    at = next;
  }
  return spans;
}

/** The white space between two words, where a sentence may end. */
interface Gap {
  /** The start of the word before the gap, and of its line. */
  readonly token: number;
  readonly line: number;
  /** The start of the gap, and of the word after it. */
  readonly at: number;
  readonly next: number;
  readonly end: number;
  /** The number of line breaks in the gap. */
  readonly breaks: number;
}

function isSentenceEnd(text: string, gap: Gap): boolean {
  // The common case between two words of a sentence.
  if (gap.breaks === 0 && isWordCode(text.charCodeAt(gap.at - 1))) return false;
  if (gap.breaks > 1) return true;
  if (gap.breaks === 1 && isListItem(text, gap.next, gap.end)) return true;
  let tail = gap.at;
  while (tail > gap.token && closers.has(text.charAt(tail - 1))) tail--;
  const mark = tail > gap.token ? text.charAt(tail - 1) : '';
  const next = following(text, gap.next, gap.end);
  const quoted = tail < gap.at;
  if (mark === '!' || mark === '?') return !(quoted && next.kind === 'lower');
  if (mark === '…' || (mark === '.' && text.charAt(tail - 2) === '.')) return next.kind !== 'lower';
  const word = wordBefore(text, gap.token, mark === '.' ? tail - 1 : tail);
  if (mark === '.') {
    if (quoted && next.kind === 'lower') return false;
    if (gap.token === gap.line && isNumber(word)) return false;
    return isSentencePeriod(word, next);
  }
  return gap.breaks > 0 && mark !== ',' && !continuesOnNextLine(word, gap.at - gap.line, next);
}

/** The last characters of the word before `end`, without opening quotes and brackets. */
function wordBefore(text: string, token: number, end: number): string {
  let start = Math.max(token, end - MAX_WORD);
  while (start < end && openers.has(text.charAt(start))) start++;
  return text.slice(start, Math.max(start, end));
}

function following(text: string, from: number, end: number): Following {
  let start = from;
  const limit = Math.min(end, from + MAX_WORD);
  while (start < limit && openers.has(text.charAt(start))) start++;
  let at = start;
  while (at < end && at < start + MAX_WORD && isWordCode(codeAt(text, at))) at++;
  const word = text.slice(start, at);
  return { kind: kindOf(word.charAt(0)), word: word.toLowerCase() };
}

function kindOf(character: string): Following['kind'] {
  if (character >= '0' && character <= '9') return 'digit';
  const lower = character.toLowerCase();
  if (lower === character.toUpperCase()) return 'other';
  return character === lower ? 'lower' : 'upper';
}

/** True where a line starts with a list marker: `-`, `3.`, `(b)`. */
function isListItem(text: string, from: number, end: number): boolean {
  let at = from;
  while (at < end && at - from < 6 && !isBlank(text.charCodeAt(at))) at++;
  const token = text.slice(from, at);
  if (token.length === 1) return bullets.has(token);
  const last = token.charAt(token.length - 1);
  const inner = token.slice(token.startsWith('(') ? 1 : 0, -1);
  if (last === '.') return isNumber(inner);
  return last === ')' && (isNumber(inner) || (inner.length === 1 && isWordCode(inner.charCodeAt(0))));
}

function isNumber(word: string): boolean {
  if (word.length === 0 || word.length > 3) return false;
  for (const character of word) if (character < '0' || character > '9') return false;
  return true;
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function skipEndMarks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (wideEnds.has(text.charAt(at)) || closers.has(text.charAt(at)))) at++;
  return at;
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (!isLineBreak(code)) continue;
    if (code === 0x2029) count++;
    if (code !== 0x0a || at === from || text.charCodeAt(at - 1) !== 0x0d) count++;
  }
  return count;
}

// Abbreviations and line breaks

/** Abbreviations before a name or an example, which never end a sentence. */
const leading = new Set(
  [
    'dr mr mrs ms mx prof rev hon gen col lt sgt capt cmdr gov sen rep pres messrs mme mlle',
    'e.g eg i.e ie vs v cf ca approx viz resp',
  ]
    .join(' ')
    .split(' '),
);

/** Abbreviations before a number. */
const beforeNumber = new Set('no nos nr p pp fig figs vol vols ch chap sec sect art eq ed ver'.split(' '));

/** Abbreviations that end a sentence before a capital letter. */
const beforeCapital = new Set(
  'etc est min max hr hrs sec jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun'.split(
    ' ',
  ),
);

/** Abbreviations within names, as in `Acme Inc. Europe`. */
const withinNames = new Set(
  'inc ltd co corp bros dept univ assn st ave blvd rd mt jr sr al ph.d b.a m.a b.sc m.sc'.split(' '),
);

/** Words that start a sentence much more often than they continue a name. */
const sentenceStarters = new Set(
  [
    'the this that these those there then they their he his she her it its we our you your i my if in on at as',
    'an after all although and any because before both but by during each even every finally first for from',
    'however how just let many meanwhile more most next no nobody not now of one only or other perhaps please',
    'since so some still such thank thanks though thus to today two until what when where which while who why',
    'with yet yesterday',
  ]
    .join(' ')
    .split(' '),
);

/** Words that never end a sentence: a line break after them is inside one. */
const unfinished = new Set(
  [
    'a an the of in on at to for from by with without and or but nor as than that which who whose when where while',
    'is are was were be been being has have had do does did will would can could shall should may might must',
    'this these those his her its their our your my into onto over under between about because if not very so',
  ]
    .join(' ')
    .split(' '),
);

/** The word after a period or line break. */
interface Following {
  readonly kind: 'lower' | 'upper' | 'digit' | 'other';
  /** The word in lower case, without opening quotes and brackets. */
  readonly word: string;
}

/** True when the period after `word` ends a sentence. */
function isSentencePeriod(word: string, next: Following): boolean {
  const lower = word.toLowerCase();
  if (leading.has(lower)) return false;
  if (beforeNumber.has(lower) && next.kind === 'digit') return false;
  if (beforeCapital.has(lower)) return next.kind === 'upper';
  if (isInitials(word) || withinNames.has(lower))
    return next.kind === 'upper' && sentenceStarters.has(next.word);
  return true;
}

/** Lines of this length, in characters, are probably wrapped text; others are separate items. */
const WRAPPED_FROM = 45;
const WRAPPED_TO = 100;

/** True when the sentence of a line that ends with `word`, without punctuation, continues on the next line. */
function continuesOnNextLine(word: string, length: number, next: Following): boolean {
  if (unfinished.has(word.toLowerCase())) return true;
  if (next.kind === 'lower') return length >= WRAPPED_FROM;
  return next.kind === 'upper' && length >= WRAPPED_FROM && length <= WRAPPED_TO;
}

/** True for single letters except `I`, and for letters separated by periods: `J`, `U.S`, `p.m`. */
function isInitials(word: string): boolean {
  if (word === 'I' || word.length % 2 === 0) return false;
  for (let index = 0; index < word.length; index++) {
    const character = word.charAt(index);
    if (index % 2 === 1 ? character !== '.' : character.toLowerCase() === character.toUpperCase())
      return false;
  }
  return true;
}
