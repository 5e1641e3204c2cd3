import type { SetApart } from '../../domain/message/prepared.ts';
import { attributionAt } from './attribution.ts';
import { isDeviceLine, isLegalFooter, legalStartOf, mayHaveFooter } from './footers.ts';
import { headerBlockAt, isRule, markerOf } from './headers.ts';
import { isSignatureRule, signatureStart } from './signature.ts';

type Kind = SetApart['kind'] | 'text';

/** Lines of one kind that stand together. */
interface Part {
  readonly kind: Kind;
  readonly lines: string[];
}

/** A message's newest text, and what was set apart from it. */
export interface SplitText {
  readonly text: string;
  readonly setApart: readonly SetApart[];
}

/** Splits a plain text into its newest text, and quotes, forwarded mails, signatures and footers. */
export function splitText(text: string): SplitText {
  if (!text.includes('\n') && !isDeviceLine(text)) return { text: text.trim(), setApart: [] };
  const lines = unquoteAll(text.split('\n'));
  const parts = partsOf(lines).flatMap((part) => (part.kind === 'text' ? splitTextPart(part.lines) : [part]));
  const newest = parts.flatMap(({ kind, lines: own }) => (kind === 'text' ? [tidy(own)] : []));
  const setApart = parts.flatMap(({ kind, lines: own }) => {
    const content = tidy(own);
    return kind === 'text' || content === '' ? [] : [{ kind, text: content }];
  });
  return { text: newest.filter((piece) => piece !== '').join('\n'), setApart };
}

/** A message in which every line begins with `>` is a pasted text. */
function unquoteAll(lines: readonly string[]): readonly string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const first = filled[0]?.trimStart() ?? '';
  if (filled.length < 2 || !first.startsWith('> ') || !filled.every(isQuoted)) return lines;
  return lines.map((line) => line.trimStart().replace(/^> ?/, ''));
}

/** Lines without blank lines at both ends, and with at most one blank line between others. */
function tidy(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    if (line.trim() !== '') kept.push(line.trimEnd());
    else if (kept.length > 0 && kept.at(-1) !== '') kept.push('');
  }
  return kept.join('\n').trim();
}

function partsOf(lines: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  const lastQuoted = lines.findLastIndex(isQuoted);
  let hasText = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const found = line.trim() === '' ? undefined : historyAt(lines, at, lastQuoted);
    if (found === undefined) {
      const last = parts.at(-1);
      add(parts, line.trim() === '' && last !== undefined ? last.kind : 'text', [line]);
      hasText ||= line.trim() !== '' && !isDeviceLine(line);
      at++;
      continue;
    }
    // A forwarded mail with nothing above is the newest text that there is: only its header is set apart.
    const hasNothingAbove = !hasText && found.isHeader;
    const kind = hasNothingAbove ? 'forward' : found.kind;
    const end = found.toEnd && !hasNothingAbove ? lines.length : at + found.length;
    add(parts, kind, lines.slice(at, end));
    at = end;
  }
  return parts;
}

function add(parts: Part[], kind: Kind, lines: readonly string[]): void {
  const last = parts.at(-1);
  if (last?.kind !== kind) parts.push({ kind, lines: [...lines] });
  else for (const line of lines) last.lines.push(line);
}

/** The beginning of an older mail. */
interface History {
  readonly kind: 'quote' | 'forward';
  /** How many lines belong to it for certain. */
  readonly length: number;
  /** Whether everything below belongs to it. */
  readonly toEnd: boolean;
  /** Whether these lines are the header of a mail, and not yet its text. */
  readonly isHeader: boolean;
}

function historyAt(lines: readonly string[], at: number, lastQuoted: number): History | undefined {
  const line = lines[at] ?? '';
  if (isQuoted(line))
    return isLonely(lines, at) ? undefined : { kind: 'quote', length: 1, toEnd: false, isHeader: false };
  const attribution = attributionAt(lines, at);
  if (attribution !== undefined) {
    return { kind: 'quote', length: attribution.length, toEnd: lastQuoted < at, isHeader: false };
  }
  const marker = markerOf(line);
  const first = marker === undefined && !isRule(line) ? at : nextFilled(lines, at + 1);
  const header = headerBlockAt(lines, first);
  if (marker === undefined && header === undefined) return undefined;
  const length = header === undefined ? 1 : first + header.length - at;
  return { kind: marker ?? 'quote', length, toEnd: true, isHeader: true };
}

/** The next line that is not blank, at most three lines below. */
function nextFilled(lines: readonly string[], start: number): number {
  let at = start;
  while (at < start + 3 && lines[at]?.trim() === '') at++;
  return at;
}

/** True for `> text` and `>text`, not for `>:(`, `>= 5` or `>5 kg`. */
function isQuoted(line: string): boolean {
  const start = line.search(/\S/);
  if (start < 0 || start > 8 || line.charAt(start) !== '>') return false;
  const next = line.charAt(start + 1);
  return (
    next === '' || next === ' ' || next === '>' || next === '\u00a0' || next === '\t' || /\p{L}/u.test(next)
  );
}

/** True for a single line with `> ` and a number, such as `> 5 kg`, or with signs only. */
function isLonely(lines: readonly string[], at: number): boolean {
  if (!/^\s{0,8}>(?: ?[\d£$€]|[> ]*$)/.test(lines[at] ?? '')) return false;
  return !isQuoted(lines[at - 1] ?? '') && !isQuoted(lines[at + 1] ?? '');
}

/** Splits lines of the newest text into text, signatures and footers. */
function splitTextPart(lines: readonly string[]): readonly Part[] {
  const kinds: Kind[] = lines.map((line) => (isDeviceLine(line) ? 'footer' : 'text'));
  if (mayHaveFooter(lines.join('\n'))) markLegalFooters(lines, kinds);
  markSignature(lines, kinds);
  const parts: Part[] = [];
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1);
    add(parts, line.trim() === '' && last !== undefined ? last.kind : (kinds[at] ?? 'text'), [line]);
  }
  return parts;
}

function markLegalFooters(lines: readonly string[], kinds: Kind[]): void {
  for (let start = 0; start < lines.length; ) {
    let end = start;
    while (end < lines.length && lines[end]?.trim() !== '') end++;
    const paragraph = lines.slice(start, end);
    const from = start + legalStartOf(paragraph);
    if (from < end && isLegalFooter(lines.slice(from, end).join(' '))) kinds.fill('footer', from, end);
    start = end + 1;
  }
}

/** How many lines may follow a bare `--`, which people also type as a dash. */
const MAX_BELOW_DASHES = 10;

function markSignature(lines: readonly string[], kinds: Kind[]): void {
  const rule = lines.findIndex(isSignatureRule);
  const below = lines.slice(rule + 1).filter((line) => line.trim() !== '');
  const isAtTop = rule < 0 || lines.slice(0, rule).every((line) => line.trim() === '');
  if (
    !isAtTop &&
    (lines[rule] !== '--' || (below.length <= MAX_BELOW_DASHES && !below.some((l) => l.includes('?'))))
  ) {
    for (let at = rule; at < lines.length; at++) if (kinds[at] === 'text') kinds[at] = 'signature';
    return;
  }
  const end = kinds.lastIndexOf('text') + 1;
  const firstFooter = kinds.indexOf('footer');
  const textEnd = firstFooter < 0 ? end : Math.min(end, firstFooter);
  const start = signatureStart(lines.slice(0, textEnd));
  if (start < textEnd) kinds.fill('signature', start, textEnd);
}
