import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A statement of a declaration file. */
interface Statement {
  /** Without its comments. */
  readonly text: string;
  /** True where a docstring stands before it. */
  readonly documented: boolean;
  /** The name that it declares; null for imports and re-exports. */
  readonly declares: string | null;
}

/** A name, and what it stands for where it is declared. */
interface Declaration {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly documented: boolean;
}

/** The public names of a package by entry, from its declaration files. */
export interface Api {
  /** All declarations as text that changes only when they do. */
  readonly report: string;
  /** Types that public declarations mention and that cannot be imported, each as `Public mentions Hidden`. */
  readonly hidden: readonly string[];
  /** Public names without a docstring. */
  readonly undocumented: readonly string[];
}

const start = /^(?:export|import|declare|interface|type|const|class|function|abstract)\b/;
const declared =
  /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|const|class|function) ([A-Za-z_$][\w$]*)/;
const renamed = /^(?:type )?([\w$]+)(?: as ([\w$]+))?$/;

/** A declaration longer than this is that of a long inferred type, of which the outline is lines. */
const LONG = 200;

/** Reads what a package declares, entry by entry; `exports` is that of its package.json. */
export function readApi(folder: string, exports: Readonly<Record<string, unknown>>): Api {
  const entries = Object.entries(exports).flatMap(([entry, target]) => {
    const path = typesOf(target);
    return path === undefined ? [] : [{ entry, names: publicNames(join(folder, path)) }];
  });
  const seen = new Map<string, string>();
  const parts = entries.map(({ entry, names }) => {
    const lines = names.map((declaration) => {
      const key = keyOf(declaration);
      const before = seen.get(key);
      seen.set(key, before ?? entry);
      if (before === undefined) return outlined(declaration.text);
      return `// ${declaration.name}: as in ${before.replace('.', 'orchestration-service')}`;
    });
    return `# ${entry.replace('.', 'orchestration-service')}\n\n${lines.join('\n')}\n`;
  });
  const all = entries.flatMap(({ names }) => names);
  const hidden = all.flatMap((declaration) => hiddenTypes(declaration, seen, folder));
  const undocumented = all.flatMap(({ name, documented }) => (documented ? [] : [name]));
  return { report: parts.join('\n'), hidden: unique(hidden), undocumented: unique(undocumented) };
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

function typesOf(target: unknown): string | undefined {
  return typeof target === 'object' && target !== null && 'types' in target
    ? String(target.types)
    : undefined;
}

const keyOf = ({ path, name }: Pick<Declaration, 'path' | 'name'>): string => `${path}#${name}`;

/** The exports of a module, by name. */
function publicNames(path: string): readonly Declaration[] {
  const names = statements(path).flatMap(({ text, declares }) => {
    if (!text.startsWith('export ')) return [];
    const all = everythingOf(path, text);
    if (all !== undefined) return publicNames(all).map(({ name }) => name);
    return declares === null ? namesWithin(text).map(({ outside }) => outside) : [declares];
  });
  return unique(names).map((name) => find(path, name));
}

/** The module whose names all are exported by a statement of another one; undefined for other statements. */
function everythingOf(path: string, text: string): string | undefined {
  const source = /^export (?:type )?\* from '(\.{1,2}\/[^']+)\.js';$/.exec(text)?.[1];
  return source === undefined ? undefined : join(dirname(path), `${source}.d.ts`);
}

/** The declaration that a name in a module stands for. */
function find(path: string, name: string): Declaration {
  const all = statements(path);
  const own = all.filter(({ declares }) => declares === name);
  if (own.length > 0) {
    const text = own.map((statement) => statement.text).join('\n');
    return { path, name, text, documented: own.some(({ documented }) => documented) };
  }
  for (const { text, declares } of all) {
    const match = declares === null && namesWithin(text).find(({ outside }) => outside === name);
    const source = /from '(\.{1,2}\/[^']+)\.js';$/.exec(text)?.[1];
    if (match && source !== undefined) return find(join(dirname(path), `${source}.d.ts`), match.inside);
    const all = everythingOf(path, text);
    const found = all && publicNames(all).find((declaration) => declaration.name === name);
    if (found) return found;
  }
  throw new Error(`${path} declares no ${name}`);
}

/** The names between the braces of an import or export. */
function namesWithin(text: string): readonly { readonly inside: string; readonly outside: string }[] {
  const list = /\{([^}]*)\}/.exec(text)?.[1] ?? '';
  return list.split(',').flatMap((item) => {
    const [, inside, outside] = renamed.exec(item.trim()) ?? [];
    return inside === undefined ? [] : [{ inside, outside: outside ?? inside }];
  });
}

const DOCSTRING = '/** */';

const parsed = new Map<string, readonly Statement[]>();

function statements(path: string): readonly Statement[] {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  // A docstring becomes a line that only says that there is one.
  const code = readFileSync(path, 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, DOCSTRING);
  const found: { text: string; documented: boolean }[] = [];
  let documented = false;
  for (const line of code.split('\n')) {
    if (line === DOCSTRING) documented = true;
    if (line.trim() === '' || line.includes(DOCSTRING) || line.startsWith('//')) continue;
    const last = found.at(-1);
    if (last !== undefined && !start.test(line)) last.text += `\n${line}`;
    else {
      found.push({ text: line, documented });
      documented = false;
    }
  }
  const all = found.map((statement) => ({
    ...statement,
    declares: declared.exec(statement.text)?.[1] ?? null,
  }));
  parsed.set(path, all);
  return all;
}

/** A declaration, or of a long one no more than its outer levels. */
function outlined(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= LONG) return text;
  return lines.filter((line) => /^ {0,8}[^ }]/.test(line) || /^[^ ]/.test(line)).join('\n');
}

function hiddenTypes(
  { path, name, text }: Declaration,
  known: ReadonlyMap<string, string>,
  folder: string,
): readonly string[] {
  const code = outlined(text).replaceAll(/'[^']*'|"[^"]*"/g, '');
  const mentioned = statements(path).flatMap((statement) => {
    if (statement.declares !== null) return [statement.declares];
    const isRelative = /^import .* from '\.{1,2}\//s.test(statement.text);
    return isRelative ? namesWithin(statement.text).map(({ outside }) => outside) : [];
  });
  return mentioned
    .filter((other) => other !== name && new RegExp(`\\b${other.replaceAll('$', '\\$')}\\b`).test(code))
    .map((other) => find(path, other))
    .filter((declaration) => !known.has(keyOf(declaration)))
    .map((declaration) => `${name} mentions ${declaration.name} of ${relative(folder, declaration.path)}`);
}
