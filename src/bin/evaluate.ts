import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defaultPorts } from '../adapters/defaults.ts';
import { type EvaluationCommand, parseCommand, usage } from '../adapters/evaluation/command-line.ts';
import {
  countFallbacks,
  createModelMeter,
  type ModelMeter,
  type ModelUsage,
  sumUsage,
  type TicketUsage,
} from '../adapters/evaluation/model-usage.ts';
import { checkFolder, checkOutFile, writeOutFile } from '../adapters/evaluation/out-file.ts';
import { openProgress, type Progress } from '../adapters/evaluation/progress.ts';
import {
  failedGates,
  formatComparison,
  formatModelConfidence,
  formatReport,
  formatShown,
  formatUsage,
  modelConfidenceYaml,
  modelFallbacks,
  type NamedEvaluation,
  ticketsToShow,
  toConfidenceJson,
  toJsonLines,
  toUsageJson,
} from '../adapters/evaluation/report.ts';
import { checkTickets, parseTicketFile } from '../adapters/evaluation/ticket-file.ts';
import { toEvaluationResponse } from '../adapters/http/resources/evaluation.ts';
import { recordingClock, recordReplies, replayReplies } from '../adapters/llm/recorded.ts';
import { createLogger, type ServiceLogger } from '../adapters/logging/logger.ts';
import { setUpWithVectors } from '../adapters/playbook-setup.ts';
import { getEmbedding } from '../adapters/settings/embedding.ts';
import { getLlmStages } from '../adapters/settings/llm-stages.ts';
import { getLimits, getPlaybookSources, getSecrets, type Settings } from '../adapters/settings/settings.ts';
import { saveFile } from '../adapters/shared/save-file.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { version } from '../adapters/shared/version.ts';
import { noTelemetry } from '../adapters/telemetry/none.ts';
import type { Evaluation, EvaluationRequest } from '../application/evaluation/evaluate.ts';
import { createOrchestrator } from '../application/orchestrator.ts';
import { type SurenessScore, scoreModelConfidence } from '../domain/evaluation/model-confidence.ts';
import type { JudgedTicket, Ticket } from '../domain/evaluation/tickets.ts';
import { priceOf } from '../domain/model-price.ts';
import { handedOverIn } from '../domain/playbook/playbook.ts';
import type { Clock } from '../ports/clock.ts';
import type { LanguageModel, LlmObserver } from '../ports/language-model.ts';
import { createReading, createStages, decideBy, loadEmbeddings, loadModel } from './compose.ts';
import { describeStartError } from './errors.ts';
import { loadSettings } from './settings.ts';

/** The exit code of a command that SIGINT has stopped. */
const INTERRUPTED = 130;

/** The number of tickets that run at the same time where a model is asked, whose replies they wait for. */
const CONCURRENCY_WITH_MODEL = 8;

/**
 * Evaluates the configured stages and prints the scores, or those of two classifiers side by side. Resolves to the
 * exit code: 1 for a missed gate, for replies that are not recorded and for what is not valid, 130 where SIGINT
 * stopped it.
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
    checkPlaces(command);
    checkHasModel(settings, command);
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

/** Checks the files and folders that a command names, before the work begins. */
function checkPlaces({ outFile, resumeFile, confidenceFile, recordDir, replayDir }: EvaluationCommand): void {
  if (outFile !== undefined) checkOutFile('--out', outFile);
  if (resumeFile !== undefined) checkOutFile('--resume', resumeFile);
  if (confidenceFile !== undefined) checkOutFile('--model-confidence', confidenceFile);
  if (recordDir !== undefined) checkFolder('--record', recordDir, false);
  if (replayDir !== undefined) checkFolder('--replay', replayDir, true);
}

function checkHasModel({ LLM_API_KEY: key }: Settings, command: EvaluationCommand): void {
  if (key !== undefined) return;
  if (command.recordDir !== undefined) {
    throw new Error('--record must come with a language model: LLM_API_KEY is not set');
  }
  if (command.confidenceFile !== undefined && command.replayDir === undefined) {
    throw new Error(
      '--model-confidence must come with a language model: LLM_API_KEY is not set, and there is no --replay',
    );
  }
}

