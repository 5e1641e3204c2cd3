import { findCardNumbers, findCodesBesideCards } from './card-numbers.ts';
import { digitAt, type Secret } from './digits.ts';
import { findIbans } from './ibans.ts';
import { findStatedSecrets } from './stated-secrets.ts';

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
const MIN_DIGITS = 8;

function hasManyDigits(text: string): boolean {
  if (!/\p{Nd}/u.test(text)) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (digitAt(text, at) >= 0 && ++count >= MIN_DIGITS) return true;
  }
  return false;
}

const label = /\[(?:card number|security code|IBAN|password)\]/g;

/** How many secrets were replaced in a text. */
export function countMasked(text: string): number {
  return text.match(label)?.length ?? 0;
}
