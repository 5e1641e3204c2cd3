import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatFault } from '../adapters/playbook/faults.ts';
import { type LoadedPlaybook, readPlaybook } from '../adapters/playbook/load.ts';
import { playbookContext } from '../adapters/playbook-context.ts';
import { PACKAGE_FOLDER } from '../adapters/shared/package-folder.ts';
import { loadEnvironment } from './settings.ts';

/** The pages of the package that say how to go on. */
const guides = [
  ['step by step', pageOf('make-it-yours.md')],
  ['all members', pageOf('playbook.md')],
] as const;

function pageOf(name: string): string {
  return fileURLToPath(new URL(`docs/${name}`, PACKAGE_FOLDER));
}

/** A small playbook to begin with. */
const STARTER = new URL('playbook/starter/', PACKAGE_FOLDER);
const starterFiles = ['playbook.yaml', 'articles/opening-hours.md'];

/** The usage of the command. */
const usage = `usage: orchestration-service playbook check FILE [--json] [--strict]
       orchestration-service playbook init [DIR]`;

/**
 * Runs `playbook check FILE` or `playbook init [DIR]`. Resolves to the exit code: 0 without faults, 1 with faults, or
 * with `--strict` also with warnings, 2 for a wrong usage.
 */
export async function runPlaybook(args: readonly string[]): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return refuseUsage(error instanceof Error ? error.message : String(error));
  }
  const { positionals, values } = parsed;
  const [command, path, ...rest] = positionals;
  if (values.help) return print(usage, 0);
  if (command === 'check' && path !== undefined && rest.length === 0) return check(path, values);
  const isPlain = !values.json && !values.strict;
  if (command === 'init' && rest.length === 0 && isPlain) return init(path ?? 'playbook');
  return refuseUsage('expected `check FILE` or `init [DIR]`');
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

/** The options of the check of a playbook. */
interface CheckOptions {
  readonly json: boolean;
  /** Warnings fail the check. */
  readonly strict: boolean;
}

function check(path: string, { json, strict }: CheckOptions): number {
  loadEnvironment();
  const { loaded, faults, warnings } = readPlaybook(path, playbookContext('warning'));
  const code = faults.length > 0 || (strict && warnings.length > 0) ? 1 : 0;
  if (json) return print(JSON.stringify({ ok: code === 0, faults, warnings, counts: counts(loaded) }), code);
  const lines = [
    ...faults.map((fault) => formatFault(path, fault)),
    ...warnings.map((warning) => formatFault(path, warning, 'warning')),
  ];
  const accepted = code === 0 ? loaded : undefined;
  return print([...lines, summary(path, accepted, faults.length, warnings.length)].join('\n'), code);
}

/** The counts of a playbook without faults; null for one with faults. */
function counts(loaded: LoadedPlaybook | undefined) {
  if (loaded === undefined) return null;
  const { playbook, articles, tools } = loaded;
  return {
    intents: playbook.intents.size,
    entities: playbook.entities.length,
    articles: articles.length,
    tools: tools.length,
  };
}

function summary(path: string, loaded: LoadedPlaybook | undefined, faults: number, warnings: number): string {
  const counted = counts(loaded);
  if (counted === null) return `${path}: ${plural(faults, 'fault')}, ${plural(warnings, 'warning')}`;
  const { intents, entities, articles, tools } = counted;
  return [
    `${path}: valid: ${plural(intents, 'intent')}`,
    entities === 1 ? '1 entity' : `${entities} entities`,
    ...[plural(articles, 'article'), plural(tools, 'tool'), plural(warnings, 'warning')],
  ].join(', ');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function init(directory: string): number {
  const files = starterFiles.map((name) => join(directory, name));
  const existing = files.find((path) => existsSync(path));
  if (existing !== undefined) {
    process.stderr.write(`${existing} exists already; nothing was written\n`);
    return 1;
  }
  try {
    mkdirSync(join(directory, 'articles'), { recursive: true });
    for (const name of starterFiles) {
      writeFileSync(join(directory, name), readFileSync(new URL(name, STARTER)), { flag: 'wx' });
    }
  } catch (error) {
    process.stderr.write(`${directory}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  const wrote = files.map((path) => `wrote ${path}`);
  const check = `check it: orchestration-service playbook check ${join(directory, 'playbook.yaml')}`;
  return print([...wrote, check, ...guides.map(([title, file]) => `${title}: ${file}`)].join('\n'), 0);
}

function print(text: string, code: number): number {
  process.stdout.write(`${text}\n`);
  return code;
}

function refuseUsage(message: string): number {
  process.stderr.write(`${message}\n${usage}\n`);
  return 2;
}
