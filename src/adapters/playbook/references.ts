import type { JsonValue } from '../../lib/json/json.ts';
import { membersOf } from '../../lib/json/schema-members.ts';
import type { PlaybookDefinition } from './definition.ts';
import type { Path } from './faults.ts';
import { show, suggest } from './nearest.ts';

/** The values that every expression and template sees. */
export const messageRoots = ['entities', 'message', 'customer', 'conversation'] as const;

/** What a template or an expression may read: its roots, and their members where they are fixed. */
export type Scope = ReadonlyMap<string, Members>;

/** Undefined where any member is allowed. */
type Members = ReadonlyMap<string, Members | undefined> | undefined;

const fixed = (...names: readonly string[]): Members => new Map(names.map((name) => [name, undefined]));

const article: Members = fixed('title', 'text');

/** The members of a list of articles. Positions are read as their first one. */
const articles: Members = new Map([
  ['first', article],
  ['last', article],
  ['size', undefined],
]);

/**
 * The members that outputs with these schemas have together. Undefined where one of them may have any: without a
 * schema, or with one that does not tell.
 */
export function outputMembers(schemas: readonly (JsonValue | undefined)[]): Members {
  const known = schemas.map(membersOf);
  const all = new Map<string, JsonValue[]>();
  for (const members of known) {
    if (members === undefined) return undefined;
    for (const [name, schema] of members) all.set(name, [...(all.get(name) ?? []), schema]);
  }
  return new Map([...all].map(([name, stated]) => [name, outputMembers(stated)]));
}

/** The scope of expressions. */
export function expressionScope(entities: Iterable<string>): Scope {
  return new Map<string, Members>([
    ['entities', fixed(...entities)],
    ['message', fixed('text', 'subject', 'source', 'metadata')],
    ['customer', fixed('id')],
    ['conversation', fixed('id')],
  ]);
}

/**
 * The scope of templates: what expressions see and the company, and the members of tool outputs and articles where
 * there are some.
 */
export function templateScope(
  entities: Iterable<string>,
  company: PlaybookDefinition['company'],
  brings: { readonly tool: false | Members; readonly articles: boolean },
): Scope {
  const companyMembers: Members = new Map([
    ['name', undefined],
    ['signature', undefined],
    ['languages', undefined],
    ['contact', fixed(...Object.keys(company?.contact ?? {}))],
  ]);
  return new Map<string, Members>([
    ...expressionScope(entities),
    ['company', companyMembers],
    ...(brings.tool === false ? [] : [['tool', brings.tool] as const]),
    ...(brings.articles ? [['articles', articles] as const] : []),
  ]);
}

/** Where the values of a root are stated, for a text at a path: there it may be that they are missing by mistake. */
export function sourcesOf(root: string | number | undefined, path: Path): readonly Path[] {
  const intent = path[0] === 'intents' ? path.slice(0, 2) : undefined;
  switch (root) {
    case 'entities':
      return [['entities']];
    case 'company':
      return [['company', 'contact']];
    case 'tool':
      return intent === undefined ? [] : [[...intent, 'tool'], [...intent, 'tools'], ['tools']];
    case 'articles':
      return intent === undefined ? [] : [[...intent, root]];
    default:
      return [];
  }
}

/** What is wrong with a path, or undefined. An undefined part is one that only the values decide. */
export function checkReference(
  path: readonly (string | number | undefined)[],
  scope: Scope,
): string | undefined {
  const [root, ...rest] = path;
  const name = String(root);
  if (!scope.has(name)) return unknown(name, scope.keys());
  let members = scope.get(name);
  let at = name;
  if (rest.length === 0 && members !== undefined && members !== articles && name !== 'tool') {
    return `${show(at)} is an object; expected one of its members: ${[...members.keys()].join(', ')}`;
  }
  for (const part of rest) {
    if (members === undefined || part === undefined) return undefined;
    const key = typeof part === 'number' && members === articles ? 'first' : String(part);
    at = `${at}.${part}`;
    if (!members.has(key)) return unknown(at, members.keys(), key);
    members = members.get(key);
  }
  return undefined;
}

function unknown(name: string, known: Iterable<string>, last = name): string {
  const names = [...known];
  const expected = names.length === 0 ? '; there is none' : `; expected ${names.slice(0, 20).join(', ')}`;
  return `there is no ${show(name)}${suggest(last, names) || expected}`;
}
