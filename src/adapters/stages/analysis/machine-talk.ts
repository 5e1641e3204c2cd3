import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import { isPunctuation, tokenize } from '../../../lib/text/tokenize.ts';
import {
  createWordMatcher,
  indexByFirstWord,
  type PatternText,
  parseWordPattern,
  type WordPattern,
} from '../../../lib/text/word-patterns.ts';
import { readLexicons } from '../../shared/reading/model-files.ts';

/**
 * A way in which a text speaks to the machine that reads it: instructions to an assistant; imitated roles and markers
 * of prompts; members of replies of models and other code; text that is encoded or hidden.
 */
export type MachineTalk = 'instructions' | 'role' | 'member' | 'encoded';

/**
 * The first way in which the subject, the text or a set-apart part of a message speaks to the machine that reads it,
 * and not to the company; undefined where none does. All shipped languages are read, whatever that of the message is.
 * The time is linear in the length of the message.
 */
export function machineTalkIn({
  prepared,
  subject,
}: Pick<PreparedMessage, 'prepared' | 'subject'>): MachineTalk | undefined {
  for (const text of [prepared.text, subject ?? '', ...prepared.setApart.map((part) => part.text)]) {
    const found = text === '' ? undefined : talkIn(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

function talkIn(text: string): MachineTalk | undefined {
  if (hasHiddenLetters(text)) return 'encoded';
  const plain = plainText(text);
  if (roles.some((role) => role.test(plain)) || imitatesSystem(plain)) return 'role';
  if (members.some((member) => member.test(plain))) return 'member';
  if (isEncoded(plain)) return 'encoded';
  return givesInstructions(withLetters(plain)) ? 'instructions' : undefined;
}

// Hidden letters, and texts as they read without them.

/** Characters without a glyph that stand in ordinary texts between words, but hardly within them. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u034f|[\ufe00-\ufe0f]/g;

/** An invisible character between two Latin letters; a soft hyphen is ordinary there. */
const splitLetter = /[a-z][\u034f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff](?=[a-z])/gi;

/** A run of tags, which repeat ASCII without a glyph. A flag has up to six. */
const tags = /[\u{e0020}-\u{e007e}]{8}/u;

/** More of them are no accident of copying. */
const MAX_SPLIT_LETTERS = 4;

function hasHiddenLetters(text: string): boolean {
  if (isAscii(text)) return false;
  return tags.test(text) || (text.match(splitLetter)?.length ?? 0) > MAX_SPLIT_LETTERS;
}

function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

/** Letters of other scripts that look like Latin ones, by those. */
const lookalikes: ReadonlyMap<string, string> = letterMap(
  'аеорсухіѕјкмтнвԁһԛԝАВЕКМНОРСТУХІЅЈαεορινυκτχΑΕΙΟ',
  'aeopcyxisjkmthbdhqwABEKMHOPCTYXISJaeopivuktxAEIO',
);

/** Digits and signs that stand for letters. */
const leet = letterMap('013457@$', 'oieastas');

/** The letters of one text by those at the same place of another. */
function letterMap(from: string, to: string): ReadonlyMap<string, string> {
  return new Map(Array.from(from, (letter, at) => [letter, to.charAt(at)]));
}

/** A text without invisible characters, escapes, and letters that only look like Latin ones. */
function plainText(text: string): string {
  let plain = text;
  if (!isAscii(plain)) {
    plain = plain.normalize('NFKC').replaceAll(invisible, '');
    plain = plain.replaceAll(/[\p{L}\p{M}]+/gu, (word) =>
      /[a-z]/i.test(word) && /[\u0370-\u052f]/.test(word)
        ? Array.from(word, (letter) => lookalikes.get(letter) ?? letter).join('')
        : word,
    );
  }
  if (/%[2-7][0-9a-f]|&#|\\u00/i.test(plain)) {
    plain = plain
      .replaceAll(/%([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|&#x([2-7][0-9a-f]);/gi, (_, one, other, third) =>
        String.fromCharCode(Number.parseInt(one ?? other ?? third, 16)),
      )
      .replaceAll(/&#(\d{2,3});/g, (_, code) => String.fromCharCode(Number(code)));
  }
  return plain;
}

/** A text with letters for the digits and signs that stand for them within words of letters. */
function withLetters(text: string): string {
  if (!/[a-z][013457@$]{1,2}[a-z]/i.test(text)) return text;
  return text.replaceAll(/[a-z0-9@$]+/gi, (word) =>
    /[a-z][013457@$]{1,2}[a-z]/i.test(word) && (word.match(/[a-z]/gi)?.length ?? 0) * 2 > word.length
      ? word.replaceAll(/[013457@$]/g, (sign) => leet.get(sign) ?? sign)
      : word,
  );
}

// Roles and markers, members and code. All repetitions are bounded.

const roles: readonly RegExp[] = [
  /^[^\S\n]{0,9}(?:search|tool|function|retrieval|knowledge base)[ _](?:results?|outputs?|responses?|calls?)[^\S\n]{0,3}:/im,
  /^[^\S\n]{0,9}(?:>[^\S\n]?){0,9}[#*_"'-]{0,4}[^\S\n]{0,3}(?:assistant|chatbot|ai|llm|developer|system prompt|system message)[*_"']{0,3}\s{0,2}:/im,
  /<\|[a-z_]{2,30}\|>|\[\/?(?:INST|SYS|SYSTEM|ASSISTANT)\]|<<\/?SYS>>|\[\[(?:system|new|admin)[^\]\n]{0,40}\]\]/i,
  /<\/?(?:system[\w-]{0,20}|assistant|instructions?|prompt|tool_\w{1,20}|tool|function_\w{1,20}|context|trusted|admin|developer)(?:\s[^>\n]{0,200})?>/i,
  /<\/(?:user|data|message|human|input|customer|query|document|email|ticket)>/i,
  /[=*#_-]{3,9}[^\S\n]?(?:SYSTEM|ADMIN|ASSISTANT|INSTRUCTIONS?)[^\S\n]?[=*#_-]{3}/,
  /[[(](?:system|admin|assistant|ai|developer)(?: (?:note|message|override|prompt|notice|instructions?))?(?:\]\(|\s?:|\]\s?[a-z])/i,
  /#{2,6}[^\S\n]{0,3}(?:instructions?|(?:new )?system|assistant|response|input|user|human|prompt|new task)\b/i,
  /\b(?:BEGIN|END|START|STOP)(?: OF)?(?: (?:THE|TRUSTED|CUSTOMER|SYSTEM|USER|UNTRUSTED|NEW))?[ _](?:DATA|INSTRUCTIONS?|PROMPT|CONTEXT|INPUT|RULES|CONVERSATION|MAINTENANCE|TASK|SYSTEM)\b/,
  /\b(?:begin(?:ning)?|end|start)(?: of)?(?: the)? (?:trusted|customer|user|untrusted|system)(?: |'s )(?:text|data|message|input|prompt|instructions?|part)\b/i,
  /["'](?:role)["']\s{0,5}:\s{0,5}["'](?:system|assistant|user|developer|tool)/i,
  /\brole\s{0,3}[=:]\s{0,3}["']?(?:system|root|admin|assistant|developer|operator)\b/i,
  /\b(?:user|allow|mode|access|permissions?)\s{0,3}=\s{0,3}["']?(?:root|\*|god|admin|all|unrestricted|full)/i,
  /\b(?:CUSTOMER|USER|TRUSTED) (?:MESSAGE|INPUT|TEXT|DATA) (?:ENDS?|BEGINS?|STARTS?)\b/,
  /<!--\s{0,9}(?:assistant|system|ai|instructions?|note to)\b|#!\/?(?:bin|usr)\b|\{\{[^}\n(]{0,60}\(/i,
];

/** Lines that begin with `system:` and go on with a sentence, not with the system that somebody uses. */
function imitatesSystem(text: string): boolean {
  for (const [, rest = ''] of text.matchAll(
    /^[^\S\n>#*"'-]{0,9}[>#*"' -]{0,9}system[*"']{0,3}[^\S\n]{0,2}:([^\n]{0,200})/gim,
  )) {
    if (
      /\b(?:win(?:dows)?|mac|macos|os ?x|linux|ubuntu|debian|ios|ipad\w{0,3}|iphone|android|chrome\w{0,2}|version|v\d)/i.test(
        rest,
      )
    )
      continue;
    if (
      rest.trim() === ''
        ? /^\s{0,9}system\s{0,2}:\s{0,9}\n\s{0,9}\S/im.test(text)
        : rest.trim().split(/\s+/).length >= 4
    )
      return true;
  }
  return false;
}

const memberNames =
  'intent|other_intents|concerns|sure|left_open|fits|unsupported|unanswered|person|escalated?|reasons|confidence|disposition|reply|tool|tools|tool_calls?|tool_name|tool_input|function_call|arguments|agent_name|subtasks|approved?|verdict|priority_override|is_admin|used|entities|missing';

const members: readonly RegExp[] = [
  new RegExp(`["'\`](?:${memberNames})["'\`]\\s{0,5}:`, 'i'),
  /\b(?:other_intents|tool_calls|left_open|agent_name|tool_name|function_call|needs_person)\b/i,
  /\b(?:escalated?|escalation|is_admin|needs_human|human_needed)\s{0,3}(?:=|:|==|:=)\s{0,3}["']?(?:true|false|no|yes|none|null|off|0|1)\b/i,
  /\b(?:intent|confidence|concerns|disposition|verdict|approve[ds]?|override\s\w{1,20}|discount)\s{0,3}=\s{0,3}["'\w[{]/i,
  /\b(?:intent|concerns|confidence)\s{0,3}:\s{0,3}(?:\[|none\b|null\b|[01](?:\.\d{1,3})?(?:\s|$)|feedback\b)/i,
  /\b(?:fits|sure|needed|unsupported|unanswered|concerns|reasons)\s{0,3}[:=]\s{0,3}(?:true|false|\[|none\b|null|certain)/i,
  /\b__[a-z]{2,20}__\b|\bprocess\.env\b|(?:^|[\s"'`/])\.env\b|\/etc\/(?:passwd|shadow|secrets)|\.\.\/\.\.\//i,
  /\bHTTP\/[12](?:\.\d)?\s\d{3}\b|<script\b|javascript:|\bassert\s[\w.]{1,60}\s{0,3}==/i,
  /\bdrop\stable\b|\bselect\s\*\sfrom\b|\bor\s1\s{0,2}=\s{0,2}1\b/i,
  /\[\d{4}-\d\d-\d\d[^\]\n]{0,20}\]\s{0,3}(?:INFO|WARN|ERROR|DEBUG|NOTICE)\b/,
];

// Encoded text.

/** The least length of a run that is encoded, whatever it holds. */
const LONG_RUN = 80;

/** The least length of a run that is decoded to see if it holds text. */
const SHORT_RUN = 16;

/** Words of instructions as they read backwards. */
const backwards =
  /\b(?:snoitcurtsni|erongi|tpmorp|metsys|etalacse|dragersid|tegrof|tnatsissa|suoiverp|laever)\b/i;

/** Letters with nothing but a blank or a mark between them, so many that nobody spells a word. */
const spelled = /(?:\b[a-z][\s.,\-_*|/]{1,6}){20}/i;

const codes =
  /(?:\b[01]{7,8}[\s,]{1,2}){5}|(?:\b(?:0x|\\x)?[0-9a-f]{2}[\s,:]{1,2}){24}|(?:\\x[0-9a-f]{2}){10}|(?:[.-]{1,5}[ /]{1,3}){20}/i;

function isEncoded(text: string): boolean {
  if (backwards.test(text) || spelled.test(text)) return true;
  if (text.length > SHORT_RUN * 3 && codes.test(text)) return true;
  let wrapped = 0;
  for (const [word] of text.matchAll(/\S+/g)) {
    if (word.length < SHORT_RUN) {
      wrapped = 0;
      continue;
    }
    for (const [run] of word.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)) if (holdsText(run)) return true;
    const isLink = word.includes('://') || word.startsWith('www.');
    // Encoded mail has lines of 60 to 76 characters.
    wrapped = !isLink && word.length >= 40 && isMixedRun(word) ? wrapped + word.length : 0;
    if (wrapped >= LONG_RUN) return true;
    if (!isLink && longRuns(word).some(isMixedRun)) return true;
  }
  return false;
}

function longRuns(word: string): readonly string[] {
  return word.length < LONG_RUN ? [] : (word.match(/[A-Za-z0-9+/_-]{80,}={0,2}/g) ?? []);
}

/** True for letters of both cases with digits, as base64 has them, and for hexadecimal digits. */
function isMixedRun(run: string): boolean {
  if (!/^[A-Za-z0-9+/_=-]+$/.test(run)) return false;
  return (/[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)) || /^[0-9a-f]+$/i.test(run);
}

/** True for a run that is text in base64 or in hexadecimal digits. */
function holdsText(run: string): boolean {
  const isHex = run.length % 2 === 0 && /^[0-9a-f]+$/i.test(run);
  const bytes = Buffer.from(run.slice(0, 400), isHex ? 'hex' : 'base64');
  let printable = 0;
  let letters = 0;
  for (const byte of bytes) {
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a) printable++;
    if ((byte >= 0x61 && byte <= 0x7a) || byte === 0x20) letters++;
  }
  return bytes.length >= 10 && printable === bytes.length && letters * 10 >= bytes.length * 7;
}

// Instructions in words.

/** Words that the patterns of a language share. */
interface Language {
  /** Words that no gap spans: instructions that belong to the customer are none to the machine. */
  readonly own: ReadonlySet<string>;
  /** Words that may stand before a clause. */
  readonly lead: ReadonlySet<string>;
}

type Instruction = WordPattern & { readonly language: Language };

let instructions: ReadonlyMap<string, readonly Instruction[]> | undefined;

/** The word that stands before a name with an underscore. */
const NAME = 'xnamewithunderscore';

function loadInstructions(): ReadonlyMap<string, readonly Instruction[]> {
  const patterns = [...readLexicons('machine-talk/').values()].flatMap((lexicon) => {
    const sets = new Map([...lexicon].filter(([name]) => name.startsWith('@')));
    const tokensOf = (name: string) => new Set((sets.get(name) ?? []).flatMap((word) => tokenize(word)));
    const language: Language = { own: tokensOf('@own'), lead: tokensOf('@lead') };
    sets.set('@name', [NAME]);
    return [...lexicon]
      .filter(([name]) => !name.startsWith('@'))
      .flatMap(([, texts]) => texts.map((text) => ({ ...parseWordPattern(text, sets), language })));
  });
  return indexByFirstWord(patterns);
}

/** The length of a piece of text that is read at once, which the tokenizer reads to the end. */
const PIECE = 7_000;

/** The characters that two pieces share, so that nothing is missed between them. */
const OVERLAP = 300;

function givesInstructions(text: string): boolean {
  for (let at = 0; at < text.length; at += PIECE - OVERLAP) {
    if (pieceGivesInstructions(text.slice(at, at + PIECE))) return true;
    if (at + PIECE >= text.length) break;
  }
  return false;
}

function pieceGivesInstructions(piece: string): boolean {
  instructions ??= loadInstructions();
  const named = piece.includes('_')
    ? piece.replaceAll(/\b[a-z]{2,20}(?:_[a-z]{2,20}){1,4}\b/gi, (name) => `${NAME} ${name}`)
    : piece;
  const words: string[] = [];
  // 1 where a clause begins, 2 where a sentence does.
  const starts: number[] = [2];
  for (const token of tokenize(named)) {
    if (!isPunctuation(token)) words.push(token);
    else {
      const level = '.!?;'.includes(token) ? 2 : 1;
      starts[words.length] = Math.max(starts[words.length] ?? 0, level);
    }
  }
  const matchers = new Map<Language, ReturnType<typeof createWordMatcher>>();
  for (let at = 0; at < words.length; at++) {
    for (const instruction of instructions.get(words[at] ?? '') ?? []) {
      const { language } = instruction;
      let match = matchers.get(language);
      if (match === undefined) {
        match = createWordMatcher(toPatternText(words, starts, language));
        matchers.set(language, match);
      }
      if (match(instruction, at) >= 0) return true;
    }
  }
  return false;
}

function toPatternText(
  words: readonly string[],
  starts: readonly number[],
  { own, lead }: Language,
): PatternText {
  return {
    length: words.length,
    wordAt: (at) => words[at],
    startsClause: (at) => (starts[at] ?? 0) > 0 || lead.has(words[at - 1] ?? ''),
    endsClause: (at) => at >= words.length || (starts[at] ?? 0) > 0,
    isOutside: (at) => starts[at] === 2,
    isBarrier: (at) => own.has(words[at] ?? ''),
  };
}
