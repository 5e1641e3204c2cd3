import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { type Article, type ArticleFolder, readArticles } from './articles.ts';
import { type CheckContext, checkPlaybook, checkTools, type ToolChecks } from './check.ts';
import { checkArticles } from './check-intents.ts';
import { createReport } from './check-texts.ts';
import { compilePlaybook } from './compile.ts';
import { languagesOf, type PlaybookDefinition, SEARCH_ARTICLES, type ToolDefinition } from './definition.ts';
import {
  byPlace,
  type Issue,
  limitFaults,
  MAX_FAULTS,
  PlaybookError,
  type PlaybookFault,
  withoutConsequences,
  withoutPlace,
} from './faults.ts';
import { playbookLimits } from './fields.ts';
import { createPlaybookSchema, type ToolSchema } from './schema.ts';
import { checkForm, MAX_PLAYBOOK_BYTES, parseYaml, readBytes } from './yaml.ts';

/** The checks of a playbook, with the schema of its tools. */
export interface PlaybookContext<T extends ToolDefinition> extends CheckContext<T> {
  /** The schema of a tool that a playbook declares. */
  readonly tool: ToolSchema<T>;
}

/** A playbook that was read, with what it brings to the rest of the service. */
export interface LoadedPlaybook<T extends ToolDefinition = ToolDefinition> {
  readonly playbook: Playbook;
  readonly definition: PlaybookDefinition<T>;
  /** The folder that the paths of the definition are relative to. */
  readonly directory: string;
  /** The articles of its folder, for the tool {@link SEARCH_ARTICLES}. Empty where it names no folder. */
  readonly articles: readonly Article[];
  readonly tools: readonly T[];
  readonly exampleTools: boolean;
  /** The absolute path of the file of its classifier. */
  readonly classifier: string | undefined;
  readonly warnings: readonly PlaybookFault[];
}

/** The outcome of reading a playbook: `loaded` is undefined where there are faults. */
export interface ReadPlaybook<T extends ToolDefinition = ToolDefinition> {
  readonly loaded: LoadedPlaybook<T> | undefined;
  readonly faults: readonly PlaybookFault[];
  readonly warnings: readonly PlaybookFault[];
}

/** Reads and checks the playbook in a file. Throws {@link PlaybookError} with all its faults. */
export function loadPlaybook<T extends ToolDefinition>(
  path: string,
  context: PlaybookContext<T>,
): LoadedPlaybook<T> {
  const { loaded, faults } = readPlaybook(path, context);
  if (loaded === undefined) throw new PlaybookError(path, faults);
  return loaded;
}

/** Reads and checks the playbook in a file. Never throws for what is in it. */
export function readPlaybook<T extends ToolDefinition>(
  path: string,
  context: PlaybookContext<T>,
): ReadPlaybook<T> {
  const failed = (faults: readonly PlaybookFault[]) => ({
    loaded: undefined,
    warnings: [],
    faults: limitFaults(faults),
  });
  const read = readBytes(path, MAX_PLAYBOOK_BYTES);
  if (read.fault !== undefined) return failed([withoutPlace(read.fault)]);
  const parsed = parseYaml(read.bytes, createPlaybookSchema(context));
  if (parsed.faults !== undefined) return failed(parsed.faults);
  return finish(parsed, { source: path, directory: dirname(resolve(path)), locate: parsed.locate }, context);
}

/**
 * Makes a playbook of plain data. Paths in it are relative to `directory`. Throws {@link PlaybookError} with all its
 * faults, which name the members and no lines.
 */
export function createPlaybook<T extends ToolDefinition>(
  definition: PlaybookDefinition<T>,
  context: PlaybookContext<T>,
  {
    source = 'code',
    directory = process.cwd(),
  }: { readonly source?: string; readonly directory?: string } = {},
): LoadedPlaybook<T> {
  const schema = createPlaybookSchema(context);
  const locate = ({ path, message }: Issue) => withoutPlace(message, path);
  const { loaded, faults } = finish(checkForm(schema, definition), { source, directory, locate }, context);
  if (loaded === undefined) throw new PlaybookError(source, faults);
  return loaded;
}

interface Origin {
  readonly source: string;
  readonly directory: string;
  locate(issue: Issue): PlaybookFault;
}

/** The names of intents that articles are compared with. */
const intentNames: Issue = { path: [], message: '', restsOn: [['intents']] };

