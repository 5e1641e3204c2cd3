/**
 * Something that a text states: a number, a date, a code, a deed. A reply may state it when the known texts give one of
 * the keys that it asks for.
 */
export interface Fact {
  readonly asks: readonly string[];
  readonly gives: readonly string[];
}

/** A fact that is known only where the same one is stated. */
export function sameFact(...keys: readonly string[]): Fact {
  return { asks: keys, gives: keys };
}

/**
 * Takes all matches of a pattern out of a text, and replaces them by blanks. A match for which `read` returns undefined
 * stays. The pattern must be global.
 */
export function takeFacts(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => Fact | undefined,
  facts: Fact[],
): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const fact = read(match);
    if (fact === undefined) continue;
    facts.push(fact);
    parts.push(text.slice(end, match.index), ' ; ');
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts.join('');
}

/** Lower case, one form of each character, plain apostrophes, hyphens and blanks. */
export function normalize(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u02bc\u00b4`]/g, "'")
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/\u200c|\u200d|\u00ad/g, '')
    .replaceAll(/[^\S\n]/g, ' ');
}