/** The parts that all evaluations of a command share. */
interface Work {
  readonly command: EvaluationCommand;
  readonly logger: ServiceLogger;
  /** The language model, whose calls are counted; undefined where rules alone decide. */
  readonly model: LanguageModel | undefined;
  readonly meter: ModelMeter;
  readonly clock: Clock;
  readonly progress: Progress | undefined;
  /** Aborted when no further ticket is to begin. */
  readonly stop: AbortSignal;
}

async function evaluateModels(settings: Settings, command: EvaluationCommand): Promise<number> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  const progress = command.resumeFile === undefined ? undefined : await openProgress(command.resumeFile);
  // Without the file, nothing would be gained by the wait for the tickets under way.
  if (progress !== undefined) process.once('SIGINT', interrupt);
  try {
    const faults: unknown[] = [];
    const onFault = (error: unknown) => {
      faults.push(error);
      stop.abort();
    };
    const logger = createLogger({ level: 'silent', secrets: getSecrets(settings) });
    const meter = createModelMeter();
    const { model, clock } = await modelOf(settings, command, { logger, meter, onFault });
    const work = { command, logger, model, meter, clock, progress, stop: stop.signal };
    const evaluations: Named[] = [];
    for (const file of command.models.length === 0 ? [settings.CLASSIFIER_MODEL] : command.models) {
      const own = {
        ...settings,
        PLAYBOOK: command.playbookFile ?? settings.PLAYBOOK,
        CLASSIFIER_MODEL: file,
      };
      const evaluated = await evaluate(own, work);
      if (faults.length > 0) throw new Error(`--record could not keep a reply: ${String(faults[0])}`);
      if (stop.signal.aborted) return tellStop(evaluated, command);
      evaluations.push({ ...evaluated, name: file === undefined ? 'classifier' : basename(file) });
    }
    return await report(evaluations, settings, command);
  } finally {
    process.off('SIGINT', interrupt);
    await progress?.close();
  }
}

/** The language model of a command and its clock, which stands still where replies are recorded or replayed. */
async function modelOf(
  settings: Settings,
  { recordDir, replayDir, resumeFile }: EvaluationCommand,
  { logger, meter, onFault }: Pick<Work, 'logger' | 'meter'> & { readonly onFault: (error: unknown) => void },
): Promise<Pick<Work, 'model' | 'clock'>> {
  if (replayDir !== undefined) {
    const clock = await recordingClock(replayDir, systemClock, false);
    return { model: meter.measure(replayReplies(replayDir, meter)), clock };
  }
  const connected = await loadModel(settings, logger, noTelemetry);
  if (connected === undefined) return { model: undefined, clock: systemClock };
  if (recordDir === undefined) return { model: meter.measure(connected.model), clock: systemClock };
  const clock = await recordingClock(recordDir, systemClock, true);
  const recorded = recordReplies(connected.model, recordDir, { keep: resumeFile !== undefined, onFault });
  return { model: meter.measure(recorded), clock };
}

function tellStop({ evaluation: { judged, dataset } }: Evaluated, { resumeFile }: EvaluationCommand): number {
  process.stderr.write(
    `stopped after ${judged.length} of ${dataset.size} tickets; to go on, run the same command again with --resume ${resumeFile}\n`,
  );
  return INTERRUPTED;
}

