import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The lowest acceptable value of a score, or the highest one where lower is better: see {@link gatedScores}. */
export interface Gate {
  readonly name: GatedScore;
  readonly limit: number;
}

/** The scores that can have a gate, by their JSON names, with the bound that the number of the gate is. */
export const gatedScores = {
  classification_accuracy: 'minimum',
  macro_f1: 'minimum',
  tool_selection_accuracy: 'minimum',
  escalation_accuracy: 'minimum',
  concern_recall: 'minimum',
  concern_precision: 'minimum',
  answered_wrong_rate: 'maximum',
  calibration_error: 'maximum',
} as const satisfies Readonly<Record<string, 'minimum' | 'maximum'>>;

/** A name in {@link gatedScores}. */
export type GatedScore = keyof typeof gatedScores;

/** The names in {@link gatedScores}. */
export const gatedNames = Object.keys(gatedScores) as readonly GatedScore[];

/** The parsed arguments. */
export interface EvaluationCommand {
  /** The path of a file with tickets: JSON, JSON Lines or CSV; synthetic tickets when undefined. */
  readonly ticketsFile: string | undefined;
  /** The path of a playbook; the one of the settings when undefined. */
  readonly playbookFile: string | undefined;
  /** The paths of one or two trained classifiers, which are compared; the one of the settings when there is none. */
  readonly models: readonly string[];
  readonly seed: number;
  /** The number of synthetic tickets, 1 to 100,000. */
  readonly size: number;
  readonly gates: readonly Gate[];
  /** The tickets to show beside the scores; none when undefined. */
  readonly show: Shown | undefined;
  /** True for JSON in place of tables. */
  readonly json: boolean;
  /**
   * The file to write to: JSON Lines of the tickets to show where it ends with `.jsonl`. The standard output when
   * undefined.
   */
  readonly outFile: string | undefined;
  /** The most tickets that run at the same time, 1 to 64; undefined for the default. */
  readonly concurrency: number | undefined;
  /** The folder to keep the replies of the language model in. */
  readonly recordDir: string | undefined;
  /** The folder to take the replies of the language model from, in place of a provider. */
  readonly replayDir: string | undefined;
  /** The file with the tickets that are finished, so that a stopped evaluation goes on. */
  readonly resumeFile: string | undefined;
  /** The file to write the measured `model_confidence` to. */
  readonly confidenceFile: string | undefined;
}

/** The tickets that can be shown: those with a wrong decision, those that a person got needlessly, or all. */
export const shownTickets = ['wrong', 'needless', 'all'] as const;

/** One of {@link shownTickets}. */
export type Shown = (typeof shownTickets)[number];

const MAX_SIZE = 100_000;

/** The number of classifiers that one table compares. */
const MAX_MODELS = 2;

const MAX_CONCURRENCY = 64;

/** The usage line of the command. */
export const usage =
  'usage: orchestration-service evaluate [--playbook FILE] [--model FILE]... [--tickets FILE] [--seed N] [--size N] [--gate NAME=NUMBER]... [--show wrong|needless|all] [--json] [--out FILE] [--concurrency N] [--record DIR | --replay DIR] [--resume FILE] [--model-confidence FILE]';

/** Parses the arguments. Throws an error with one line about what is wrong. */
export function parseCommand(args: readonly string[]): EvaluationCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tickets: { type: 'string' },
      playbook: { type: 'string' },
      model: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: '0' },
      size: { type: 'string', default: '1000' },
      gate: { type: 'string', multiple: true, default: [] },
      show: { type: 'string' },
      json: { type: 'boolean', default: false },
      out: { type: 'string' },
      concurrency: { type: 'string' },
      record: { type: 'string' },
      replay: { type: 'string' },
      resume: { type: 'string' },
      'model-confidence': { type: 'string' },
    },
  });
  const outFile = parsePath('--out', values.out, 'file');
  if (outFile?.endsWith('.jsonl') && values.show === undefined) {
    throw new Error('--out must come with --show for JSON Lines, which have a ticket on each line');
  }
  if (values.model.length > MAX_MODELS) throw new Error(`--model can be given at most ${MAX_MODELS} times`);
  if (values.record !== undefined && values.replay !== undefined) {
    throw new Error('--record must not come with --replay, which gets no new replies');
  }
  const confidenceFile = parsePath('--model-confidence', values['model-confidence'], 'file');
  if (confidenceFile !== undefined && values.model.length > 1) {
    throw new Error('--model-confidence must come with one classifier, because it writes one table');
  }
  const resumeFile = parsePath('--resume', values.resume, 'file');
  checkDistinct({ '--out': outFile, '--resume': resumeFile, '--model-confidence': confidenceFile });
  return {
    ticketsFile: values.tickets,
    playbookFile: values.playbook,
    models: values.model,
    seed: parseInteger('--seed', values.seed),
    size: parseSize(values.size),
    gates: values.gate.map(parseGate),
    show: values.show === undefined ? undefined : parseShown(values.show),
    json: values.json,
    outFile,
    concurrency: values.concurrency === undefined ? undefined : parseConcurrency(values.concurrency),
    recordDir: parsePath('--record', values.record, 'folder'),
    replayDir: parsePath('--replay', values.replay, 'folder'),
    resumeFile,
    confidenceFile,
  };
}

function parsePath(name: string, path: string | undefined, kind: 'file' | 'folder'): string | undefined {
  return path === '' ? fail(`${name} must name a ${kind}`) : path;
}

/** Throws where two options name the same file, which one of them would replace. */
function checkDistinct(files: Readonly<Record<string, string | undefined>>): void {
  const seen = new Map<string, string>();
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const other = seen.get(resolve(file));
    if (other !== undefined) throw new Error(`${option} must name another file than ${other}`);
    seen.set(resolve(file), option);
  }
}

function parseConcurrency(text: string): number {
  const concurrency = parseInteger('--concurrency', text);
  if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
    throw new Error(`--concurrency must be from 1 to ${MAX_CONCURRENCY}`);
  }
  return concurrency;
}

function parseInteger(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be an integer`);
  return Number(text);
}

function parseSize(text: string): number {
  const size = parseInteger('--size', text);
  if (size < 1 || size > MAX_SIZE) throw new Error(`--size must be from 1 to ${MAX_SIZE}`);
  return size;
}

function parseShown(text: string): Shown {
  const shown = shownTickets.find((one) => one === text);
  return shown ?? fail(`--show must be one of ${shownTickets.join(', ')}`);
}

function fail(message: string): never {
  throw new Error(message);
}

function parseGate(text: string): Gate {
  const parts = text.split('=');
  const [name, number = ''] = parts;
  const known = gatedNames.find((score) => score === name);
  if (known === undefined) throw new Error(`--gate must name one of ${gatedNames.join(', ')}`);
  if (parts.length !== 2 || !/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(number))
    throw new Error('--gate must be NAME=NUMBER with a number from 0 to 1');
  return { name: known, limit: Number(number) };
}
