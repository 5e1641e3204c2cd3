/** The longest id looked for. */
const MAX_ID_LENGTH = 32;

/** Words that stand between `order` and its id: the marked ones say that an id follows, whatever it looks like. */
const markers = new Set(['number', 'no', 'nr', 'num', 'id', 'code', 'ref', 'reference', '#']);
const fillers = new Set(['is', 'was', 'with', 'the', 'my', 'confirmation', 'has', 'eta', 'status']);
const orderWords = new Set([
  'order',
  'orders',
  'purchase',
  'ordr',
  'oder',
  'parcel',
  'package',
  'shipment',
  'booking',
]);
const markedOrderWords = new Set([
  'order-number',
  'order-no',
  'order-id',
  'order_id',
  'ordernumber',
  'orderid',
  '#',
]);

/** Words behind a number that make it an amount or a time, and words before one that make it something else's. */
const units = new Set(
  'dollar dollars euro euros pound pounds usd eur gbp buck bucks quid cent cents percent day days week weeks month months hour hours minute minutes year years time times item items piece pieces'.split(
    ' ',
  ),
);
const otherNumbers = new Set(
  'invoice bill receipt phone telephone tel mobile cell call whatsapp zip postcode card account flat room house tracking ticket code pin iban error'.split(
    ' ',
  ),
);

interface Token {
  readonly text: string;
  readonly word: string;
  /** Part of a price, a date with strokes, a decimal, an address of the web: never an id. */
  readonly glued: boolean;
  /** Followed by a mark, or last. */
  readonly last: boolean;
}

/**
 * The order id that a message names, or undefined: what follows `order`, `order number`, `#` and the like, else a
 * lone id-like word (`missing-42`) or a lone long number. Prices, dates, amounts and telephone numbers are none. An
 * id is 1 to 32 of letters, digits, `-` and `_`. Time grows with the length of the message.
 */
export function findOrderId(message: string): string | undefined {
  const tokens = tokenize(message);
  for (let at = 0; at < tokens.length; at++) {
    const word = tokens[at]?.word ?? '';
    if (!orderWords.has(word) && !markedOrderWords.has(word)) continue;
    const id = idAfter(tokens, at);
    if (id !== undefined) return id;
  }
  return loneId(tokens);
}

function idAfter(tokens: readonly Token[], start: number): string | undefined {
  let marked = markedOrderWords.has(tokens[start]?.word ?? '');
  for (let at = start + 1; at < tokens.length && at <= start + 5; at++) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (markers.has(token.word)) marked = true;
    else if (!fillers.has(token.word))
      return isNamedId(token, marked, tokens[at + 1]) ? token.text : undefined;
  }
  return undefined;
}

/** A short number needs a marker before it or nothing behind it: `I placed an order 3 weeks ago`. */
function isNamedId(token: Token, marked: boolean, next: Token | undefined): boolean {
  if (!isIdLike(token) || isDate(token.text)) return false;
  const digits = countDigits(token.text);
  if (digits < token.text.length) return digits > 0;
  if (next !== undefined && units.has(next.word) && !token.last) return false;
  return marked || digits >= 4 || (digits >= 2 && token.last);
}

function loneId(tokens: readonly Token[]): string | undefined {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || !isIdLike(token)) continue;
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (otherNumbers.has(before?.word ?? '') || otherNumbers.has(tokens[at - 2]?.word ?? '')) continue;
    if (otherNumbers.has(tokens[at - 3]?.word ?? '')) continue;
    if (isLettersThenDigits(token.text)) return token.text;
    const digits = countDigits(token.text);
    if (digits !== token.text.length || digits < 5) continue;
    if (units.has(after?.word ?? '') || isNumber(before) || isNumber(after)) continue;
    return token.text;
  }
  return undefined;
}

function isIdLike(token: Token): boolean {
  return !token.glued && token.text.length <= MAX_ID_LENGTH && isLetterOrDigit(token.text.charCodeAt(0));
}

/** Letters, a dash, and at least two digits: `A-88213`. */
function isLettersThenDigits(text: string): boolean {
  return /^[a-z]{1,16}-\d{2,15}$/i.test(text);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d?-\d\d?$|^\d\d?-\d\d?-\d{2,4}$/.test(text);
}

function isNumber(token: Token | undefined): boolean {
  return token !== undefined && token.text.length > 1 && countDigits(token.text) === token.text.length;
}

function countDigits(text: string): number {
  let digits = 0;
  for (let at = 0; at < text.length; at++) if (isDigit(text.charCodeAt(at))) digits++;
  return digits;
}

/** Words of letters, digits, dashes and underscores, and `#` by itself; letters and digits of one word stay together. */
function tokenize(message: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < message.length; ) {
    if (message.charAt(at) === '#') tokens.push({ text: '#', word: '#', glued: false, last: false });
    if (!isLetterOrDigit(message.charCodeAt(at))) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < message.length && isIdSign(message.charCodeAt(end))) end++;
    tokens.push(toToken(message, at, end));
    at = end;
  }
  return tokens;
}

function toToken(message: string, at: number, end: number): Token {
  let stop = end;
  while (!isLetterOrDigit(message.charCodeAt(stop - 1))) stop--;
  const text = message.slice(at, Math.min(stop, at + MAX_ID_LENGTH + 1));
  const next = message.charCodeAt(end + 1);
  const sign = message.charAt(end) || ' ';
  const joined = ('.,'.includes(sign) && isDigit(next)) || ('/@'.includes(sign) && isLetterOrDigit(next));
  const glued = joined || '$€£%'.includes(sign) || (at > 0 && '$€£+/.,@'.includes(message.charAt(at - 1)));
  const last = end >= message.length || '.,;:!?)\n'.includes(message.charAt(end));
  return { text, word: text.toLowerCase(), glued, last };
}

function isIdSign(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2d || code === 0x5f;
}

function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
