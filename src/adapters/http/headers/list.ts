/**
 * The members of a header that is a list, without the spaces around them. Separators in quoted strings do not count.
 */
export function splitHeader(text: string, separator: ',' | ';'): readonly string[] {
  const members: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === '\\') index++;
    else if (!quoted && character === separator) {
      members.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  members.push(text.slice(start).trim());
  return members;
}

/** A `name=value` of a header: the name in lower case, the value without its quotes. Without a value, it is empty. */
export function parsePair(text: string): readonly [name: string, value: string] {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=').trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return [name.trim().toLowerCase(), isQuoted ? value.slice(1, -1) : value];
}
