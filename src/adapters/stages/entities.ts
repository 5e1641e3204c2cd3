import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { EntityMatch, PlaybookEntity } from '../../domain/playbook/playbook.ts';
import { createPhraseIndex } from '../../lib/text/word-patterns.ts';
import { readLexicon } from '../shared/reading/model-files.ts';

/** The entities that a message names, by their names in a playbook. */
export type Entities = Readonly<Record<string, string>>;

/**
 * The entities that code finds, because no pattern can: a playbook may use it, or replace it by a pattern of that name.
 */
export const builtInEntities: readonly PlaybookEntity[] = [
  { name: 'order_id', find: (text) => asItStands(findOrderId(text)) },
  { name: 'refund_reason', find: (text) => asItStands(findRefundReason(text)) },
];

function asItStands(value: string | undefined): EntityMatch | undefined {
  return value === undefined ? undefined : { value, text: value };
}

/**
 * Creates the search for what a text names; `isAsked` after a question for an order number, when a bare one is
 * enough.
 */
export function createTextFinder(
  stated: readonly PlaybookEntity[],
): (text: string, isAsked: boolean) => Entities {
  const find = createEntityFinder(stated);
  const isOwn = stated.some(({ name }) => name === 'order_id');
  return (text, isAsked) => {
    const found = find({ prepared: { text, setApart: [], language: 'und', automatic: false } });
    const asked = isAsked && !isOwn && found['order_id'] === undefined ? findAskedOrderId(text) : undefined;
    return asked === undefined ? found : { ...found, order_id: asked };
  };
}

/**
 * Creates the search for what a message names: its newest text first, then its subject. What is not found is not a
 * member.
 */
export function createEntityFinder(
  stated: readonly PlaybookEntity[],
): (message: Pick<PreparedMessage, 'prepared' | 'subject'>) => Entities {
  const own = new Set(stated.map(({ name }) => name));
  const entities = [...stated, ...builtInEntities.filter(({ name }) => !own.has(name))];
  return ({ prepared, subject }) => {
    const found: Record<string, string> = {};
    for (const { name, find } of entities) {
      const match = find(prepared.text) ?? (subject ? find(subject) : undefined);
      if (match !== undefined) found[name] = match.value;
    }
    return found;
  };
}

// Reasons of refunds

let findReason: ReturnType<typeof createPhraseIndex> | undefined;

/** The first reason for a refund that a text gives: one of `models/refund-reasons.txt`, read for the first text. */
function findRefundReason(text: string): string | undefined {
  findReason ??= createPhraseIndex(readLexicon('refund-reasons.txt'));
  return findReason(text);
}

// Order ids

/** Maximum length of an id, in characters. */
const MAX_ID_LENGTH = 32;

/** Words between `order` and its id. After a marker any number is an id. */
const idMarkers = new Set(['number', 'no', 'nr', 'num', 'id', 'code', 'ref', 'reference', '#']);
const skippedWords = new Set(['is', 'was', 'with', 'the', 'my', 'confirmation', 'has', 'eta', 'status']);

/** Words that an id may follow, and whether they are markers too. */
const orderWords: ReadonlyMap<string, boolean> = new Map([
  ...'order orders purchase ordr oder parcel package shipment booking'
    .split(' ')
    .map((word) => [word, false] as const),
  ...'order-number order-no order-id order_id ordernumber orderid #'
    .split(' ')
    .map((word) => [word, true] as const),
]);

/** Words after a number that make it an amount or a time, and words before a number of another thing. */
const units = new Set(
  'dollar dollars euro euros pound pounds usd eur gbp buck bucks quid cent cents percent day days week weeks month months hour hours minute minutes year years time times item items piece pieces'.split(
    ' ',
  ),
);
const otherNumberWords = new Set(
  'invoice bill receipt phone telephone tel mobile cell call whatsapp zip postcode card account flat room house tracking ticket code pin iban error'.split(
    ' ',
  ),
);

