import { isJsonArray, isJsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import { spacedName } from '../../../lib/text/words.ts';
import {
  canonical,
  claimsOf,
  codeKey,
  digitsKey,
  isMoney,
  plainNumber,
  quantityKey,
  type Refusal,
  unitName,
} from './guard-claims.ts';
import { coveredBy, hasLists, type Reading, read, type Sentence, tagOf, wordsOf } from './guard-reading.ts';

/** The texts that a reply may be made of. */
export interface ReplySources {
  /** Outputs of the calls for this message. */
  readonly outputs: readonly JsonValue[];
  /**
   * Texts of the company: the reply of the rules, reply texts, articles. Requests and messengers may stand in them.
   */
  readonly texts: readonly string[];
  /** The customer's own words: only identifiers may come from them, which have letters and digits or five digits. */
  readonly own: readonly string[];
  /** The instructions of the model: no piece of them may stand in a reply. */
  readonly instructions: string;
  /** The language of the reply as an ISO 639-1 code. */
  readonly language: string;
}

/**
 * Finds what a reply says without a source: numbers, dates, links, addresses and codes that stand nowhere, actions
 * that no source tells, requests for secrets, messengers, claims, pieces of the instructions, and text that cannot be
 * checked. An empty list means that the reply may be sent. The word lists of all languages are read at once. The time
 * is linear in the length of the texts.
 */
export function refusalsOf(reply: string, sources: ReplySources): readonly Refusal[] {
  const said = read(reply);
  const known = readSources(sources);
  const found: Refusal[] = [
    ...markupIn(reply),
    ...quotedInstructions(reply, sources.instructions),
    ...unknownLinks(reply, known),
    ...unreadableParts(said, known, hasLists(sources.language)),
    ...requestsIn(said, known),
    ...claimsOf(said, false)
      .filter(({ requires }) => !requires.some((key) => known.keys.has(key)))
      .map(({ kind, from, to }) => ({ kind, words: wordsOf(said, from, to) })),
  ];
  const seen = new Set<string>();
  return found.filter(({ kind, words }) => seen.size < seen.add(`${kind} ${words}`).size);
}

/** Removes control characters, direction marks and invisible characters from a text, except line breaks. */
export function plainReply(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t\u200c\u200d]/gu, '')
    .trim();
}

/** Tells a language model in one sentence why its reply cannot be sent. Empty where there are no refusals. */
export function describeRefusals(refusals: readonly Refusal[]): string {
  return refusals.map(({ kind, words }) => `${quote(words)} ${faults[kind]}`).join('; ');
}

const noSource = 'stands in no source';
const faults: Readonly<Record<Refusal['kind'], string>> = {
  number: noSource,
  date: noSource,
  link: noSource,
  address: noSource,
  telephone: noSource,
  claim: noSource,
  deed: 'says that something was done or will be done',
  request: 'asks for what must not be asked for',
  messenger: 'sends the customer elsewhere',
  instructions: 'repeats the instructions',
  unreadable: 'cannot be checked',
};

// Requests, messengers and claims

/** Requests for secrets, messengers and handles, searches for others, and claims that no company's text has. */
function requestsIn(reading: Reading, known: Known): readonly Refusal[] {
  const found: Refusal[] = [];
  const add = (kind: Refusal['kind'], from: number, to: number): void => {
    found.push({ kind, words: wordsOf(reading, from, to) });
  };
  for (const sentence of reading.sentences) {
    if (known.ownSentences.has(sentence.text)) continue;
    for (const { key, from, to } of requestsOf(reading, sentence))
      if (!known.requests.has(key)) add('request', from, to);
    const search = firstOf(reading, sentence, 'search');
    const contact =
      search === undefined ? undefined : firstOf(reading, { ...sentence, from: search }, 'contact');
    if (search !== undefined && contact !== undefined) add('messenger', search, contact);
  }
  for (const { name, at, to } of namesIn(reading)) if (!known.names.has(name)) add('messenger', at, to);
  for (const at of reading.tokens.keys()) {
    const { length } = tagOf(reading, at, 'claim') ?? {};
    if (length === undefined) continue;
    const words = reading.tokens.slice(at, at + length).map(({ text }) => text);
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '');
    if (!known.words.has(longest)) add('claim', at, at + length - 1);
  }
  return found;
}

