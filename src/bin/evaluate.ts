import { readFileSync } from 'node:fs';
import { defaultPorts } from '../adapters/defaults.ts';
import { parseCommand, parseTickets, usage } from '../adapters/evaluation/command-line.ts';
import { failedGates, formatReport, modelFallbacks } from '../adapters/evaluation/report.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { getLimits, getSecrets } from '../adapters/settings/settings.ts';
import { noTelemetry } from '../adapters/telemetry/none.ts';
import { exampleTools } from '../adapters/tools/example-tools.ts';
import { createOrchestrator } from '../application/orchestrator.ts';
import type { LlmObserver } from '../ports/language-model.ts';
import { createStages, loadModel } from './compose.ts';
import { exitWithErrors } from './errors.ts';
import { loadSettings } from './settings.ts';

/** Evaluates the configured stages and prints the scores. Returns the errors that fail the command, such as missed gates. */
async function evaluate(args: readonly string[]): Promise<readonly string[]> {
  const { settings, issues } = loadSettings();
  if (issues !== undefined) return issues;
  const command = parseCommand(args);
  const { ticketsFile, seed, size, gates } = command;
  const request =
    ticketsFile === undefined ? { seed, size } : parseTickets(readFileSync(ticketsFile, 'utf8'));

  const logger = createLogger({ level: 'silent', secrets: getSecrets(settings) });
  const model = await loadModel(settings, logger, noTelemetry);
  const fallbacks = new Map<string, number>();
  const observer: LlmObserver = {
    fallback(stage, reason) {
      const key = `${stage}: ${reason}`;
      fallbacks.set(key, (fallbacks.get(key) ?? 0) + 1);
    },
    tokens: () => undefined,
  };
  const orchestrator = createOrchestrator(
    defaultPorts({ logger, ...createStages(settings, model, logger, observer, () => exampleTools) }),
    getLimits(settings),
  );
  for (const tool of exampleTools) orchestrator.tools.register(tool);

  const evaluation = await orchestrator.evaluation.run(request);
  process.stdout.write(`${[formatReport(evaluation), ...modelFallbacks(fallbacks)].join('\n')}\n`);
  return failedGates(evaluation.scores, gates);
}

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(`${usage}\n`);
} else {
  try {
    const errors = await evaluate(args);
    if (errors.length > 0) exitWithErrors(errors);
  } catch (error) {
    exitWithErrors([error instanceof Error ? error.message : String(error), usage]);
  }
}
