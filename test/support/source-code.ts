import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Expression, parseSync, Visitor, type VisitorObject } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** Its path in the repository. */
  readonly path: string;
  readonly source: string;
}

/** The TypeScript and JavaScript files of a folder of the repository, those of its packages left out. */
export function sourcesIn(folder: string): readonly SourceFile[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && !/(?:^|\/)node_modules\//.test(path))
    .map((path) => ({
      path: `${folder}/${path}`,
      source: readFileSync(`${root}${folder}/${path}`, 'utf8'),
    }));
}

const parsed = new WeakMap<SourceFile, ReturnType<typeof parseSync>>();

/** The syntax tree and the comments of a file, parsed once. Throws where it is no TypeScript. */
export function parse(file: SourceFile): ReturnType<typeof parseSync> {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const result = parseSync(file.path, file.source);
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${file.path}: ${error.message}`);
  parsed.set(file, result);
  return result;
}

/** Calls the visitor for the nodes of a file; a node comes before those that it contains. */
export function visit(file: SourceFile, visitor: VisitorObject): void {
  new Visitor(visitor).visit(parse(file).program);
}

/** The place of an offset, as `path:line`. */
export function placeOf({ path, source }: SourceFile, offset: number): string {
  return `${path}:${source.slice(0, offset).split('\n').length}`;
}

/** The name of an expression that is an identifier; else undefined. */
export const nameOf = (node: Expression): string | undefined =>
  node.type === 'Identifier' ? node.name : undefined;

/** An import of a source. `specifier` is null if it is computed. */
export interface Import {
  readonly specifier: string | null;
  /** True for an import that is erased: `import type`, or only names with `type`. */
  readonly typeOnly: boolean;
  /** The offset in the source. */
  readonly start: number;
}

/** All imports of a source: of values and types, re-exports, `import()` as an expression and as a type, `require`. */
export function importsOf(file: SourceFile): readonly Import[] {
  const imports: Import[] = [];
  const add = (start: number, specifier: string | null, typeOnly = false): void => {
    imports.push({ specifier, typeOnly, start });
  };
  const isErased = (kind: string | undefined, names: readonly (string | undefined)[]): boolean =>
    kind === 'type' || (names.length > 0 && names.every((name) => name === 'type'));

  visit(file, {
    ImportDeclaration({ start, source, importKind, specifiers }) {
      const kinds = specifiers.map((name) => (name.type === 'ImportSpecifier' ? name.importKind : 'value'));
      add(start, source.value, isErased(importKind, kinds));
    },
    ExportNamedDeclaration({ start, source, exportKind, specifiers }) {
      const kinds = specifiers.map((name) => name.exportKind);
      if (source !== null) add(start, source.value, isErased(exportKind, kinds));
    },
    ExportAllDeclaration: ({ start, source, exportKind }) => add(start, source.value, exportKind === 'type'),
    ImportExpression: ({ start, source }) => add(start, textOf(source)),
    TSImportType: ({ start, source }) => add(start, source.value, true),
    TSExternalModuleReference: ({ start, expression }) => add(start, expression.value),
    CallExpression({ start, callee, arguments: [argument] }) {
      if (nameOf(callee) !== 'require') return;
      add(start, argument === undefined || argument.type === 'SpreadElement' ? null : textOf(argument));
    },
  });
  return imports;
}

/** The text of a literal without substitutions; null for any other expression. */
function textOf(node: Expression): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node.type === 'TemplateLiteral' && node.expressions.length === 0
    ? (node.quasis[0]?.value.cooked ?? null)
    : null;
}