function firstOf(
  reading: Reading,
  { from, to }: Pick<Sentence, 'from' | 'to'>,
  list: string,
): number | undefined {
  for (let at = from; at < to; at++) if (tagOf(reading, at, list) !== undefined) return at;
  return undefined;
}

/** The secrets that a sentence asks to send or to enter. A question for a secret asks to send it. */
function requestsOf(
  reading: Reading,
  sentence: Sentence,
): readonly { readonly key: string; readonly from: number; readonly to: number }[] {
  const { from, to, ending } = sentence;
  const harmless = coveredBy(reading, 'harmless', sentence);
  const at = Array.from({ length: to - from }, (_, offset) => from + offset);
  const isIn = (list: string): boolean =>
    at.some((one) => !harmless.has(one) && tagOf(reading, one, list) !== undefined);
  const ways = [
    ...(isIn('send') || /[?:]/.test(ending) ? ['send'] : []),
    ...(isIn('enter') ? ['enter'] : []),
  ];
  if (ways.length === 0) return [];
  return at.flatMap((one) => {
    const secret = tagOf(reading, one, 'secret');
    if (secret === undefined || harmless.has(one)) return [];
    const last = one + secret.length - 1;
    const words = reading.tokens
      .slice(one, last + 1)
      .map(({ text }) => text)
      .join(' ');
    return ways.map((way) => ({ key: `${way} ${words}`, from: one, to: last }));
  });
}

/** The messengers and handles of a text. */
function namesIn(
  reading: Reading,
): readonly { readonly name: string; readonly at: number; readonly to: number }[] {
  return reading.tokens.flatMap(({ kind, text }, at) => {
    if (kind === 'handle') return [{ name: text.replace(/\.+$/, ''), at, to: at }];
    const { length = 0 } = tagOf(reading, at, 'messenger') ?? {};
    if (length === 0) return [];
    const name = reading.tokens
      .slice(at, at + length)
      .map((token) => token.text)
      .join(' ');
    return [{ name, at, to: at + length - 1 }];
  });
}

// Links, markup and languages

/** Tags, comments, and the bracket pairs by which Markdown makes links and images. */
function markupIn(reply: string): readonly Refusal[] {
  const found = /<[a-z/!?].{0,40}|\]\(|\]\[/i.exec(reply)?.[0];
  return found === undefined ? [] : [{ kind: 'unreadable', words: found }];
}

