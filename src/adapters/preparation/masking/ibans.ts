import { digitAt, isAlphanumeric, type Secret, skipSeparators } from './digits.ts';

/** The length of an IBAN by country. */
const lengths = new Map<string, number>(
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
export function findIbans(text: string): readonly Secret[] {
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
  return lengths.has(text.slice(start, end).toUpperCase()) ? start : -1;
}

/** Behind the IBAN that begins here; 0 when none does. */
function ibanEnd(text: string, start: number): number {
  const length = lengths.get(text.slice(start, start + 2).toUpperCase()) ?? 0;
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
