import { codeAt, isBlank, isLineBreak, isUnspacedCode, isWordCode } from './characters.ts';
import { sentenceSpans, type TextSpan } from './sentences.ts';
import { eachWord } from './words.ts';

/**
 * Splits a goal into clauses: sentences, split at line breaks, semicolons, `then` and `and then` too (decisions,
 * section 4). Between the clauses are only blanks, commas, semicolons and those words. A quotation is not split. The
 * time is linear in the length of the goal.
 */
export function clauseSpans(text: string, quoted: readonly Quotation[] = []): TextSpan[] {
  const goal = maskQuotations(text, quoted);
  const clauses: TextSpan[] = [];
  const add = (start: number, end: number): void => {
    const clause = trimmed(goal, start, end);
    if (clause.end > clause.start) clauses.push(clause);
  };
  for (const line of splitAt(goal, { start: 0, end: goal.length }, isLineBreak)) {
    for (const sentence of sentenceSpans(goal, line.start, line.end)) {
      for (const part of splitAt(goal, sentence, isSemicolon)) splitAtThen(goal, part, add);
    }
  }
  return clauses;
}

/**
 * The text with other letters inside its quotations, so that nothing in them separates clauses. The first letter and
 * the last mark stay: they tell where the sentence around a quotation ends.
 */
function maskQuotations(text: string, quoted: readonly Quotation[]): string {
  let masked = '';
  let at = 0;
  for (const { inner } of quoted) {
    const { start, end } = inner;
    if (end <= start) continue;
    const keepsFirst = isWordCode(codeAt(text, start)) && end - start > 1 && text.charCodeAt(start) < 0xd800;
    const keepsLast = end - start > 1 && sentenceEnds.has(text.charAt(end - 1));
    const from = keepsFirst ? start + 1 : start;
    const to = keepsLast ? end - 1 : end;
    masked += text.slice(at, from) + 'x'.repeat(to - from);
    at = to;
  }
  return masked + text.slice(at);
}

const sentenceEnds = new Set('.!?…。！？');

function isSemicolon(code: number): boolean {
  return code === 0x3b || code === 0xff1b;
}

function splitAt(text: string, span: TextSpan, isSeparator: (code: number) => boolean): TextSpan[] {
  const found: TextSpan[] = [];
  let { start } = span;
  for (let at = start; at < span.end; at++) {
    if (!isSeparator(text.charCodeAt(at))) continue;
    found.push({ start, end: at });
    start = at + 1;
  }
  found.push({ start, end: span.end });
  return found;
}

function splitAtThen(goal: string, part: TextSpan, add: (start: number, end: number) => void): void {
  let { start } = part;
  let and: TextSpan | undefined;
  eachWord(goal, part.start, part.end, (from, to) => {
    const word = to - from <= 4 ? goal.slice(from, to).toLowerCase() : '';
    if (word === 'then') {
      add(start, and !== undefined && onlyBlanks(goal, and.end, from) ? and.start : from);
      start = to;
    }
    and = word === 'and' ? { start: from, end: to } : undefined;
  });
  add(start, part.end);
}

function onlyBlanks(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isBlank(text.charCodeAt(at))) return false;
  return true;
}