interface IdToken {
  readonly text: string;
  readonly word: string;
  /** Its position in the message, with trailing dashes and underscores. */
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the order id in a message: after `order`, `order number`, `#` and similar, else a word like `missing-42` or a
 * long number. Prices, dates, amounts and telephone numbers are not ids. An id is 1 to 32 letters, digits, `-` and
 * `_`. The time is linear in the length of the message.
 */
export function findOrderId(message: string): string | undefined {
  // An id has a digit, and most messages have none.
  if (!/\d/.test(message)) return undefined;
  const tokens = splitTokens(message);
  for (const [at, { word }] of tokens.entries()) {
    const marked = orderWords.get(word);
    const id = marked === undefined ? undefined : findIdAfter(message, tokens, at, marked);
    if (id !== undefined) return id;
  }
  return findUnmarkedId(message, tokens);
}

/** The most words of a text in which a short number is an id that was asked for. */
const MAX_ASKED_WORDS = 8;

/**
 * Finds the order id in the answer to a question for it, where a bare number is one: the only number of a short text.
 */
function findAskedOrderId(message: string): string | undefined {
  if (message.length > 400) return undefined;
  const tokens = splitTokens(message);
  const numbers = tokens.filter(({ text }) => countDigits(text) > 0);
  const [id] = numbers;
  if (id === undefined || numbers.length > 1 || tokens.length > MAX_ASKED_WORDS) return undefined;
  const at = tokens.indexOf(id);
  const isOther = units.has(tokens[at + 1]?.word ?? '') || otherNumberWords.has(tokens[at - 1]?.word ?? '');
  return !isOther && isIdLike(message, id) && !isDate(id.text) ? id.text : undefined;
}

function findIdAfter(
  message: string,
  tokens: readonly IdToken[],
  start: number,
  named: boolean,
): string | undefined {
  let marked = named;
  for (let at = start + 1; at < tokens.length && at <= start + 5; at++) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (idMarkers.has(token.word)) marked = true;
    else if (!skippedWords.has(token.word))
      return isNamedId(message, token, marked, tokens[at + 1]) ? token.text : undefined;
  }
  return undefined;
}

/** A short number needs a marker before it or punctuation after it: `I placed an order 3 weeks ago`. */
function isNamedId(message: string, token: IdToken, marked: boolean, next: IdToken | undefined): boolean {
  if (!isIdLike(message, token) || isDate(token.text)) return false;
  const digits = countDigits(token.text);
  if (digits < token.text.length) return digits > 0;
  const last = isLast(message, token);
  if (next !== undefined && units.has(next.word) && !last) return false;
  return marked || digits >= 4 || (digits >= 2 && last);
}

function findUnmarkedId(message: string, tokens: readonly IdToken[]): string | undefined {
  for (const [at, token] of tokens.entries()) {
    const digits = countDigits(token.text);
    if (digits < 2 || !isIdLike(message, token)) continue;
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (otherNumberWords.has(before?.word ?? '') || otherNumberWords.has(tokens[at - 2]?.word ?? ''))
      continue;
    if (otherNumberWords.has(tokens[at - 3]?.word ?? '')) continue;
    if (isLettersThenDigits(token.text)) return token.text;
    if (digits !== token.text.length || digits < 5) continue;
    if (units.has(after?.word ?? '') || isNumber(before) || isNumber(after)) continue;
    return token.text;
  }
  return undefined;
}

function isIdLike(message: string, token: IdToken): boolean {
  return token.text !== '#' && token.text.length <= MAX_ID_LENGTH && !isPartOfOther(message, token);
}

/** True for a part of a price, a date with slashes, a decimal or a URL. */
function isPartOfOther(message: string, { start, end }: IdToken): boolean {
  const next = message.charCodeAt(end + 1);
  const following = message.charAt(end) || ' ';
  const joined =
    ('.,'.includes(following) && isDigit(next)) || ('/@'.includes(following) && isLetterOrDigit(next));
  return (
    joined || '$€£%'.includes(following) || (start > 0 && '$€£+/.,@'.includes(message.charAt(start - 1)))
  );
}

/** True before punctuation and at the end of the message. */
function isLast(message: string, { end }: IdToken): boolean {
  return end >= message.length || '.,;:!?)\n'.includes(message.charAt(end));
}

/** True for letters, a dash, and at least two digits: `A-88213`. */
function isLettersThenDigits(text: string): boolean {
  return /^[a-z]{1,16}-\d{2,15}$/i.test(text);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d?-\d\d?$|^\d\d?-\d\d?-\d{2,4}$/.test(text);
}

function isNumber(token: IdToken | undefined): boolean {
  return token !== undefined && token.text.length > 1 && countDigits(token.text) === token.text.length;
}

function countDigits(text: string): number {
  let digits = 0;
  for (let at = 0; at < text.length; at++) if (isDigit(text.charCodeAt(at))) digits++;
  return digits;
}

/**
 * Splits a message into words of letters, digits, dashes and underscores, and `#`. Unlike lib/text it does not split
 * ids.
 */
function splitTokens(message: string): IdToken[] {
  const tokens: IdToken[] = [];
  for (let at = 0; at < message.length; ) {
    const code = message.charCodeAt(at);
    if (code === 0x23) tokens.push({ text: '#', word: '#', start: at, end: at + 1 });
    if (!isLetterOrDigit(code)) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < message.length && isIdCharacter(message.charCodeAt(end))) end++;
    tokens.push(toToken(message, at, end));
    at = end;
  }
  return tokens;
}

function toToken(message: string, start: number, end: number): IdToken {
  let stop = end;
  while (!isLetterOrDigit(message.charCodeAt(stop - 1))) stop--;
  const text = message.slice(start, Math.min(stop, start + MAX_ID_LENGTH + 1));
  return { text, word: text.toLowerCase(), start, end };
}

function isIdCharacter(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2d || code === 0x5f;
}

function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