/** Checks a playbook whose form was checked, and makes it where nothing is wrong. All faults are told together. */
function finish<T extends ToolDefinition>(
  { value: definition, issues }: { readonly value: PlaybookDefinition<T>; readonly issues: readonly Issue[] },
  { source, directory, locate }: Origin,
  context: CheckContext<T>,
): ReadPlaybook<T> {
  // More could not be told.
  if (issues.length >= MAX_FAULTS) {
    return { loaded: undefined, faults: limitFaults(issues.map(locate).sort(byPlace)), warnings: [] };
  }
  const languages = languagesOf(definition);
  const folder = readFolder(definition.articles, directory, languages[0], locate);
  const report = checkPlaybook(definition, folder.isComplete ? folder.articles : undefined, context);
  const ofArticles = checkArticles(folder.articles, definition.intents, languages);
  // Articles may name the intents whose names could not be read.
  const areIntentsKnown = withoutConsequences(issues, [intentNames]).length > 0;
  const classifier = resolveInside(definition.classifier, directory);
  const missing: Issue[] =
    definition.classifier !== undefined && classifier === undefined
      ? [{ path: ['classifier'], message: 'there is no such file in the folder of the playbook' }]
      : [];
  // A playbook is checked before its classifier is trained, but not used without it.
  const isFault = context.missing === 'fault' || !isInside(definition.classifier ?? '.', directory);
  const toFault = ({ article, message }: { readonly article: Article; readonly message: string }) => ({
    path: 'intents',
    line: 1,
    column: 1,
    message,
    file: join(directory, definition.articles ?? '', `${article.id}.md`),
  });
  const faults = limitFaults([
    ...[...issues, ...withoutConsequences(issues, [...(isFault ? missing : []), ...report.faults])]
      .map(locate)
      .sort(byPlace),
    ...folder.faults,
    ...(areIntentsKnown ? ofArticles.faults : []).map(toFault),
  ]);
  const warnings = limitFaults([
    ...withoutConsequences(issues, [...(isFault ? [] : missing), ...report.warnings])
      .map(locate)
      .sort(byPlace),
    ...ofArticles.warnings.map(toFault),
  ]);
  if (faults.length > 0) return { loaded: undefined, faults, warnings };
  const playbook = compilePlaybook(
    definition,
    source,
    definition.articles === undefined ? undefined : SEARCH_ARTICLES,
    folder.articles,
  );
  const { tools = [], example_tools: exampleTools = true } = definition;
  const { articles } = folder;
  const loaded = { playbook, definition, directory, articles, tools, exampleTools, classifier, warnings };
  return { loaded, faults, warnings };
}

/** The articles of a playbook; faults of the folder get the place of the member that names it. */
function readFolder(
  articles: string | undefined,
  directory: string,
  defaultLanguage: string,
  locate: Origin['locate'],
): ArticleFolder {
  if (articles === undefined || articles === '') return { articles: [], faults: [], isComplete: true };
  const folder = resolveInside(articles, directory);
  if (folder === undefined) {
    const message = 'there is no such folder in the folder of the playbook; expected one such as ./articles';
    return { articles: [], faults: [locate({ path: ['articles'], message })], isComplete: false };
  }
  const read = readArticles(folder, defaultLanguage);
  const faults = read.faults.map((fault) =>
    fault.file === undefined ? locate({ path: ['articles'], message: fault.message }) : fault,
  );
  return { articles: read.articles, faults, isComplete: read.isComplete };
}

function isInside(path: string, directory: string): boolean {
  return !isAbsolute(path) && `${resolve(directory, path)}${sep}`.startsWith(`${directory}${sep}`);
}

/** The absolute path of what a playbook names; undefined where it does not exist, or is not in the directory. */
function resolveInside(path: string | undefined, directory: string): string | undefined {
  if (path === undefined || isAbsolute(path)) return undefined;
  const absolute = resolve(directory, path);
  if (!absolute.startsWith(`${directory}${sep}`) || !existsSync(absolute)) return undefined;
  const real = realpathSync(absolute);
  return real.startsWith(`${realpathSync(directory)}${sep}`) ? absolute : undefined;
}

// A file of tools

/** The checks of a file of tools, with the schema of a tool. */
interface ToolsFileContext<T extends ToolDefinition> extends Omit<ToolChecks<T>, 'schemasOf'> {
  readonly tool: ToolSchema<T>;
}

/**
 * Reads the tools of a file without a playbook: `tools`, in the form that a playbook has them. Throws
 * {@link PlaybookError} with all its faults and their places.
 */
export function readToolsFile<T extends ToolDefinition>(
  path: string,
  context: ToolsFileContext<T>,
): readonly T[] {
  const schema = z.strictObject({ tools: z.array(context.tool).max(playbookLimits.tools) });
  const read = readBytes(path, MAX_PLAYBOOK_BYTES);
  if (read.fault !== undefined) throw new PlaybookError(path, [withoutPlace(read.fault)]);
  const parsed = parseYaml(read.bytes, schema);
  if (parsed.faults !== undefined) throw new PlaybookError(path, limitFaults(parsed.faults));
  const report = createReport();
  checkTools(parsed.value, context, report);
  const names = new Set<string>();
  for (const [index, { name }] of parsed.value.tools.entries()) {
    if (names.has(name)) report.fault(['tools', index, 'name'], `another tool has the name ${name}`);
    names.add(name);
  }
  const issues = [...parsed.issues, ...withoutConsequences(parsed.issues, report.faults)];
  if (issues.length > 0) throw new PlaybookError(path, limitFaults(issues.map(parsed.locate).sort(byPlace)));
  return parsed.value.tools;
}
