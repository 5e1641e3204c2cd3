/** The longest id looked for. */
const MAX_ID_LENGTH = 32;

/** Words that stand between `order` and its id: the marked ones say that an id follows, whatever it looks like. */
const markers = new Set(['number', 'no', 'nr', 'num', 'id', 'code', 'ref', 'reference', '#']);
const fillers = new Set(['is', 'was', 'with', 'the', 'my', 'confirmation', 'has', 'eta', 'status']);

/** Words that an id may follow, and whether they are marked by themselves. */
const orderWords: ReadonlyMap<string, boolean> = new Map([
  ...'order orders purchase ordr oder parcel package shipment booking'
    .split(' ')
    .map((word) => [word, false] as const),
  ...'order-number order-no order-id order_id ordernumber orderid #'
    .split(' ')
    .map((word) => [word, true] as const),
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
  /** Where it stands in the message, its dashes and underscores included. */
  readonly start: number;
  readonly end: number;
}

/**
 * The order id that a message names, or undefined: what follows `order`, `order number`, `#` and the like, else a
 * lone id-like word (`missing-42`) or a lone long number. Prices, dates, amounts and telephone numbers are none. An
 * id is 1 to 32 of letters, digits, `-` and `_`. Time grows with the length of the message.
 */
export function findOrderId(message: string): string | undefined {
  // There is no id without a digit, and most messages have none.
  if (!/\d/.test(message)) return undefined;
  const tokens = tokenize(message);
  for (let at = 0; at < tokens.length; at++) {
    const marked = orderWords.get(tokens[at]?.word ?? '');
    const id = marked === undefined ? undefined : idAfter(message, tokens, at, marked);
    if (id !== undefined) return id;
  }
  return loneId(message, tokens);
}

function idAfter(
  message: string,
  tokens: readonly Token[],
  start: number,
  named: boolean,
): string | undefined {
  let marked = named;
  for (let at = start + 1; at < tokens.length && at <= start + 5; at++) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (markers.has(token.word)) marked = true;
    else if (!fillers.has(token.word))
      return isNamedId(message, token, marked, tokens[at + 1]) ? token.text : undefined;
  }
  return undefined;
}

/** A short number needs a marker before it or nothing behind it: `I placed an order 3 weeks ago`. */
function isNamedId(message: string, token: Token, marked: boolean, next: Token | undefined): boolean {
  if (!isIdLike(message, token) || isDate(token.text)) return false;
  const digits = countDigits(token.text);
  if (digits < token.text.length) return digits > 0;
  const last = isLast(message, token);
  if (next !== undefined && units.has(next.word) && !last) return false;
  return marked || digits >= 4 || (digits >= 2 && last);
}

function loneId(message: string, tokens: readonly Token[]): string | undefined {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) continue;
    const digits = countDigits(token.text);
    if (digits < 2 || !isIdLike(message, token)) continue;
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (otherNumbers.has(before?.word ?? '') || otherNumbers.has(tokens[at - 2]?.word ?? '')) continue;
    if (otherNumbers.has(tokens[at - 3]?.word ?? '')) continue;
    if (isLettersThenDigits(token.text)) return token.text;
    if (digits !== token.text.length || digits < 5) continue;
    if (units.has(after?.word ?? '') || isNumber(before) || isNumber(after)) continue;
    return token.text;
  }
  return undefined;
}

function isIdLike(message: string, token: Token): boolean {
  return token.text !== '#' && token.text.length <= MAX_ID_LENGTH && !isGlued(message, token);
}

/** Part of a price, a date with strokes, a decimal, an address of the web: never an id. */
function isGlued(message: string, { start, end }: Token): boolean {
  const next = message.charCodeAt(end + 1);
  const sign = message.charAt(end) || ' ';
  const joined = ('.,'.includes(sign) && isDigit(next)) || ('/@'.includes(sign) && isLetterOrDigit(next));
  return joined || '$€£%'.includes(sign) || (start > 0 && '$€£+/.,@'.includes(message.charAt(start - 1)));
}

/** Followed by a mark, or the last of the message. */
function isLast(message: string, { end }: Token): boolean {
  return end >= message.length || '.,;:!?)\n'.includes(message.charAt(end));
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
    const code = message.charCodeAt(at);
    if (code === 0x23) tokens.push({ text: '#', word: '#', start: at, end: at + 1 });
    if (!isLetterOrDigit(code)) {
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

function toToken(message: string, start: number, end: number): Token {
  let stop = end;
  while (!isLetterOrDigit(message.charCodeAt(stop - 1))) stop--;
  const text = message.slice(start, Math.min(stop, start + MAX_ID_LENGTH + 1));
  return { text, word: text.toLowerCase(), start, end };
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