/** Writes what the command asks for, and resolves to the exit code. */
async function report(
  evaluations: readonly Named[],
  settings: Settings,
  command: EvaluationCommand,
): Promise<number> {
  const { confidenceFile, replayDir } = command;
  const confidence = confidenceFile === undefined ? undefined : confidenceOf(evaluations);
  await write(textOf(evaluations, settings, command, confidence), command);
  const failed = evaluations.flatMap(({ name, evaluation }) =>
    failedGates(evaluation.scores, command.gates).map((line) =>
      evaluations.length === 1 ? line : `${name}: ${line}`,
    ),
  );
  if (confidenceFile !== undefined) {
    if (confidence === undefined) failed.push(nothingSaid(confidenceFile));
    else await writeConfidence(confidenceFile, confidence, command);
  }
  const missing = evaluations.reduce((sum, one) => sum + missingOf(one), 0);
  if (missing > 0) {
    failed.push(
      `${missing} of ${callsOf(evaluations)} replies of the language model are not in ${replayDir}`,
    );
  }
  return failed.length === 0 ? 0 : fail(failed);
}

function missingOf({ usages }: Evaluated): number {
  return usages.reduce((sum, { missing }) => sum + missing, 0);
}

function callsOf(evaluations: readonly Evaluated[]): number {
  return evaluations.reduce((sum, { usage }) => sum + (usage?.calls ?? 0), 0);
}

function confidenceOf([first]: readonly Evaluated[]): readonly SurenessScore[] | undefined {
  return first && scoreModelConfidence(first.evaluation.judged);
}

function nothingSaid(file: string): string {
  return `--model-confidence: no ticket with an expected intent tells how sure the model was, so ${file} is not written`;
}

async function writeConfidence(
  file: string,
  scores: readonly SurenessScore[],
  { json, outFile }: EvaluationCommand,
): Promise<void> {
  const text = modelConfidenceYaml(scores);
  await writeOutFile({ option: '--model-confidence', path: file }, text, saveFile);
  // JSON on the standard output stays JSON.
  if (!json || outFile !== undefined) process.stdout.write(`wrote ${file}\n`);
}

/** An evaluation, and what its tickets used. */
interface Evaluated {
  readonly evaluation: Evaluation;
  readonly usages: readonly TicketUsage[];
  /** The calls of the language model; undefined where there is none. */
  readonly usage: ModelUsage | undefined;
}

/** An evaluation, and the classifier that it is about. */
interface Named extends NamedEvaluation, Evaluated {
  readonly evaluation: Evaluation;
}

/** The output of the command: a report, JSON, or JSON Lines of the tickets to show. */
function textOf(
  evaluations: readonly Named[],
  settings: Settings,
  command: EvaluationCommand,
  confidence: readonly SurenessScore[] | undefined,
): string {
  const [first, ...others] = evaluations;
  if (first === undefined) throw new Error('there is no classifier to evaluate');
  if (command.outFile?.endsWith('.jsonl')) {
    return evaluations
      .map((one) => toJsonLines(wanted(one, command) ?? [], classifierOf(one, command)))
      .join('');
  }
  if (command.json) {
    const [json, ...more] = evaluations.map((one) => toJson(one, command, confidence));
    return `${JSON.stringify(more.length === 0 ? json : [json, ...more], null, 2)}\n`;
  }
  const scores = others.length === 0 ? formatReport(first.evaluation) : formatComparison(evaluations);
  const shown = evaluations.flatMap((one) => shownOf(one, command, others.length > 0));
  const parts = [
    ...sourcesOf(settings, command),
    scores,
    ...usageOf(evaluations, settings),
    ...modelFallbacks(countFallbacks(evaluations.flatMap(({ usages }) => usages))),
    ...shown,
    ...(confidence === undefined ? [] : ['', formatModelConfidence(confidence)]),
  ];
  return `${parts.join('\n')}\n`;
}

function usageOf(evaluations: readonly Named[], { LLM_MODEL }: Settings): readonly string[] {
  const used = evaluations.flatMap(({ name, usage }) => (usage === undefined ? [] : [{ name, usage }]));
  return used.length === 0 ? [] : ['', formatUsage(LLM_MODEL, used)];
}

