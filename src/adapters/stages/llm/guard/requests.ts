import { normalize } from './facts.ts';
import { type RequestWords, requestWords } from './request-words.ts';

/** Names of messengers and networks, which are the same in all languages. */
const messengers = `
  telegram, whats ?app, instagram, insta, facebook, (fb )?messenger, viber, we ?chat, snapchat, discord, tik ?tok,
  skype, threema, imessage, linkedin, twitter, kakao ?talk, icq, vkontakte, mastodon, reddit,
  signal (app|messenger|chat|group|gruppe|number|nummer),
  (on|via|through|over|by|per|über|auf|sur|par|en|por|su|tramite|op|no|na|przez) signal(u|ie|em)?(?! \\p{L})`;

/** `@name` that is no part of an address. */
const handles = /(?<![\p{L}\p{N}.+_-])@[\p{L}\p{N}_][\p{L}\p{N}_.]+/gu;

/** The patterns of one language. */
type Patterns = Readonly<Record<keyof RequestWords, RegExp>>;

/** Makes a pattern of a list of {@link RequestWords}. */
function pattern(list: string): RegExp {
  const words = list
    .split(',')
    .map((word) => word.trim().replaceAll('*', '\\p{L}*').replaceAll(/\s+/g, '[ -]'))
    .join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'gu');
}

const messengerNames = pattern(messengers);

const languages: readonly Patterns[] = requestWords.map((words) => ({
  secrets: pattern(words.secrets),
  harmless: pattern(words.harmless),
  send: pattern(words.send),
  enter: pattern(words.enter),
  not: pattern(words.not),
  search: pattern(words.search),
  contact: pattern(words.contact),
  claims: pattern(words.claims),
}));

/**
 * True for a reply that leads the customer away or may harm them: it asks for a card number, password, PIN, security
 * code or identity document, names a messenger or a handle, sends the customer to look for others, or claims a theft, a
 * loss or that something is harmless. `own` are the company's texts, which may do so; claims may also stand in the tool
 * outputs, which are part of `known`. All languages are read at once, since a reply may mix them.
 */
export function hasUnwantedRequest(reply: string, own: readonly string[], known: string): boolean {
  const text = normalize(reply);
  const ownText = normalize(own.join('\n'));
  const ownSentences = sentencesOf(ownText);
  const sentences = sentencesOf(text).filter((sentence) => !ownSentences.includes(sentence));
  const allowed = new Set(ownSentences.filter((sentence) => !isNegated(sentence)).flatMap(requestsIn));
  if (sentences.flatMap(requestsIn).some((request) => !allowed.has(request))) return true;
  const ownNames = new Set(namesIn(ownText));
  if (namesIn(text).some((name) => !ownNames.has(name))) return true;
  if (sentences.some(seeksOthers)) return true;
  const claims = languages.flatMap((words) => [...text.matchAll(words.claims)].map(([claim]) => claim));
  return claims.some((claim) => !`${known}\n${ownText}`.includes(longestWord(claim)));
}

/** The messengers and handles that a text names. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(messengerNames), ...text.matchAll(handles)].map(([name]) => name);
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[?])|[.!;\n]/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

/** What a sentence asks for, and how: `send password`. A question for a secret asks to send it. */
function requestsIn(sentence: string): readonly string[] {
  const text = languages.reduce((rest, { harmless }) => rest.replaceAll(harmless, ';'), sentence);
  const secrets = languages.flatMap((words) => [...text.matchAll(words.secrets)].map(([secret]) => secret));
  if (secrets.length === 0) return [];
  const sends = /[?:]$/.test(sentence) || languages.some(({ send }) => isIn(send, sentence));
  const enters = languages.some(({ enter }) => isIn(enter, sentence));
  return secrets.flatMap((secret) => [
    ...(sends ? [`send ${secret}`] : []),
    ...(enters ? [`enter ${secret}`] : []),
  ]);
}

/** True where a company forbids or denies something, such as `Never send us your password`. */
function isNegated(sentence: string): boolean {
  return languages.some(({ not }) => isIn(not, sentence));
}

/** True for a sentence such as `Search for … and write to them`. */
function seeksOthers(sentence: string): boolean {
  return languages.some(({ search, contact }) => {
    const from = sentence.search(search);
    return from !== -1 && isIn(contact, sentence.slice(from));
  });
}

function isIn(words: RegExp, text: string): boolean {
  return text.search(words) !== -1;
}

function longestWord(text: string): string {
  return text.split(/[^\p{L}]+/u).reduce((a, b) => (b.length > a.length ? b : a), '');
}
