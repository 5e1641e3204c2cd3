/** Parts of the names of secrets, in lower case: a cheap test. */
const stated =
  /pass|ps?wd?|\bpin|kennwort|mdp|contrase|clave|senha|palavra|wachtwoord|has[lł]o|senord|adgangskode|salasana|ifre|parola|cv[vc]|csc|secur|segur|sicur|digit|verif|nummer|sicherheit|cryptogramme|beveiliging|kerhet|güvenlik/;

/** A text with its card numbers, security codes, IBANs and stated passwords replaced by what they are. */
export function maskSecrets(text: string): string {
  const secrets = findSecrets(text);
  if (secrets.length === 0) return text;
  let masked = '';
  let at = 0;
  for (const { start, end, label } of secrets) {
    if (start < at) continue;
    masked += text.slice(at, start) + label;
    at = end;
  }
  return masked + text.slice(at);
}

function findSecrets(text: string): readonly Secret[] {
  const numbers = hasManyDigits(text) ? findNumbers(text) : [];
  const words = stated.test(text.toLowerCase()) ? findStatedSecrets(text) : [];
  return [...numbers, ...words].sort((one, other) => one.start - other.start || other.end - one.end);
}

function findNumbers(text: string): readonly Secret[] {
  const ibans = findIbans(text);
  const cards = findCardNumbers(text);
  return [...ibans, ...cards, ...findCodesBesideCards(text, cards)];
}

/** Fewer digits than these make no card number and no IBAN. */
const LEAST_DIGITS = 8;

function hasManyDigits(text: string): boolean {
  if (!/\p{Nd}/u.test(text)) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (digitAt(text, at) >= 0 && ++count >= LEAST_DIGITS) return true;
  }
  return false;
}

const label = /\[(?:card number|security code|IBAN|password)\]/g;

/** The number of secrets that were replaced in a text. */
export function countMasked(text: string): number {
  return text.match(label)?.length ?? 0;
}

// Card numbers

const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

/** Digits that stand together. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** A number that may be one, such as `4111 1111 1111 1111`. */
type Groups = readonly Group[];

/** Every card number in a text. */
function findCardNumbers(text: string): readonly Secret[] {
  return digitRuns(text).flatMap((run) => cardsIn(text, run));
}

/** The digits of a text, in runs whose groups are separated by little. */
function digitRuns(text: string): readonly Groups[] {
  const runs: Group[][] = [];
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    if (digitAt(text, at) < 0) continue;
    const group = groupAt(text, at);
    const isNext = last >= 0 && skipSeparators(text, last) === at;
    const run = isNext ? runs.at(-1) : undefined;
    if (run === undefined) runs.push([group]);
    else run.push(group);
    at = group.end - 1;
    last = group.end;
  }
  return runs;
}

function groupAt(text: string, start: number): Group {
  let end = start;
  let digits = '';
  for (let digit = digitAt(text, end); digit >= 0; digit = digitAt(text, end)) {
    digits += digit;
    end++;
  }
  return { start, end, digits };
}

function cardsIn(text: string, groups: Groups): readonly Secret[] {
  const found: Secret[] = [];
  for (let from = 0; from < groups.length; from++) {
    const to = cardEnd(groups, from);
    const start = groups[from]?.start;
    const end = groups[to - 1]?.end;
    if (to === 0 || start === undefined || end === undefined || isOtherNumber(text, start)) continue;
    found.push({ start, end, label: '[card number]' });
    from = to - 1;
  }
  return found;
}

/** Behind the groups from here that make a card number; 0 when they make none. */
function cardEnd(groups: Groups, from: number): number {
  let digits = '';
  let sizes = '';
  let end = 0;
  for (let at = from; at < groups.length && digits.length < MAX_DIGITS; at++) {
    const next = groups[at]?.digits ?? '';
    digits += next;
    sizes += next.length;
    const isWhole = end === 0 && from === 0 && at === groups.length - 1;
    if ((at === from || isWhole || usualSizes.has(sizes)) && isCardNumber(digits)) end = at + 1;
  }
  return end;
}

/** The usual groups of card numbers; in other groups they must stand alone. */
const usualSizes = new Set(['4444', '465', '464', '44443', '4445', '4441']);

