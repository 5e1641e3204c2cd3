import { parseArgs } from 'node:util';

/** The parsed arguments. */
export interface TrainCommand {
  /** The file of tickets. */
  readonly file: string;
  /** Where the model is written. */
  readonly out: string;
  /** A file of tickets that the model is tested on. */
  readonly test: string | undefined;
  readonly seed: number;
  /** Undefined for as many as suit the number of tickets. */
  readonly folds: number | undefined;
  /** The greatest share of wrong answers among all messages that the thresholds allow. */
  readonly targetError: number;
  /** The playbook whose examples, descriptions and articles are learned from too; undefined for none. */
  readonly playbook: string | undefined;
  /** True where tickets of ordinary intents that raise a concern are learned as harmless. */
  readonly harmless: boolean;
  /** True for a report in JSON. */
  readonly json: boolean;
}

/** The text of `--help`. */
export const trainUsage = `usage: orchestration-service train FILE [--playbook FILE] [--out FILE] [--test FILE] [--target-error N] [--harmless] [--seed N] [--folds N] [--json]

Trains a classifier of intents on tickets: a CSV file with the columns message and intent, or JSON Lines.

  --playbook FILE    a playbook whose examples, descriptions and articles are learned from too (default: PLAYBOOK)
  --target-error N   0.005 to 0.3: the greatest share of wrong answers among all messages (default 0.05)
  --harmless         learn the tickets of ordinary intents that raise a concern as harmless
  --out FILE         where the model is written (default model.json)
  --test FILE        tickets to test the model on, of the same form
  --seed N           0 to 999999999: other folds and another order of the tickets (default 0)
  --folds N          2 to 10: the folds of the cross-validation (default 5, and 3 from 5,000 tickets on)
  --json             the report as JSON
  --help             this text`;

/** Parses the arguments. Throws an error with one line about what is wrong. */
export function parseTrainCommand(args: readonly string[]): TrainCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      out: { type: 'string', default: 'model.json' },
      test: { type: 'string' },
      seed: { type: 'string', default: '0' },
      folds: { type: 'string' },
      json: { type: 'boolean', default: false },
      playbook: { type: 'string' },
      'target-error': { type: 'string', default: '0.05' },
      harmless: { type: 'boolean', default: false },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined) throw new Error('name the file of tickets');
  if (more.length > 0) throw new Error(`name one file of tickets, not also ${more.join(' ')}`);
  if (values.out === '') throw new Error('--out must name a file');
  return {
    file,
    out: values.out,
    test: values.test,
    seed: parseInteger('--seed', values.seed, 0, 999_999_999),
    folds: values.folds === undefined ? undefined : parseInteger('--folds', values.folds, 2, 10),
    targetError: parseShare('--target-error', values['target-error'], 0.005, 0.3),
    playbook: values.playbook,
    harmless: values.harmless,
    json: values.json,
  };
}

function parseInteger(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < least || value > most) throw new Error(`${name} must be an integer from ${least} to ${most}`);
  return value;
}

function parseShare(name: string, text: string, least: number, most: number): number {
  const value = /^\d{0,3}(?:\.\d{1,6})?$/.test(text) && text !== '' ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new Error(`${name} must be a number from ${least} to ${most}`);
  return value;
}

/** A terminal to draw on, such as `process.stderr`. */
interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const WIDTH = 30;

/** Draws a progress bar on a terminal, and nothing elsewhere. `end` removes it. */
export function createProgress(terminal: Terminal): {
  readonly show: (share: number) => void;
  readonly end: () => void;
} {
  let shown = '';
  const draw = (text: string): void => {
    if (terminal.isTTY !== true || text === shown) return;
    terminal.write(`\r\u001b[K${text}`);
    shown = text;
  };
  return {
    show(share) {
      const filled = Math.round(share * WIDTH);
      const percent = String(Math.floor(share * 100)).padStart(3);
      draw(`training [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${percent} %`);
    },
    end: () => draw(''),
  };
}
