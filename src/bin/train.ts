import {
  createProgress,
  parseTrainCommand,
  type TrainCommand,
  trainUsage,
} from '../adapters/classifier/command-line.ts';
import { examplesOf, supportOf } from '../adapters/classifier/examples.ts';
import { encodeModelFile, loadTrainedClassifier } from '../adapters/classifier/intent-model.ts';
import {
  type AlarmingTicket,
  formatTrainingReport,
  reportContent,
  testModel,
} from '../adapters/classifier/report.ts';
import {
  type CleanTickets,
  cleanTickets,
  type LabeledTicket,
  readTicketFile,
  TicketFileError,
} from '../adapters/classifier/tickets.ts';
import { type TrainingTexts, trainIntents } from '../adapters/classifier/training.ts';
import { loadPlaybook } from '../adapters/playbook/load.ts';
import { playbookContext } from '../adapters/playbook-context.ts';
import { createAnswerable, createConcernFinder, learnFromTickets } from '../adapters/rule-based.ts';
import { readEmbedding } from '../adapters/settings/embedding.ts';
import { saveFile } from '../adapters/shared/save-file.ts';
import type { TextVectors } from '../domain/playbook/intent-classifier.ts';
import { handedOverIn, type Playbook } from '../domain/playbook/playbook.ts';
import { silentLogger } from '../ports/logger.ts';
import { loadEnvironment } from './settings.ts';

/**
 * The command `train`: trains a classifier on a file of tickets, writes the model and prints the report. Resolves to
 * the exit code; nothing is written when it is not 0.
 */
export async function runTrain(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${trainUsage}\n`);
    return 0;
  }
  let command: TrainCommand;
  loadEnvironment();
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
  const { file, out, test: testFile, seed, folds, json, targetError } = command;
  const read = await readTicketFile(file);
  const testTickets = testFile === undefined ? undefined : await readTicketFile(testFile);
  const playbook = playbookOf(command);
  const progress = createProgress(process.stderr);
  try {
    const tickets = cleanTickets(read);
    const texts = textsOf(tickets, playbook);
    const vectors = await vectorsOf(texts, testTickets ?? [], `${out}.vectors`);
    const training = trainIntents(
      { ...texts, vectors },
      {
        seed,
        folds,
        targetError,
        answerable: createAnswerable(),
        onProgress: progress.show,
        withCurve: true,
      },
    );
    const alarming = alarmingTickets(tickets, playbook);
    const harmless = command.harmless ? learnFromTickets(alarming.map(({ message }) => message)) : undefined;
    const text = encodeModelFile({ ...training.model, harmless });
    // The report is about the model as it is stored, and the model is read before it is written.
    const { classifier, intents, hash } = loadTrainedClassifier(Buffer.from(text));
    const test = testTickets && testModel(classifier, intents, testTickets);
    const testWithVectors = testTickets && vectors && testModel(classifier, intents, testTickets, vectors);
    const content = reportContent(training, {
      tickets,
      alarming: alarming.map(({ line, intent, concerns }): AlarmingTicket => ({ line, intent, concerns })),
      file: { path: out, hash, bytes: Buffer.byteLength(text) },
      test,
      testWithVectors,
    });
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

/**
 * The playbook that is learned from too. It needs neither the secrets of its tools nor the classifier that it names.
 */
function playbookOf({ playbook }: TrainCommand): Playbook | undefined {
  const file = playbook ?? process.env['PLAYBOOK'];
  return file === undefined || file === ''
    ? undefined
    : loadPlaybook(file, playbookContext('warning')).playbook;
}

/**
 * The vectors of all texts, kept in a file; undefined where the settings name no embedding model. Rejects where it
 * fails: a model that lacks them would be a worse one.
 */
async function vectorsOf(
  { tickets, support }: TrainingTexts,
  tests: readonly LabeledTicket[],
  file: string,
): Promise<TextVectors | undefined> {
  const access = readEmbedding(process.env);
  if (access === undefined) return undefined;
  const { loadEmbeddings } = await import('./compose.ts');
  let failure = '';
  const embeddings = await loadEmbeddings(access, silentLogger, (_, reason) => {
    failure = reason;
  });
  const learned = [...tickets, ...support].map(({ text }) => text);
  const vectors = await embeddings?.ofTexts([...learned, ...tests.map(({ message }) => message)], file, true);
  if (vectors !== undefined) return vectors;
  throw new Error(
    `EMBEDDING_MODEL: the embedding model failed (${failure}); without the setting words alone are learned`,
  );
}

function textsOf({ examples, intents }: CleanTickets, playbook: Playbook | undefined): TrainingTexts {
  const tickets = examples.map(({ message, intent }) => ({ text: message, intent }));
  if (playbook === undefined) return { intents, tickets, support: [], handedOver: new Set() };
  const known = new Set(intents);
  const said = [...examplesOf(playbook), ...supportOf(playbook)];
  return {
    intents,
    tickets,
    support: said.filter(({ intent }) => known.has(intent)),
    handedOver: handedOverIn(playbook.intents),
  };
}

/** The tickets of intents that are answered and raise a concern all the same. */
function alarmingTickets({ examples }: CleanTickets, playbook: Playbook | undefined) {
  const handedOver = playbook === undefined ? new Set<string>() : handedOverIn(playbook.intents);
  const concernsIn = createConcernFinder(playbook);
  return examples.flatMap((ticket) => {
    if (handedOver.has(ticket.intent)) return [];
    const concerns = concernsIn(ticket.message);
    return concerns.length === 0 ? [] : [{ ...ticket, concerns }];
  });
}
