import { codeAt, isBlank, isLineBreak, isWordCode } from './characters.ts';
import type { Quotation } from './quotations.ts';
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
