import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defaultPorts } from '../adapters/defaults.ts';
import { type EvaluationCommand, parseCommand, usage } from '../adapters/evaluation/command-line.ts';
import { checkOutFile, writeOutFile } from '../adapters/evaluation/out-file.ts';
import {
  failedGates,
  formatComparison,
  formatReport,
  modelFallbacks,
  type NamedEvaluation,
} from '../adapters/evaluation/report.ts';
import { formatShown, ticketsToShow, toJsonLines } from '../adapters/evaluation/shown-tickets.ts';
import { checkTickets, parseTicketFile } from '../adapters/evaluation/ticket-file.ts';
import { toEvaluationResponse } from '../adapters/http/resources/evaluation/evaluation.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { setUpWithVectors } from '../adapters/playbook-setup.ts';
import { getEmbedding } from '../adapters/settings/embedding.ts';
import { getLimits, getPlaybookSources, getSecrets, type Settings } from '../adapters/settings/settings.ts';
import { saveFile } from '../adapters/shared/save-file.ts';
import { noTelemetry } from '../adapters/telemetry/none.ts';
import type { Evaluation, EvaluationRequest } from '../application/evaluation/evaluate.ts';
import { createOrchestrator } from '../application/orchestrator.ts';
import { handedOverIn } from '../domain/playbook/playbook.ts';
import type { LlmObserver } from '../ports/language-model.ts';
import { createReading, createStages, loadEmbeddings, loadModel } from './compose.ts';
import { describeStartError } from './errors.ts';
import { loadSettings } from './settings.ts';

/**
 * Evaluates the configured stages and prints the scores, or those of two classifiers side by side. Resolves to the exit
 * code: 1 for a missed gate and for what is not valid.
 */
export async function runEvaluate(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const { settings, issues } = loadSettings();
  if (issues !== undefined) return fail(issues);
  let command: EvaluationCommand;
  try {
    command = parseCommand(args);
    if (command.outFile !== undefined) checkOutFile(command.outFile);
  } catch (error) {
    return fail([error instanceof Error ? error.message : String(error), usage]);
  }
  try {
    return await evaluateModels(settings, command);
  } catch (error) {
    return fail(
      error instanceof Error && error.name === 'Error' ? [error.message, usage] : describeStartError(error),
    );
  }
}

function fail(errors: readonly string[]): number {
  for (const error of errors) process.stderr.write(`${error}\n`);
  return 1;
}

async function evaluateModels(settings: Settings, command: EvaluationCommand): Promise<number> {
  const fallbacks = new Map<string, number>();
  const models = command.models.length === 0 ? [settings.CLASSIFIER_MODEL] : command.models;
  const evaluations: Named[] = [];
  for (const model of models) {
    const own = {
      ...settings,
      PLAYBOOK: command.playbookFile ?? settings.PLAYBOOK,
      CLASSIFIER_MODEL: model,
    };
    const name = model === undefined ? 'classifier' : basename(model);
    evaluations.push({ name, evaluation: await evaluate(own, command, fallbacks) });
  }
  await write(textOf(evaluations, settings, command, fallbacks), command);
  const failed = evaluations.flatMap(({ name, evaluation }) =>
    failedGates(evaluation.scores, command.gates).map((line) =>
      evaluations.length === 1 ? line : `${name}: ${line}`,
    ),
  );
  return failed.length === 0 ? 0 : fail(failed);
}

/** An evaluation, and the classifier that it is about. */
interface Named extends NamedEvaluation {
  readonly evaluation: Evaluation;
}

/** What the command writes: a report, JSON, or JSON Lines of the tickets to show. */
function textOf(
  evaluations: readonly Named[],
  settings: Settings,
  command: EvaluationCommand,
  fallbacks: ReadonlyMap<string, number>,
): string {
  const [first, ...others] = evaluations;
  if (first === undefined) throw new Error('there is no classifier to evaluate');
  if (command.outFile?.endsWith('.jsonl')) {
    return evaluations
      .map((one) => toJsonLines(wanted(one, command) ?? [], classifierOf(one, command)))
      .join('');
  }
  if (command.json) {
    const [json, ...more] = evaluations.map((one) => toJson(one, command, fallbacks));
    return `${JSON.stringify(more.length === 0 ? json : [json, ...more], null, 2)}\n`;
  }
  const report = others.length === 0 ? formatReport(first.evaluation) : formatComparison(evaluations);
  const shown = evaluations.flatMap((one) => shownOf(one, command, others.length > 0));
  return `${[...sourcesOf(settings, command), report, ...modelFallbacks(fallbacks), ...shown].join('\n')}\n`;
}

