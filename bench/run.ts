/**
 * Runs the benchmarks of the service and its parts, and prints a report in Markdown with a table of all targets.
 *
 * `npm run bench` takes about twenty-five minutes and needs an idle machine. `--quick` gives rough results in a few
 * minutes, `--only http,engine` runs these sections alone.
 */
import { refreshService } from '../build/service.ts';
import { budgets } from './sections/budgets.ts';
import { classifier } from './sections/classifier.ts';
import { console_ } from './sections/console/console.ts';
import { durable } from './sections/durable.ts';
import { engine } from './sections/engine.ts';
import { events } from './sections/events.ts';
import { http } from './sections/http.ts';
import { llm } from './sections/llm.ts';
import { memory } from './sections/memory.ts';
import { pipeline } from './sections/pipeline.ts';
import { routing } from './sections/routing.ts';
import { scale } from './sections/scale.ts';
import { stalls } from './sections/stalls.ts';
import { startUp } from './sections/start-up.ts';
import { stores } from './sections/stores.ts';
import { telemetry } from './sections/telemetry.ts';
import { language } from './sections/workflows/language.ts';
import { exitOnSignals } from './support/process/programs.ts';
import { printError, printReport } from './support/report/document.ts';
import { parseOptions } from './support/report/options.ts';

const sections = [
  http,
  pipeline,
  engine,
  language,
  routing,
  llm,
  stores,
  durable,
  events,
  telemetry,
  startUp,
  memory,
  stalls,
  scale,
  budgets,
  classifier,
  console_,
];

exitOnSignals();
try {
  await refreshService();
  const options = parseOptions(
    process.argv.slice(2),
    sections.map(({ name }) => name),
  );
  process.exitCode = (await printReport(sections, options)) ? 0 : 1;
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
