/**
 * Compares this project's workflow engine and routing with other projects: the same work, in one process, in
 * alternating rounds. Prints a report in Markdown. `--quick` means few short rounds.
 */
import './disable-telemetry.ts';
import { exitOnSignals } from '../support/process/programs.ts';
import { printError, printReport } from '../support/report/document.ts';
import { parseOptions } from '../support/report/options.ts';
import { comparison } from './comparison.ts';

exitOnSignals();
try {
  const options = parseOptions(process.argv.slice(2), [comparison.name]);
  process.exitCode = (await printReport([comparison], options)) ? 0 : 1;
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
