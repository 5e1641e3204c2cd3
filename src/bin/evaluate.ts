import { readFileSync } from 'node:fs';
import { defaultPorts } from '../adapters/defaults.ts';
import { parseCommand, parseTickets, usage } from '../adapters/evaluation/command-line.ts';
import { failedGates, formatReport, modelFallbacks } from '../adapters/evaluation/report.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { limitsOf, readSettings, secretsOf } from '../adapters/settings.ts';
import { noTelemetry } from '../adapters/telemetry/none.ts';
import { exampleTools } from '../adapters/tools/example-tools.ts';
import { createOrchestrator } from '../application/orchestrator.ts';
import type { LlmObserver } from '../ports/language-model.ts';
import { createStages, loadModel } from './compose.ts';
import { readEnvironment } from './environment.ts';

/** Evaluates the stages that the settings choose, prints the scores, and exits with 1 where a gate fails. */
async function evaluate(): Promise<readonly string[]> {
  const { settings, faults } = readSettings(readEnvironment());
  if (faults !== undefined) return faults;
  const command = parseCommand(process.argv.slice(2));
  const { ticketsFile, seed, size, gates } = command;
  const request =
    ticketsFile === undefined ? { seed, size } : parseTickets(readFileSync(ticketsFile, 'utf8'));

  const logger = createLogger({ level: 'silent', secrets: secretsOf(settings) });
  const model = await loadModel(settings, logger, noTelemetry);
  const fallbacks = new Map<string, number>();
  const observer: LlmObserver = {
    fallback(stage, reason) {
      const what = `${stage}: ${reason}`;
      fallbacks.set(what, (fallbacks.get(what) ?? 0) + 1);
    },
    tokens: () => undefined,
  };
  const orchestrator = createOrchestrator(
    defaultPorts({ logger, ...createStages(settings, model, logger, observer, () => exampleTools) }),
    limitsOf(settings),
  );
  for (const tool of exampleTools) orchestrator.tools.register(tool);

  const evaluation = await orchestrator.evaluation.run(request);
  process.stdout.write(`${[formatReport(evaluation), ...modelFallbacks(fallbacks)].join('\n')}\n`);
  return failedGates(evaluation.scores, gates);
}

const faults = await evaluate().catch((error: unknown) => [
  error instanceof Error ? error.message : String(error),
  usage,
]);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
