/** Where the values of a JSON text begin, by their JSON pointers: characters from its start. */
export type JsonPlaces = ReadonlyMap<string, number>;

/** The parts of a JSON text: texts, signs, and everything else up to the next sign. A text ends with its line. */
const token = /"(?:[^"\\\n]|\\[^\n])*"?|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Levels up to which places are told. */
const MAX_DEPTH = 100;

/**
 * The places of all values of a JSON text, in one pass. A text that is no JSON has those before its mistake. The place
 * of a member is that of its name.
 */
export function placesOf(text: string): JsonPlaces {
  const places = new Map<string, number>();
  const open: { readonly pointer: string; readonly isList: boolean; index: number; isName: boolean }[] = [];
  let named: { readonly pointer: string; readonly at: number } | undefined;
  for (const match of text.matchAll(token)) {
    const [part] = match;
    const within = open.at(-1);
    if (part === '}' || part === ']') open.pop();
    else if (part === ',') {
      if (within !== undefined) {
        within.index++;
        within.isName = !within.isList;
      }
    } else if (part === ':') continue;
    else if (within?.isName === true) {
      within.isName = false;
      named = { pointer: `${within.pointer}/${escaped(part)}`, at: match.index };
      places.set(named.pointer, named.at);
    } else {
      const pointer =
        within === undefined ? '' : within.isList ? `${within.pointer}/${within.index}` : named?.pointer;
      if (pointer === undefined) return places;
      if (within === undefined || within.isList) places.set(pointer, match.index);
      if (part === '{' || part === '[') {
        if (open.length === MAX_DEPTH) return places;
        open.push({ pointer, isList: part === '[', index: 0, isName: part === '{' });
      }
    }
  }
  return places;
}

function escaped(name: string): string {
  let plain = name.slice(1, -1);
  if (plain.includes('\\')) {
    try {
      plain = String(JSON.parse(name));
    } catch {
      // A name that is not finished is taken as it stands.
    }
  }
  return plain.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The line, from 1, that a pointer means: that of the value, or of the closest one around it that is there. */
export function lineOf(text: string, places: JsonPlaces, pointer: string): number {
  let at = pointer;
  while (!places.has(at) && at !== '') at = at.slice(0, at.lastIndexOf('/'));
  return lineAt(text, places.get(at) ?? 0);
}

/** The line, from 1, of a character. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The pointer that the path at the start of a warning means: `steps.1.tool_name: …` is `/steps/1/tool_name`. */
export function pointerOfWarning(warning: string): string {
  const [, path] = /^([\w$-]+(?:\.[\w$-]+)*):/.exec(warning) ?? [];
  return path === undefined || path === 'body' ? '' : `/${path.replaceAll('.', '/')}`;
}

/** The first fault that keeps a text from being JSON, and its line; undefined for JSON. */
export function jsonProblem(text: string): { readonly line: number; readonly detail: string } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    const detail = thrown instanceof Error ? thrown.message : 'cannot be read';
    return { line: lineAt(text, mistakeIn(text)), detail: `not JSON: ${detail}` };
  }
}

const scalar = /^(?:"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)$/;

/**
 * The place of the first part of a text that JSON does not have there; the end of the text where something is missing.
 */
function mistakeIn(text: string): number {
  const open: string[] = [];
  let wants: 'value' | 'name' | 'colon' | 'comma' = 'value';
  let mayEnd = false;
  for (const { 0: part, index } of text.matchAll(token)) {
    if (part === '}' || part === ']') {
      if ((wants !== 'comma' && !mayEnd) || open.pop() !== (part === '}' ? '{' : '[')) return index;
      [wants, mayEnd] = ['comma', false];
    } else if (wants === 'comma') {
      if (part !== ',' || open.length === 0) return index;
      wants = open.at(-1) === '{' ? 'name' : 'value';
    } else if (wants === 'colon') {
      if (part !== ':') return index;
      wants = 'value';
    } else if (wants === 'name') {
      if (!part.startsWith('"') || !scalar.test(part)) return index;
      [wants, mayEnd] = ['colon', false];
    } else if (part === '{' || part === '[') {
      open.push(part);
      [wants, mayEnd] = [part === '{' ? 'name' : 'value', true];
    } else {
      if (!scalar.test(part)) return index;
      [wants, mayEnd] = ['comma', false];
    }
  }
  return text.trimEnd().length;
}