/** Writes to the file that the command names, or to the standard output. */
async function write(text: string, { outFile }: EvaluationCommand): Promise<void> {
  if (outFile === undefined) return void process.stdout.write(text);
  await writeOutFile({ option: '--out', path: outFile }, text, saveFile);
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
function toJson(
  evaluated: Named,
  command: EvaluationCommand,
  confidence: readonly SurenessScore[] | undefined,
) {
  const tickets = wanted(evaluated, command);
  return {
    classifier: classifierOf(evaluated, command),
    ...toEvaluationResponse(evaluated.evaluation),
    fallbacks: Object.fromEntries(countFallbacks(evaluated.usages)),
    ...(evaluated.usage && { language_model: toUsageJson(evaluated.usage, missingOf(evaluated)) }),
    ...(confidence && { model_confidence: toConfidenceJson(confidence) }),
    ...(tickets && { show: command.show, tickets }),
  };
}

/** The sources of the figures: the files of the tickets and of the playbook, where they are not built in. */
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

async function evaluate(settings: Settings, work: Work): Promise<Evaluated> {
  const { command, logger, model, meter, clock, stop } = work;
  // With recorded replies nothing is connected.
  const access = command.replayDir === undefined ? getEmbedding(settings) : undefined;
  const embeddings = await loadEmbeddings(access, logger, meter.embeddingFallback);
  const setup = await setUpWithVectors(getPlaybookSources(settings), embeddings);
  try {
    const request = await requestOf(command, [...setup.playbook.intents.keys()]);
    logger.mask(setup.secrets);
    const observer: LlmObserver = { fallback: meter.fallback, tokens: () => undefined };
    const connected = model && (await decideBy(model));
    const deciding = { clock, settings, connected, logger, observer, embeddings };
    const ports = defaultPorts({ clock, logger, ...createReading(deciding) });
    const orchestrator = createOrchestrator(ports, getLimits(settings));
    orchestrator.usePlaybook(setup, (tools) => createStages(setup, tools, deciding));
    const asksModel = model !== undefined || embeddings !== undefined;
    const { decide, usages } = createDecide(work, deciderOf(settings, setup.playbook.version, work));
    const evaluation = await orchestrator.evaluation.run(request, {
      stop,
      decide,
      concurrency: command.concurrency ?? (asksModel ? CONCURRENCY_WITH_MODEL : 1),
    });
    const usage = model && sumUsage(usages, priceOf(setup.playbook.models, settings.LLM_MODEL));
    return { evaluation, usages: [meter.takeOutside(), ...usages], usage };
  } finally {
    setup.close();
  }
}

/** All that decides about a ticket beside the ticket: where it differs, a ticket is evaluated again. */
function deciderOf(settings: Settings, playbook: string, { command, model }: Work): object {
  return {
    version,
    playbook,
    model: model === undefined ? null : settings.LLM_MODEL,
    stages: model === undefined ? [] : [...getLlmStages(settings)].sort(),
    is_replayed: command.replayDir !== undefined,
    embeddings: settings.EMBEDDING_MODEL ?? null,
    threshold: settings.ESCALATION_THRESHOLD,
    redact_pii: settings.REDACT_PII,
    inbox: settings.INBOX,
  };
}

/** Decides about tickets, but about none that is finished already; `usages` grows by what each of them used. */
function createDecide({ meter, progress }: Work, decider: object) {
  const usages: TicketUsage[] = [];
  const decide = async (
    ticket: Ticket,
    index: number,
    judge: () => Promise<JudgedTicket>,
  ): Promise<JudgedTicket> => {
    const finished = progress?.take(ticket, index, decider);
    if (finished !== undefined) {
      usages.push(finished.usage);
      return finished.judged;
    }
    const { result: judged, usage: used } = await meter.ofTicket(judge);
    usages.push(used);
    // A ticket that lacks a recorded reply is decided again when the reply is there.
    if (used.missing === 0) await progress?.add({ judged, usage: used }, index, decider);
    return judged;
  };
  return { decide, usages };
}

/** The values of a column of CSV about an escalation. */
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
  const { readTicketFile } = await import('../adapters/classifier/tickets.ts');
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
