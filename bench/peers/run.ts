/**
 * Compares this project's workflow engine, routing and durable runs with other projects: the same work, in alternating
 * rounds. Prints a report in Markdown. `--quick` means few short rounds, `--only peers` or `--only durable` one part.
 */
import './disable-telemetry.ts';
import { exitOnSignals } from '../support/process/programs.ts';
import { printError, printReport } from '../support/report/document.ts';
import { parseOptions } from '../support/report/options.ts';
import { comparison } from './comparison.ts';
import { durable } from './durable/comparison.ts';

const sections = [comparison, durable];

exitOnSignals();
try {
  const options = parseOptions(
    process.argv.slice(2),
    sections.map(({ name }) => name),
  );
  process.exitCode = (await printReport(sections, options)) ? 0 : 1;
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