/** A part of a text without the blanks and commas at its ends. */
function trimmed(text: string, from: number, to: number): TextSpan {
  let start = from;
  let end = to;
  while (start < end && isPadding(text.charCodeAt(start))) start++;
  while (end > start && isPadding(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

function isPadding(code: number): boolean {
  return code === 0x2c || isBlank(code);
}

// Quotations

/** A quoted part of a text, with its quotation marks. */
export interface Quotation extends TextSpan {
  /** The part between the marks. */
  readonly inner: TextSpan;
}

/** The uses of a quotation mark: to open a quotation of its kind, and close those of others. */
interface Mark {
  readonly opens?: string;
  /** The kinds that it closes, the most probable first. */
  readonly closes?: readonly string[];
  /** Opens only before a word, and closes only after one: a mark that also has other uses. */
  readonly atWords?: boolean;
}

const marks: ReadonlyMap<string, Mark> = new Map([
  ['"', { opens: '"', closes: ['"'], atWords: true }],
  ["'", { opens: "'", closes: ["'"], atWords: true }],
  ['`', { opens: '`', closes: ['`'], atWords: true }],
  ['„', { opens: '„' }],
  ['“', { opens: '“', closes: ['„'] }],
  ['”', { closes: ['“', '„'] }],
  ['‚', { opens: '‚', atWords: true }],
  ['‘', { opens: '‘', closes: ['‚'] }],
  ['’', { closes: ['‘', '‚'], atWords: true }],
  ['«', { opens: '«', closes: ['»'] }],
  ['»', { opens: '»', closes: ['«'] }],
  ['‹', { opens: '‹', closes: ['›'] }],
  ['›', { opens: '›', closes: ['‹'] }],
  ['「', { opens: '「' }],
  ['」', { closes: ['「'] }],
  ['『', { opens: '『' }],
  ['』', { closes: ['『'] }],
]);

const FENCE = '```';

/** Words that begin with an apostrophe, which is no quotation mark. */
const elided = /^'(?:til|tis|twas|em|cause|n|round|\d0s)\b/iu;

/**
 * The quoted parts of a text: in quotation marks of any kind, between fences of three backticks, and the lines that
 * start with `>`. Only the outermost count. An apostrophe is no quotation mark. A mark without its counterpart quotes
 * nothing, except an open fence, which quotes the rest. The time is linear in the length of the text.
 */
export function quotations(text: string): Quotation[] {
  const found: Quotation[] = [];
  const open = new Map<string, number[]>();
  let fence = -1;
  for (let at = 0; at < text.length; at++) {
    if (isPlain(text.charCodeAt(at))) continue;
    if (text.startsWith(FENCE, at)) {
      if (fence >= 0) found.push(quotation(fence, at + FENCE.length, FENCE.length));
      fence = fence < 0 ? at : -1;
      at += FENCE.length - 1;
    } else if (fence < 0) {
      // A single quotation mark that has no counterpart in its paragraph is an apostrophe.
      if (endsParagraph(text, at)) open.delete("'");
      const start = visitMark(text, at, open);
      if (start !== undefined) found.push(quotation(start, at + 1, 1));
      else if (startsQuotedLine(text, at)) found.push(quotedLine(text, at));
    }
  }
  if (fence >= 0) found.push({ start: fence, end: text.length, inner: afterFence(text, fence) });
  return outermost(found);
}

/** True for blanks, and for ASCII letters: most characters, which are no marks. */
function isPlain(code: number): boolean {
  return code === 0x20 || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Opens or closes a quotation at a character. Returns the start of the one that is closed. */
function visitMark(text: string, at: number, open: Map<string, number[]>): number | undefined {
  const mark = marks.get(text.charAt(at));
  if (mark === undefined) return undefined;
  const atWords = mark.atWords === true;
  if (!atWords || !isWordAt(text, at + 1)) {
    const kind = mark.closes?.find((closed) => (open.get(closed)?.length ?? 0) > 0);
    if (kind !== undefined) return open.get(kind)?.pop();
  }
  if (mark.opens === undefined || (atWords && !isOpening(text, at))) return undefined;
  const starts = open.get(mark.opens);
  if (starts === undefined) open.set(mark.opens, [at]);
  else starts.push(at);
  return undefined;
}

/** True for a mark that is not after a word, and is before something. */
function isOpening(text: string, at: number): boolean {
  if (at > 0 && isWordBefore(text, at)) return false;
  if (at + 1 >= text.length || isBlank(text.charCodeAt(at + 1))) return false;
  return text.charAt(at) !== "'" || !elided.test(text.slice(at, at + 8));
}

/** True where a word is or goes on. Scripts without blanks put quotation marks directly beside their letters. */
function isWordAt(text: string, at: number): boolean {
  if (at >= text.length) return false;
  const code = codeAt(text, at);
  return isWordCode(code) && !isUnspacedCode(code);
}

function isWordBefore(text: string, at: number): boolean {
  const low = text.charCodeAt(at - 1);
  return isWordAt(text, low >= 0xdc00 && low < 0xe000 && at > 1 ? at - 2 : at - 1);
}

function endsParagraph(text: string, at: number): boolean {
  return text.charAt(at) === '\n' && (text.charAt(at + 1) === '\n' || text.startsWith('\r\n', at + 1));
}

function startsQuotedLine(text: string, at: number): boolean {
  return text.charAt(at) === '>' && (at === 0 || isLineBreak(text.charCodeAt(at - 1)));
}

function quotedLine(text: string, start: number): Quotation {
  let end = start;
  while (end < text.length && !isLineBreak(text.charCodeAt(end))) end++;
  return { start, end, inner: { start: start + 1, end } };
}

function afterFence(text: string, start: number): TextSpan {
  return { start: Math.min(start + FENCE.length, text.length), end: text.length };
}

function quotation(start: number, end: number, width: number): Quotation {
  return { start, end, inner: { start: start + width, end: end - width } };
}

/** Without the quotations inside others, in the order of the text. Those that overlap become one. */
function outermost(found: Quotation[]): Quotation[] {
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  const outer: Quotation[] = [];
  for (const next of found) {
    const last = outer.at(-1);
    if (last === undefined || next.start >= last.end) outer.push(next);
    else if (next.end > last.end) {
      outer[outer.length - 1] = {
        ...last,
        end: next.end,
        inner: { start: last.inner.start, end: next.inner.end },
      };
    }
  }
  return outer;
}