/** Writes to the file that the command names, or to the standard output. */
async function write(text: string, { outFile }: EvaluationCommand): Promise<void> {
  if (outFile === undefined) return void process.stdout.write(text);
  await writeOutFile(outFile, text, saveFile);
  process.stdout.write(`wrote ${outFile}\n`);
}

/** The name of the file of a classifier that the command names; null where it names none. */
function classifierOf({ name }: Named, { models }: EvaluationCommand): string | null {
  return models.length === 0 ? null : name;
}

/** The tickets that the command wants to see; undefined where it wants none. */
function wanted({ evaluation: { judged, playbook } }: Named, { show }: EvaluationCommand) {
  return show && ticketsToShow(judged, show, handedOverIn(playbook.intents));
}

function shownOf(evaluated: Named, command: EvaluationCommand, isComparison: boolean): readonly string[] {
  const tickets = wanted(evaluated, command);
  if (command.show === undefined || tickets === undefined) return [];
  const text = formatShown(tickets, command.show, evaluated.evaluation.judged.length);
  return ['', isComparison ? `${evaluated.name}: ${text}` : text];
}

/** An evaluation as the reply to `POST /evaluation` has it, with the tickets to show as `tickets`. */
function toJson(evaluated: Named, command: EvaluationCommand, fallbacks: ReadonlyMap<string, number>) {
  const tickets = wanted(evaluated, command);
  return {
    classifier: classifierOf(evaluated, command),
    ...toEvaluationResponse(evaluated.evaluation),
    fallbacks: Object.fromEntries(fallbacks),
    ...(tickets && { show: command.show, tickets }),
  };
}

/** What the figures are about: the files of the tickets and of the playbook, where they are not built in. */
function sourcesOf(
  settings: Settings,
  { ticketsFile, playbookFile, models }: EvaluationCommand,
): readonly string[] {
  const playbook = playbookFile ?? settings.PLAYBOOK;
  return [
    ...(ticketsFile === undefined ? [] : [`tickets: ${ticketsFile}`]),
    ...(playbook === undefined ? [] : [`playbook: ${playbook}`]),
    ...(models.length === 1 ? [`classifier: ${models[0]}`] : []),
  ];
}

async function evaluate(
  settings: Settings,
  command: EvaluationCommand,
  fallbacks: Map<string, number>,
): Promise<Evaluation> {
  const logger = createLogger({ level: 'silent', secrets: getSecrets(settings) });
  const count = (what: string, reason: string): void => {
    const key = `${what}: ${reason}`;
    fallbacks.set(key, (fallbacks.get(key) ?? 0) + 1);
  };
  const embeddings = await loadEmbeddings(getEmbedding(settings), logger, (use, reason) =>
    count(`embeddings for ${use}`, reason),
  );
  const setup = await setUpWithVectors(getPlaybookSources(settings), embeddings);
  try {
    const request = await requestOf(command, [...setup.playbook.intents.keys()]);
    logger.mask(setup.secrets);
    const model = await loadModel(settings, logger, noTelemetry);
    const observer: LlmObserver = { fallback: count, tokens: () => undefined };
    const deciding = { settings, connected: model, logger, observer, embeddings };
    const ports = defaultPorts({ logger, ...createReading(deciding) });
    const orchestrator = createOrchestrator(ports, getLimits(settings));
    orchestrator.usePlaybook(setup, (tools) => createStages(setup, tools, deciding));
    return await orchestrator.evaluation.run(request);
  } finally {
    setup.close();
  }
}

/** What a column of CSV may say about an escalation. */
const truthValues: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

async function requestOf(
  { ticketsFile, seed, size }: EvaluationCommand,
  intents: readonly string[],
): Promise<EvaluationRequest> {
  if (ticketsFile === undefined) return { seed, size };
  if (!ticketsFile.endsWith('.csv')) {
    return parseTicketFile(readFileSync(ticketsFile, 'utf8'), ticketsFile, intents);
  }
  const { readTicketFile } = await import('../adapters/classifier/tickets/read.ts');
  const tickets = await readTicketFile(ticketsFile);
  return checkTickets(
    tickets.map(({ message, intent, expectedEscalated }) => ({
      message,
      expected_intent: intent,
      expected_escalated: truthValues.get(expectedEscalated) ?? expectedEscalated,
    })),
    intents,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await runEvaluate(process.argv.slice(2));
}
