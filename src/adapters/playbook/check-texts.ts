import type { JsonValue } from '../../lib/json/json.ts';
import { membersOf } from '../../lib/json/schema-members.ts';
import { quote } from '../../lib/text/quote.ts';
import type { PlaybookDefinition, TextsByLanguage } from './definition.ts';
import { type Issue, MAX_FAULTS, type Path, suggest } from './faults.ts';
import { analyzeTemplate } from './templates.ts';

/** The members of an issue beside its place and message. */
type IssueDetails = Pick<Issue, 'atKey' | 'restsOn'>;

/** Collects what a check finds. */
export interface Report {
  readonly faults: readonly Issue[];
  readonly warnings: readonly Issue[];
  fault(path: Path, message: string, more?: IssueDetails): void;
  warn(path: Path, message: string, more?: IssueDetails): void;
}

/** An empty report. It keeps one more of each than are told. */
export function createReport(): Report {
  const faults: Issue[] = [];
  const warnings: Issue[] = [];
  const add =
    (list: Issue[]) =>
    (path: Path, message: string, more: IssueDetails = {}) => {
      if (list.length <= MAX_FAULTS) list.push({ path, message, ...more });
    };
  return { faults, warnings, fault: add(faults), warn: add(warnings) };
}

/** The place of the languages that texts are compared with. */
const LANGUAGES: Path = ['company', 'languages'];

/** Checks that texts are in languages of the company: the default one has to be there, the others should. */
export function checkLanguages(
  path: Path,
  texts: TextsByLanguage,
  languages: readonly string[],
  report: Report,
): void {
  checkKnownLanguages(path, texts, languages, report);
  const [main, ...others] = languages;
  if (main !== undefined && !Object.hasOwn(texts, main)) {
    report.fault(path, `has no text in "${main}", the default language; expected one`, {
      restsOn: [LANGUAGES],
    });
  }
  for (const language of others.filter((other) => !Object.hasOwn(texts, other))) {
    report.warn(path, `has no text in "${language}": messages in that language go to a person`, {
      restsOn: [LANGUAGES],
    });
  }
}

/** Checks that texts are in languages of the company. */
export function checkKnownLanguages(
  path: Path,
  texts: TextsByLanguage,
  languages: readonly string[],
  report: Report,
): void {
  for (const language of Object.keys(texts).filter((one) => !languages.includes(one))) {
    const near = suggest(language, languages) || `; expected ${languages.join(', ')}`;
    report.fault([...path, language], `${quote(language)} is not in company.languages${near}`, {
      atKey: true,
      restsOn: [LANGUAGES],
    });
  }
}

/** Checks that texts are valid templates which read only what a scope has. */
export function checkTemplates(path: Path, texts: TextsByLanguage, scope: Scope, report: Report): void {
  for (const [language, text] of Object.entries(texts)) {
    const place = [...path, language];
    if (/\$\{\{/.test(text))
      report.warn(place, 'has "$" before "{{", which is sent; templates have none there');
    const analysis = analyzeTemplate(text);
    if (analysis.error !== undefined) {
      report.fault(place, `is not a valid template: ${analysis.error}`);
      continue;
    }
    for (const { path: variable, line, column } of analysis.variables) {
      const problem = checkReference(variable, scope);
      if (problem === undefined) continue;
      const restsOn = sourcesOf(variable[0], path);
      report.fault(place, `${problem} (line ${line}, column ${column} of the text)`, { restsOn });
    }
  }
}

/** Checks that texts are no templates. */
export function checkPlain(path: Path, texts: TextsByLanguage, report: Report): void {
  for (const [language, text] of Object.entries(texts)) {
    if (/\{[{%]/.test(text)) {
      report.fault([...path, language], 'has template marks, but is sent as it is; expected plain text');
    }
  }
}

// The values that texts may read

/** The values that a template or an expression may read: its roots, and their members where they are fixed. */
type Scope = ReadonlyMap<string, Members>;

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
function sourcesOf(root: string | number | undefined, path: Path): readonly Path[] {
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

/** The fault of a path, or undefined. An undefined part is one that only the values decide. */
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
    return `${quote(at)} is an object; expected one of its members: ${[...members.keys()].join(', ')}`;
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
  return `there is no ${quote(name)}${suggest(last, names) || expected}`;
}