function isCardNumber(digits: string): boolean {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false;
  return hasCardPrefix(digits) && hasLuhnSum(digits) && !/^(\d)\1+$/.test(digits);
}

/** The ranges of the card schemes, with the numbers' lengths. */
const schemes: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:36|38|39|30[0-5]|3095)/, [14, 16, 17, 18, 19]],
  [/^(?:2131|1800)/, [15]],
  [/^(?:35[2-8]|62|6011|64[4-9]|65|60|81|82|508|220[0-4]|9792)/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [13, 14, 15, 16, 17, 18, 19]],
];

function hasCardPrefix(digits: string): boolean {
  return schemes.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits));
}

function hasLuhnSum(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 0x30;
    const doubled = at % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const otherNumber =
  /(?:\b(?:tracking|track|shipment|consignment|waybill|awb|imei|sendungs?\w*|trackingnummer|suivi|seguimiento|spedizione|przesyłki)(?:[ -]?(?:number|num|no|nr|code|id|nummer)\b)?|\b(?:order|parcel|package|invoice|reference|ref|ticket|serial|bestell|auftrags?|kunden|customer|meter)[ -]?(?:number|num|no|nr|id|nummer))[\s.:#=]{0,4}(?:(?:is|ist|est|es|è)[\s:]{1,3})?$/i;

/** True when what stands directly before says that the number is another one, such as a tracking number. */
function isOtherNumber(text: string, start: number): boolean {
  return text.charAt(start - 1) === '+' || otherNumber.test(text.slice(Math.max(0, start - 48), start));
}

const besideCard =
  /^[\s,;|/]{0,4}(?:(?:exp(?:iry|ires|iration)?(?: date)?|valid (?:thru|until)|gültig bis|mm\/yy)[\s.:]{0,3})?(?:\(?\d{1,2}\s?[/.-]\s?\d{2,4}\)?)?[\s,;|/:-]{0,5}(\d{3,4})(?![\d/.,]?\d|\s?(?:€|\$|£|%|eur|usd|gbp|times|x\b))/i;

/** The security codes directly behind card numbers, as in `4111 1111 1111 1111 12/27 123`. */
function findCodesBesideCards(text: string, cards: readonly Secret[]): readonly Secret[] {
  return cards.flatMap(({ start, end }) => {
    const match = besideCard.exec(text.slice(end, end + 60));
    const code = match?.[1];
    if (match === null || code === undefined) return [];
    const hasExpiry = match[0].length > code.length + 5;
    // Only American Express has security codes of four digits.
    if (code.length === 4 && !hasExpiry && digitAt(text, start) !== 3) return [];
    const codeEnd = end + match[0].length;
    return [{ start: codeEnd - code.length, end: codeEnd, label: '[security code]' }];
  });
}

// IBANs

/** The length of an IBAN by country. */
const ibanLengths = new Map<string, number>(
  (
    'NO15 BE16 DK18 FI18 FO18 GL18 NL18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 CH21 HR21 LI21 LV21 BG22 BH22 ' +
    'CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 TL23 SO23 OM23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 ' +
    'SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27 DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 ' +
    'GT28 HU28 LB28 PL28 SV28 NI28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 MN20 YE30 SC31 LC32 MT31 RU33 SD18 FK18 HN28'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Every IBAN in a text, with or without blanks. */
function findIbans(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (let at = 2; at + 9 < text.length; at++) {
    // The check digits are rarer than pairs of letters, so they are looked for first.
    if (digitAt(text, at) < 0 || digitAt(text, at - 1) >= 0) continue;
    const start = countryBefore(text, at);
    const end = start < 0 ? 0 : ibanEnd(text, start);
    if (end === 0) continue;
    found.push({ start, end, label: '[IBAN]' });
    at = end;
  }
  return found;
}

/** Where the two letters before the check digits begin; -1 when there are none. */
function countryBefore(text: string, digits: number): number {
  let end = digits;
  if (text.charAt(end - 1) === ' ') end--;
  const start = end - 2;
  if (start < 0 || (start > 0 && isAlphanumeric(text, start - 1))) return -1;
  return ibanLengths.has(text.slice(start, end).toUpperCase()) ? start : -1;
}

/** Behind the IBAN that begins here; 0 when none does. */
function ibanEnd(text: string, start: number): number {
  const length = ibanLengths.get(text.slice(start, start + 2).toUpperCase()) ?? 0;
  let characters = '';
  let at = start;
  while (characters.length < length && at < text.length) {
    const next = characters === '' ? at : skipSeparators(text, at);
    if (!isAlphanumeric(text, next)) return 0;
    const digit = digitAt(text, next);
    characters += digit < 0 ? text.charAt(next).toUpperCase() : digit;
    at = next + 1;
  }
  const isWhole = characters.length === length && !isAlphanumeric(text, at);
  return isWhole && hasCheckSum(characters) ? at : 0;
}

/** ISO 7064, mod 97. */
function hasCheckSum(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest === 1;
}

// Stated codes and passwords

const codeName =
  /(?<![\p{L}\d])(?:(?:cvv|cvc)[ -]?2?|csc|security (?:code|number|digits)|card verification (?:code|value|number)|verification value|(?:three|3|four|4)[ -]digits? (?:code |number )?(?:on|at|from) the (?:back|front)|prüfnummer|kartenprüfnummer|sicherheitscode|code de sécurité|cryptogramme|código de segur(?:idad|ança)|codice di sicurezza|beveiligingscode|kod cvv|säkerhetskod|güvenlik kodu)(?![\p{L}\d])/giu;

const codeValue =
  /^(?: (?:code|number|nr|no|of (?:the|my) card|on the back))?[\s.]{0,2}(?:(?:is|was|are|ist|lautet|est|es|è|é|to|=|:|#|-|–)[\s:]{0,3}){0,2}["'(]?(\p{Nd}{3,4})(?![\p{Nd}\p{L}]|[.,]\p{Nd})/iu;

const passwordName =
  /(?<![\p{L}\d])(?:pass ?words?|pass ?code|pass ?phrase|passwd|pswd|psw|pwd|pw|pass(?=\s{0,2}[:=])|passwort|kennwort|mot de passe|mdp|contraseña|clave|senha|palavra-passe|wachtwoord|hasło|lösenord|adgangskode|passord|salasana|şifrem?|parolam?|pin(?: ?(?:code|number|nummer))?)(?![\p{L}\d])/giu;

const passwordValue =
  /^(?:\s(?:for|to|of|on) (?:my |the |your |this )?[\p{L}-]{1,20}(?: account)?)?["')]?(\s{0,3}(?:[:=]|->|→)\s{0,3}|\s{1,3}(?:is|was|are|ist|war|lautet|est|es|è|é|to|jest|är|er|on|is:|ist:)\s{1,3}(?:now |still |currently |set to |changed to )?|\s{1,2})["'“‘`«<(]?([^\s"'”’`»<>()]{3,64})/iu;

/** Words that stand behind `my password is` and are none. */
const noSecret =
  /^(?:hard|easy|simple|weird|stuck|stolen|known|set|required|needed|due|up|off|out|my|not?|wrong|incorrect|invalid|too|the|a|an|my|your|our|their|it|being|be|never|always|still|also|so|very|only|just|now|broken|missing|lost|gone|correct|right|good|bad|fine|ok|okay|weak|strong|short|long|old|new|same|different|case|that|this|what|where|when|why|how|which|who|unknown|blank|empty|safe|secure|unsafe|compromised|and|or|but|because|since|for|from|in|on|at|to|with|without|of|by|if|as|page|reset|field|box|change|manager|link|email|mail|does|doesn'?t|did|didn'?t|isn'?t|wasn'?t|won'?t|can'?t|has|have|had|was|were|is|are|will|would|keeps?|every|again|help|please|pls|thanks?|falsch|nicht|richtig|zu|vergessen|weg|ungültig|abgelaufen|pas|plus|incorrecte?|oublié|perdu|expiré|incorrecta|incorreta|errat[ao]|sbagliat[ao]|niet|verkeerd|fout|verlopen|vergeten|błędne|fel|forkert|feil|väärin|yanlış|unutmuşum|unuttum|\p{L}+(?:ed|ing|able|less|ble|ive|ssen|iert)|https?:.*|\[.*)[.,!?;:]*$/iu;

/** Every security code, PIN and password that a text states as such. */
function findStatedSecrets(text: string): readonly Secret[] {
  return [...findCodes(text), ...findPasswords(text)];
}

function findCodes(text: string): readonly Secret[] {
  return [...text.matchAll(codeName)].flatMap((match) => {
    const after = match.index + match[0].length;
    const value = codeValue.exec(text.slice(after, after + 60));
    const code = value?.[1];
    if (value === null || code === undefined) return [];
    const end = after + value[0].length;
    return [{ start: end - code.length, end, label: '[security code]' }];
  });
}

function findPasswords(text: string): readonly Secret[] {
  return [...text.matchAll(passwordName)].flatMap((match) => {
    const after = match.index + match[0].length;
    const value = passwordValue.exec(text.slice(after, after + 160));
    const [whole, link = '', word = ''] = value ?? [];
    if (whole === undefined) return [];
    const isPin = match[0].toLowerCase().startsWith('pin');
    const secret = withoutFullStop(word);
    const rest = text.slice(after + whole.length, after + whole.length + 8);
    if (!(isPin ? isPinValue(match[0], secret) : isPassword(secret, link.trim(), rest))) return [];
    const start = after + whole.length - word.length;
    return [{ start, end: start + secret.length, label: '[password]' }];
  });
}

function withoutFullStop(word: string): string {
  const last = word.charAt(word.length - 1);
  return word.length > 3 && /[.,;:?]/.test(last) ? word.slice(0, -1) : word;
}

/** In India the PIN code is the postal code, with six digits. */
function isPinValue(name: string, value: string): boolean {
  return /^\p{Nd}{4,8}$/u.test(value) && !(/code/i.test(name) && value.length === 6);
}

function isPassword(value: string, link: string, next: string): boolean {
  if (noSecret.test(value) || !/[\p{L}\p{N}]/u.test(value)) return false;
  const isMixed = /\p{L}.{0,63}[\p{N}$!@#%&*_+]|[\p{N}$!@#%&*_+].{0,63}\p{L}/u.test(value);
  if (isMixed || (/^\p{Nd}{4,}$/u.test(value) && link !== ''))
    return !/^\S+@\S+\.\p{L}+$/u.test(value) || link !== '';
  if (link === '') return false;
  // A plain word is a password when nothing goes on behind it.
  const isEnd = /^(?:$|[\n"'”’`).,;!?]| (?:and|but|please|pls|can|could|so|if) )/.test(next);
  return isEnd || /^(?::|=|->|→)$/.test(link) || /\p{Ll}\p{Lu}/u.test(value);
}

// Digits

/** The value of a decimal digit of any script; -1 for other code units. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x660) return code >= 0x30 && code <= 0x39 ? code - 0x30 : -1;
  if (Number.isNaN(code)) return -1;
  const zero = zeros.findLast((start) => start <= code);
  return zero !== undefined && code - zero < 10 ? code - zero : -1;
}

/** The zeros of the scripts whose digits people type: Arabic, Persian, Indian scripts, Thai, Tibetan, full width. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0xff10,
];

/** True for what people write between the digits of a number: blanks, dashes, dots, and invisible characters. */
function isSeparator(code: number): boolean {
  if (code < 0x80) return code === 0x20 || code === 0x2d || code === 0x2e || code === 0x09 || code === 0x5f;
  return (
    code === 0xa0 ||
    code === 0xad ||
    code === 0xb7 ||
    (code >= 0x2000 && code <= 0x2015) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2060 ||
    code === 0x2212 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** True for ASCII letters and for digits. */
function isAlphanumeric(text: string, at: number): boolean {
  const code = text.charCodeAt(at) | 0x20;
  return (code >= 0x61 && code <= 0x7a) || digitAt(text, at) >= 0;
}

const MAX_SEPARATORS = 3;

/** The position behind at most three separators. */
function skipSeparators(text: string, start: number): number {
  let at = start;
  while (at < start + MAX_SEPARATORS && isSeparator(text.charCodeAt(at))) at++;
  return at;
}

/** A part of a text that is a secret. */
interface Secret {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}
