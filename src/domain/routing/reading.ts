import { isBlank, isLineBreak, isUnspacedCode } from '../../lib/text/characters.ts';
import { clauseSpans, type Quotation, quotations } from '../../lib/text/clauses.ts';
import type { TextSpan } from '../../lib/text/sentences.ts';
import { stem } from '../../lib/text/stemmer.ts';
import { memoize } from '../../lib/text/words.ts';
import { type GoalWord, wordsOf } from './goal-words.ts';
import {
  announcesLines,
  introducesInstructions,
  isInstruction,
  leadingFillers,
  pointsToText,
  saysHow,
} from './instructions.ts';
import { type KeywordAgent, type KeywordMatch, keywordMatches, phrasesOf } from './keywords.ts';

/** A clause of a goal, with its material: what is to be worked on, and chooses no agent. */
export interface GoalClause extends TextSpan {
  /** The keywords outside of the material. */
  readonly matches: readonly KeywordMatch[];
  /**
   * True for a clause that asks for something or starts with a keyword, rather than being about the clauses beside it.
   */
  readonly isInstruction: boolean;
  /** True for a clause about nothing but the manner of another clause's work. */
  readonly saysHow: boolean;
  /** Its quotations, and what it announces, without quotation marks. In the order of the goal. */
  readonly material: readonly TextSpan[];
}

/** A clause before it is known what it announces. */
interface Draft extends GoalClause {
  readonly words: readonly GoalWord[];
  readonly quoted: readonly Quotation[];
}

/**
 * Reads a goal as clauses. Its material is what is quoted, and everything after an instruction that announces it:
 * after the colon of `Summarize this:`, or on the lines after `Summarize the following text`. Quoted material after a
 * colon ends with its quotation. The time is linear in the length of the goal, times the number of the agents at worst.
 */
export function readGoal(goal: string, agents: readonly KeywordAgent[]): GoalClause[] {
  const drafts = draftClauses(goal, agents);
  const clauses: GoalClause[] = [];
  for (const [index, draft] of drafts.entries()) {
    const from = announcedFrom(goal, draft, drafts[index + 1]);
    if (from === undefined) {
      clauses.push(draft);
      continue;
    }
    clauses.push(withMaterial(goal, draft, from));
    break;
  }
  return clauses;
}

function draftClauses(goal: string, agents: readonly KeywordAgent[]): Draft[] {
  const stemmer = memoize(stem);
  const phrases = phrasesOf(agents, stemmer);
  const all = quotations(goal);
  let next = 0;
  return clauseSpans(goal, all).map(({ start, end }) => {
    while ((all[next]?.end ?? end) <= start) next++;
    const quoted: Quotation[] = [];
    for (let quotation = all[next]; quotation !== undefined && quotation.start < end; quotation = all[next]) {
      quoted.push(quotation);
      if (quotation.end > end) break;
      next++;
    }
    const words = wordsOf(goal, { start, end }, quoted);
    const matches = keywordMatches(goal, words, phrases, stemmer);
    const filled = leadingFillers(words);
    return {
      start,
      end,
      words,
      quoted,
      matches,
      isInstruction:
        matches.some(({ first }) => first <= filled) || isInstruction(words, isQuestion(goal, end)),
      saysHow: saysHow(words),
      material: quoted.map(({ inner }) => inner),
    };
  });
}

function isQuestion(goal: string, end: number): boolean {
  const mark = goal.charAt(end - 1);
  return mark === '?' || mark === '？';
}

/** A clause up to the end of the goal, whose words after `from` are material. */
function withMaterial(goal: string, draft: Draft, from: number): GoalClause {
  const { words, matches, quoted } = draft;
  const end = Math.max(from, goal.trimEnd().length);
  const before = quoted.filter((quotation) => quotation.end <= from).map(({ inner }) => inner);
  return {
    start: draft.start,
    end,
    matches: matches.filter(({ last }) => (words[last]?.end ?? end) <= from),
    isInstruction: draft.isInstruction,
    saysHow: false,
    material: [...before, { start: from, end }],
  };
}

/** The start of the material that a clause announces; undefined where it announces none. */
function announcedFrom(goal: string, draft: Draft, next: Draft | undefined): number | undefined {
  return afterColon(goal, draft) ?? followingLines(goal, draft, next);
}

/** The place after the first colon of a clause that ends an instruction. */
function afterColon(goal: string, { start, end, words, matches, quoted }: Draft): number | undefined {
  const filled = leadingFillers(words);
  let asks: boolean | undefined;
  let word = 0;
  let quotation = 0;
  const match = matches.reduce((least, { last }) => Math.min(least, last), words.length);
  for (let at = start; at < end; at++) {
    const quote = quoted[quotation];
    if (quote !== undefined && at >= quote.start) {
      at = Math.max(at, quote.end - 1);
      quotation++;
      continue;
    }
    if (!isColon(goal, at)) continue;
    while ((words[word]?.end ?? end + 1) <= at) word++;
    if (word === 0) continue;
    asks ??= isInstruction(words.slice(0, word), false);
    const isHead = match < word || asks;
    if (
      !isHead ||
      introducesInstructions(words, filled, word) ||
      isDelimited(goal, at + 1, quoted[quotation])
    ) {
      continue;
    }
    return at + 1;
  }
  return undefined;
}

/** True for a colon between words, as in `Summarize: it`; not `10:30` or `https://`. */
function isColon(goal: string, at: number): boolean {
  const code = goal.charCodeAt(at);
  if (code === 0xff1a) return true;
  if (code !== 0x3a) return false;
  if (at + 1 >= goal.length) return true;
  const next = goal.charCodeAt(at + 1);
  return isBlank(next) || isUnspacedCode(next) || `"'\`“„‘«‹「『*_`.includes(goal.charAt(at + 1));
}

/** The start of the lines after a clause that announces them. */
function followingLines(goal: string, draft: Draft, next: Draft | undefined): number | undefined {
  if (next === undefined) return undefined;
  const { end, words, matches, isInstruction: asks } = draft;
  const breaks = lineBreaks(goal, end, next.start);
  if (breaks === 0 || (matches.length === 0 && !asks)) return undefined;
  const isAnnounced = announcesLines(words) || (breaks > 1 && pointsToText(words) && !next.isInstruction);
  return isAnnounced && !isDelimited(goal, end, next.quoted[0]) ? end : undefined;
}

function lineBreaks(goal: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (isLineBreak(goal.charCodeAt(at)) && goal.charAt(at - 1) !== '\r') count++;
  }
  return count;
}

const connectors = /^[\s,]*(?:and|then|also|please|but)\b/iu;

/**
 * True where the material after `from` is a quotation that ends it: after it a sentence ends, or the instruction goes
 * on. Not so in `Echo: "Hello," she said`.
 */
function isDelimited(goal: string, from: number, quotation: Quotation | undefined): boolean {
  // Quoted lines have no end mark.
  if (quotation === undefined || quotation.inner.end === quotation.end) return false;
  for (let at = from; at < quotation.start; at++) if (!isBlank(goal.charCodeAt(at))) return false;
  let at = quotation.end;
  while (at < goal.length && isBlank(goal.charCodeAt(at)) && !isLineBreak(goal.charCodeAt(at))) at++;
  if (at >= goal.length || isLineBreak(goal.charCodeAt(at))) return true;
  return '.;!?。；'.includes(goal.charAt(at)) || connectors.test(goal.slice(at, at + 16));
}
