/**
 * Measures this project's workflow engine and its routing beside those of other projects, on the same work, in one
 * process, in rounds by turns, and prints one document of Markdown. `--quick` makes the rounds short and few.
 */
import './quiet.ts';
import { complain, printDocument } from '../support/document.ts';
import { readOptions } from '../support/options.ts';
import { endOnSignals } from '../support/processes.ts';
import { comparison } from './comparison.ts';

endOnSignals();
try {
  const options = readOptions(process.argv.slice(2), [comparison.name]);
  process.exitCode = (await printDocument([comparison], options)) ? 0 : 1;
} catch (error) {
  complain(error);
  process.exitCode = 1;
}