/** Everything that a mail or chat program would turn into a link, in lower case. */
function linksOf(text: string): readonly string[] {
  return withDots(text.normalize('NFKC').replaceAll('\u3002', '.').toLowerCase())
    .split(/[\s<>()[\]{}"'`´‘’“”«»,;|*_]+/u)
    .map((word) => word.replace(/[.:!?…/]{1,9}$/, ''))
    .filter(
      (word) => word.includes('://') || /^\S+@\S/.test(word) || hasScheme.test(word) || hasDomain.test(word),
    );
}

const hasScheme = /(?:mailto|tel|sms|javascript|data):/;
/** A dot after a letter or digit and before two letters of a script with blanks between sentences. */
const hasDomain = /[\p{L}\p{N}\-]\.[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]]{2}/v;
/** Words for a dot in brackets, and between words: there an everyday word needs the end of an address after it. */
const bracketedDot = / ?[([{<] ?(?:\.|dot|punkt|point|punto|ponto|punt|kropka) ?[)\]}>] ?/gu;
const spokenDot =
  /(?<=[\p{L}\p{N}]) (?:dot (?!(?:on|of|in|at|to|is|are|was|and|or|the|for|with|by|from|next|above|below|beside)(?!\p{L}))(?=\p{L}{2})|(?:punkt|point|punto|ponto|punt|kropka) (?=(?:com|net|org|info|example|test|io|shop|app|online|site|store|xyz|eu|pl|nl|ch|at|uk)(?!\p{L}))|punkt (?=de(?!\p{L}))|point (?=fr(?!\p{L}))|punto (?=it(?!\p{L}))|ponto (?=(?:pt|br)(?!\p{L}))|\. ?(?=\p{L}{2}))/gu;

/** A text with its dots as a reader types them: `shop (dot) example` and `shop dot example` are `shop.example`. */
function withDots(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(bracketedDot, '.').replaceAll(spokenDot, '.');
}

/** The links of known texts as a reply may write them: also without scheme, and the host alone. */
function linkForms(link: string): readonly string[] {
  const plain = link.replace(/^(?:mailto:|https?:\/\/)/, '').replace(/\/$/, '');
  const host = plain.includes('@') ? [] : [plain.split('/')[0] ?? plain];
  const bare = [plain, ...host].map((one) => one.replace(/^www\./, ''));
  return [link, plain, ...host, ...bare, ...bare.map((one) => `https://${one}`)];
}

function unknownLinks(reply: string, { links }: Known): readonly Refusal[] {
  return linksOf(reply)
    .filter((link) => !links.has(link))
    .map((link) => {
      const kind = link.includes('tel:') ? 'telephone' : link.includes('@') ? 'address' : 'link';
      return { kind, words: link.slice(0, 80) };
    });
}

/** A reply with this many consecutive words of the instructions quotes them. */
const SHARED_WORDS = 8;

function quotedInstructions(reply: string, instructions: string): readonly Refusal[] {
  const told = new Set(wordSequences(instructions));
  const words = wordSequences(reply).find((sequence) => told.has(sequence));
  return words === undefined ? [] : [{ kind: 'instructions', words: words.slice(0, 80) }];
}

function wordSequences(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(SHARED_WORDS - 1).map((_, at) => words.slice(at, at + SHARED_WORDS).join(' '));
}

/** Shorter sentences are not judged: they can consist of names. */
const LEAST_WORDS = 6;
/** The least share of frequent words in a sentence. */
const LEAST_SHARE = 0.15;

/**
 * Words that mix scripts and stand in no source. Where the actions of the language are known, also other scripts, and
 * sentences that read like no language whose actions are known: they could promise anything.
 */
function unreadableParts(reading: Reading, known: Known, isListed: boolean): readonly Refusal[] {
  const parts = reading.tokens.flatMap(({ kind, text }, at) => {
    const hasOther = kind === 'word' && /[^\P{L}\p{Script=Latin}]/u.test(text);
    if (!hasOther || known.words.has(text) || !(isListed || /\p{Script=Latin}/u.test(text))) return [];
    return [{ kind: 'unreadable', words: wordsOf(reading, at, at) } as const];
  });
  const sentences = reading.sentences.filter(({ from, to, text }) => {
    if (!isListed || known.sentences.has(text)) return false;
    const words = reading.tokens.slice(from, to).filter(({ kind }) => kind === 'word').length;
    const counts = new Map<string, number>();
    for (const { list } of reading.tags.slice(from, to).flat()) counts.set(list, (counts.get(list) ?? 0) + 1);
    const common = Math.max(
      0,
      ...[...counts].map(([list, count]) => (list.startsWith('common ') ? count : 0)),
    );
    return words >= LEAST_WORDS && common < words * LEAST_SHARE;
  });
  return [
    ...parts,
    ...sentences.map(
      ({ from, to }) => ({ kind: 'unreadable', words: wordsOf(reading, from, to - 1) }) as const,
    ),
  ];
}

// Sources

/** The statements of the sources of a reply. */
interface Known {
  readonly keys: Set<string>;
  readonly links: Set<string>;
  /** Words and sentences of the outputs and the company's texts. */
  readonly words: Set<string>;
  readonly sentences: Set<string>;
  /** Sentences, requests and names of the company's texts. */
  readonly ownSentences: Set<string>;
  readonly requests: Set<string>;
  readonly names: Set<string>;
}

function readSources({ outputs, texts, own }: ReplySources): Known {
  const known: Known = {
    keys: new Set(),
    links: new Set(),
    words: new Set(),
    sentences: new Set(),
    ownSentences: new Set(),
    requests: new Set(),
    names: new Set(),
  };
  for (const text of texts) {
    const reading = readSource(text, known);
    for (const { name } of namesIn(reading)) known.names.add(name);
    for (const sentence of reading.sentences) {
      known.ownSentences.add(sentence.text);
      // A company that forbids something does not ask for it.
      if (firstOf(reading, sentence, 'not') !== undefined) continue;
      for (const { key } of requestsOf(reading, sentence)) known.requests.add(key);
    }
  }
  for (const output of outputs) readOutput({ name: '', value: output, currency: undefined }, known);
  for (const { kind, text, gap } of own.flatMap((words) => read(words).tokens)) {
    if (kind === 'code') known.keys.add(codeKey(text));
    if (/^\d{5,}$/.test(text) && !/[€$£¥]/.test(gap)) known.keys.add(`number:${plainNumber(text)}`);
    if (kind === 'telephone' && /^\d[\d-]*$/.test(text)) known.keys.add(digitsKey(text));
  }
  return known;
}

function readSource(text: string, known: Known): Reading {
  const reading = read(text);
  for (const { provides } of claimsOf(reading, true)) for (const key of provides) known.keys.add(key);
  for (const token of reading.tokens) known.words.add(token.text);
  for (const sentence of reading.sentences) known.sentences.add(sentence.text);
  for (const link of linksOf(text).flatMap(linkForms)) known.links.add(link);
  return reading;
}

/** A value within an output, its name, and the currency that stands beside it. */
interface Leaf {
  readonly name: string;
  readonly value: JsonValue;
  readonly currency: string | undefined;
}

function readOutput({ name, value, currency }: Leaf, known: Known): void {
  if (isJsonArray(value)) for (const one of value) readOutput({ name, value: one, currency }, known);
  else if (isJsonObject(value)) {
    const members = Object.entries(value);
    const stated = members.find(([key, one]) => /currency/i.test(key) && typeof one === 'string')?.[1];
    const unit = typeof stated === 'string' ? unitsIn(stated).find(isMoney) : undefined;
    for (const [key, one] of members)
      readOutput({ name: key, value: one, currency: unit ?? currency }, known);
  } else if (typeof value === 'boolean') {
    // A status says what was done: `{"refunded": true}`.
    readSource(value ? spacedName(name) : `not ${spacedName(name)}`, known);
  } else if (value !== null) {
    const text = String(value);
    readSource(text, known);
    if (!/^ *-?\d[\d.,' ]*$/.test(text)) return;
    const number =
      typeof value === 'number'
        ? plainNumber(text.replace('-', ''))
        : canonical(text.trim().replace('-', ''));
    known.keys.add(`number:${number}`);
    for (const key of namedKeys(name, number, currency)) known.keys.add(key);
  }
}

/** The keys of a bare number by the words of its name: `eta_days: 2` is two days, `price: 40` an amount of money. */
function namedKeys(name: string, number: string, currency: string | undefined): readonly string[] {
  const reading = read(spacedName(name));
  const units = unitsIn(spacedName(name));
  const isNamed = (list: string): boolean => coveredBy(reading, list).size > 0;
  const isAmount = isNamed('amount') || units.includes('cent');
  const value = units.includes('cent') ? plainNumber((Number(number) / 100).toFixed(2)) : number;
  const money = isAmount ? [quantityKey(value, currency ?? 'any_money')] : [];
  return [
    ...units.map((unit) => quantityKey(number, unit)),
    ...(isNamed('rate') ? [quantityKey(number, 'percent')] : []),
    ...(units.some(isMoney) ? [] : money),
  ];
}

function unitsIn(text: string): readonly string[] {
  const reading = read(text);
  return reading.tokens.flatMap((token, at) => unitName(tagOf(reading, at, 'unit'), token) || []);
}
