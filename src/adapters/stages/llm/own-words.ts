import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import type { JsonValue } from '../../../lib/json/json.ts';

/** Finds values in the customer's own words. */
export interface OwnWords {
  /** True where each of these identifiers stands in the words. */
  haveAll(identifiers: readonly JsonValue[]): boolean;
}

/** A text for the search of identifiers. */
interface Words {
  /** In small letters, without spaces and dashes. */
  readonly text: string;
  /** The places in it where a word or a sign begins or ends. */
  readonly borders: ReadonlySet<number>;
}

/** The most identifiers of one call, and the length of the longest one in characters. */
const MAX_IDENTIFIERS = 32;
const MAX_LENGTH = 256;

/**
 * The texts in the customer's own words: the newest text of the message, its subject, and what the customer wrote
 * before in its conversation. What is quoted or forwarded may be somebody else's.
 */
export function ownTextsOf({ prepared, subject, history }: PreparedMessage): readonly string[] {
  const before = history?.entries.filter(({ from }) => from === 'customer') ?? [];
  return [prepared.text, subject ?? '', ...before.map(({ text }) => text)];
}

/**
 * Finds identifiers in the customer's own words (see {@link ownTextsOf}). Case, spaces and dashes do not count; a
 * part of a word or number does not do.
 */
export function ownWordsOf(message: PreparedMessage): OwnWords {
  let said: readonly Words[] | undefined;
  return {
    haveAll(identifiers) {
      if (identifiers.length > MAX_IDENTIFIERS) return false;
      return identifiers.every((identifier) => {
        const { text } = readWords(String(identifier).slice(0, MAX_LENGTH + 1));
        if (text === '' || text.length > MAX_LENGTH) return false;
        said ??= ownTextsOf(message).map(readWords);
        return said.some((words) => contains(words, text));
      });
    },
  };
}

/** Words, which may have digits, and single signs. Spaces, dashes and characters without a width are between them. */
const parts = /[\p{L}\p{M}\p{N}]+|[^\s\p{Pd}\p{Cf}\u2212]/gu;

function readWords(text: string): Words {
  const found = text.normalize('NFKC').toLowerCase().match(parts) ?? [];
  const borders = new Set([0]);
  let length = 0;
  for (const part of found) {
    length += part.length;
    borders.add(length);
  }
  return { text: found.join(''), borders };
}

function contains({ text, borders }: Words, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (borders.has(at) && borders.has(at + wanted.length)) return true;
  }
  return false;
}

/** Longer words are compared by their beginning, in characters. */
const MAX_SAID = 2_000;

/** The words of a text, one space between them. */
function wordsOf(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(' ');
}

/**
 * Creates the search for words in a message, one after the other: in its text, its subject, or what it quotes or
 * forwards. Signs between them do not count. It finds no empty words.
 */
export function saidIn({ prepared, subject }: PreparedMessage): (words: string) => boolean {
  const texts = [prepared.text, subject ?? '', ...prepared.setApart.map(({ text }) => text)];
  const said = texts.map((text) => ` ${wordsOf(text)} `);
  return (words) => {
    const wanted = wordsOf(words.slice(0, MAX_SAID));
    return wanted !== '' && said.some((text) => text.includes(` ${wanted} `));
  };
}
