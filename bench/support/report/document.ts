import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.ts';
import type { Options } from './options.ts';
import type { Section, SectionResult } from './section.ts';
import { markdownTable } from './table.ts';
import { type TargetResult, targetStatus } from './target.ts';

/** Characters of an error that are printed. */
const MAX_ERROR_LENGTH = 500;

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Measures the sections one after the other and prints each when it is done. A failed section prints its error, and the
 * others continue. Resolves to false if a section failed.
 */
export async function printReport(sections: readonly Section[], options: Options): Promise<boolean> {
  const targets: TargetResult[] = [];
  let succeeded = true;
  print('# Benchmarks', ...(await describeMachine()));
  if (options.quick) print('Measured with `--quick`: few short rounds, rough results.');
  for (const section of sections.filter(({ name }) => options.sections.includes(name))) {
    process.stderr.write(`measuring ${section.name} …\n`);
    const findings = await measure(section, options.quick);
    succeeded &&= findings !== undefined;
    targets.push(...(findings?.targets ?? []));
  }
  if (targets.length > 0) print('## Targets', targetTable(targets));
  return succeeded;
}

async function measure(section: Section, quick: boolean): Promise<SectionResult | undefined> {
  print(`## ${section.title}`);
  try {
    const findings = await section.measure(quick);
    print(...findings.blocks);
    return findings;
  } catch (error) {
    print(`**This section failed:** ${withoutPaths(error)}`);
    printError(error);
    return undefined;
  }
}

function targetTable(targets: readonly TargetResult[]): string {
  const rows = targets.map((target) => [target.name, target.measured, target.bound, targetStatus(target)]);
  return markdownTable(['Target', 'measured', 'bound', 'result'], rows, ['bound', 'result']);
}

/** Prints an error on standard error. */
export function printError(error: unknown): void {
  process.stderr.write(`${withoutPaths(error)}\n`);
}

/** The beginning of the error message, without paths of this machine. */
function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_ERROR_LENGTH).replaceAll(root, '').replaceAll(tmpdir(), '<tmp>').trim();
}

function print(...blocks: readonly string[]): void {
  for (const block of blocks) process.stdout.write(`${block}\n\n`);
}
