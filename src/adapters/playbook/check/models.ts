import { apiKeyVariableOf, type ModelDefinition, type PlaybookDefinition } from '../definition.ts';
import { show, suggest } from '../nearest.ts';
import type { Report } from './report.ts';

/** The part of the environment that the check of models needs. */
export interface ModelChecks {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The meaning of a missing variable. */
  readonly missing: 'fault' | 'warning';
}

/** Checks addresses, keys and fallbacks of the models. No value of a key or an address is told. */
export function checkModels(
  { models = [] }: Pick<PlaybookDefinition, 'models'>,
  checks: ModelChecks,
  report: Report,
): void {
  const byName = new Map(models.map((entry) => [entry.name, entry]));
  for (const [index, entry] of models.entries()) {
    const place = ['models', index];
    if (entry.base_url !== undefined && !isPlainAddress(entry.base_url)) {
      const message = 'must be an http:// or https:// URL without user, query and fragment';
      report.fault([...place, 'base_url'], message);
    }
    const problem = keyProblem(entry, checks.env);
    if (problem !== undefined) {
      const tell = problem.isOfEnvironment && checks.missing === 'warning' ? report.warn : report.fault;
      tell([...place, 'api_key'], problem.message);
    }
    if (entry.fallback === undefined) continue;
    const names = { restsOn: [['models']] };
    if (!byName.has(entry.fallback)) {
      const others = [...byName.keys()].filter((name) => name !== entry.name);
      const near = suggest(entry.fallback, others);
      report.fault([...place, 'fallback'], `there is no model ${show(entry.fallback)}${near}`, names);
    } else if (isInCircle(entry, byName)) {
      report.fault([...place, 'fallback'], `the fallbacks of ${show(entry.name)} lead back to it`, names);
    }
  }
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && hostname !== '' && username + password + search + hash === '';
}

interface KeyProblem {
  readonly message: string;
  /** The playbook is right, but the environment is not. */
  readonly isOfEnvironment: boolean;
}

function keyProblem({ api_key: stated }: ModelDefinition, env: ModelChecks['env']): KeyProblem | undefined {
  if (stated === undefined) return undefined;
  const variable = apiKeyVariableOf(stated);
  if (variable === undefined) {
    return { message: 'must be env:NAME, to take the key from the environment', isOfEnvironment: false };
  }
  const value = env[variable]?.trim() ?? '';
  if (/^[\x21-\x7e]+$/.test(value)) return undefined;
  const reason = value === '' ? 'is not set' : 'has characters that a key cannot have';
  return { message: `the environment variable ${variable} ${reason}`, isOfEnvironment: true };
}

function isInCircle(entry: ModelDefinition, byName: ReadonlyMap<string, ModelDefinition>): boolean {
  const seen = new Set<ModelDefinition>();
  let next = byName.get(entry.fallback ?? '');
  while (next !== undefined && !seen.has(next)) {
    if (next.name === entry.name) return true;
    seen.add(next);
    next = byName.get(next.fallback ?? '');
  }
  return false;
}
