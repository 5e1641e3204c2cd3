import { parseArgs } from 'node:util';

/** The command line options. */
export interface Options {
  /** Few short rounds: rough results, in a few minutes for all sections. */
  readonly quick: boolean;
  /** Names of the sections to measure. */
  readonly sections: readonly string[];
}

/** Parses `--quick` and `--only name,name`. Throws an error that lists the sections if one is unknown. */
export function parseOptions(args: readonly string[], known: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
  });
  const named = values.only?.flatMap((names) => names.split(',')).map((name) => name.trim()) ?? [];
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`unknown section: ${unknown.join(', ')}; the sections are ${known.join(', ')}`);
  }
  const wanted = named.length === 0 ? known : known.filter((name) => named.includes(name));
  return { quick: values.quick, sections: wanted };
}
