import { parseArgs } from 'node:util';

/** What the command line asked for. */
export interface Options {
  /** Short rounds and few of them: rough figures, in under two minutes for everything. */
  readonly quick: boolean;
  /** Names of the sections to measure. */
  readonly sections: readonly string[];
}

/** Reads `--quick` and `--only name,name`. Throws one line that says what can be asked for. */
export function parseOptions(args: readonly string[], known: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
  });
  const named = values.only?.flatMap((names) => names.split(',')).map((name) => name.trim()) ?? [];
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no section is called ${unknown.join(' or ')}; there are ${known.join(', ')}`);
  }
  const wanted = named.length === 0 ? known : known.filter((name) => named.includes(name));
  return { quick: values.quick, sections: wanted };
}
