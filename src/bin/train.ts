import { fileURLToPath } from 'node:url';
import { parseTrainCommand, type TrainCommand, trainUsage } from '../adapters/classifier/command-line.ts';
import { encodeModelFile } from '../adapters/classifier/model-file.ts';
import { createProgress } from '../adapters/classifier/progress.ts';
import { reportContent } from '../adapters/classifier/report/content.ts';
import { formatTrainingReport } from '../adapters/classifier/report/format.ts';
import { testModel } from '../adapters/classifier/report/test-model.ts';
import { saveFile } from '../adapters/classifier/save.ts';
import { cleanTickets } from '../adapters/classifier/tickets/clean.ts';
import { readTicketFile } from '../adapters/classifier/tickets/read.ts';
import { TicketFileError } from '../adapters/classifier/tickets/ticket.ts';
import { loadTrainedClassifier } from '../adapters/classifier/trained.ts';
import { trainClassifier } from '../adapters/classifier/training/train.ts';
import { createRuleRanking } from '../adapters/stages/rule-ranking.ts';

/**
 * The command `train`: trains a classifier on a file of tickets, writes the model and prints the report. Resolves to the
 * exit code; nothing is written when it is not 0.
 */
export async function runTrain(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${trainUsage}\n`);
    return 0;
  }
  let command: TrainCommand;
  try {
    command = parseTrainCommand(args);
  } catch (error) {
    return fail([messageOf(error), trainUsage.split('\n')[0] ?? '']);
  }
  try {
    process.stdout.write(`${await train(command)}\n`);
    return 0;
  } catch (error) {
    return fail([messageOf(error)]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fail(lines: readonly string[]): number {
  process.stderr.write(`${lines.join('\n')}\n`);
  return 1;
}

/** Trains as the arguments say; resolves to the report. */
async function train(command: TrainCommand): Promise<string> {
  const { file, out, test, seed, folds, json } = command;
  const read = await readTicketFile(file);
  const testTickets = test === undefined ? undefined : await readTicketFile(test);
  const rankByRules = createRuleRanking();
  const progress = createProgress(process.stderr);
  try {
    const tickets = cleanTickets(read);
    const training = trainClassifier(tickets, { seed, folds, rankByRules, onProgress: progress.show });
    const text = encodeModelFile(training.model);
    // The report is about the model as it is stored, and the model is read before it is written.
    const { classifier, intents, hash } = loadTrainedClassifier(Buffer.from(text), rankByRules);
    const figures = testTickets === undefined ? undefined : testModel(classifier, intents, testTickets);
    const model = { path: out, hash, bytes: Buffer.byteLength(text) };
    const content = reportContent(training, model, figures);
    await saveFile(out, text);
    return json ? JSON.stringify(content, null, 2) : formatTrainingReport(content);
  } catch (error) {
    if (!(error instanceof TicketFileError)) throw error;
    const lines = error.message.split('\n').map((line) => `${file}: ${line}`);
    throw new TicketFileError(lines.join('\n'), { cause: error });
  } finally {
    progress.end();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await runTrain(process.argv.slice(2));
