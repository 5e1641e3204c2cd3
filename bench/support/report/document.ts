import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.ts';
import type { Options } from './options.ts';
import type { Section, SectionResult } from './section.ts';
import { markdownTable } from './table.ts';
import { type TargetResult, targetStatus } from './target.ts';

/** Characters of an error that are shown. */
const MAX_ERROR_LENGTH = 500;

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Measures the sections one after the other and prints each as soon as it is done. A section that fails says so in
 * its place, and the others go on. False when one failed.
 */
export async function printReport(sections: readonly Section[], options: Options): Promise<boolean> {
  const verdicts: TargetResult[] = [];
  let whole = true;
  print('# Benchmarks', ...(await describeMachine()));
  if (options.quick) print('Measured with `--quick`: few and short rounds, rough figures.');
  for (const section of sections.filter(({ name }) => options.sections.includes(name))) {
    process.stderr.write(`measuring ${section.name} …\n`);
    const findings = await measure(section, options.quick);
    whole &&= findings !== undefined;
    verdicts.push(...(findings?.targets ?? []));
  }
  if (verdicts.length > 0) print('## Targets', targetTable(verdicts));
  return whole;
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

function targetTable(verdicts: readonly TargetResult[]): string {
  const rows = verdicts.map((verdict) => [
    verdict.name,
    verdict.measured,
    verdict.target,
    targetStatus(verdict),
  ]);
  return markdownTable(['What', 'measured', 'target', 'verdict'], rows, ['target', 'verdict']);
}

/** Says on standard error what went wrong. */
export function printError(error: unknown): void {
  process.stderr.write(`${withoutPaths(error)}\n`);
}

/** How an error begins, without where on this machine that was. */
function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_ERROR_LENGTH).replaceAll(root, '').replaceAll(tmpdir(), '<tmp>').trim();
}

function print(...blocks: readonly string[]): void {
  for (const block of blocks) process.stdout.write(`${block}\n\n`);
}
