/**
 * Measures this project's workflow engine and its routing beside those of other projects, on the same work, in one
 * process, in rounds by turns, and prints one document of Markdown. `--quick` makes the rounds short and few.
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
