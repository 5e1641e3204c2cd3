import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { EvaluationRequest } from '../../application/evaluation/evaluate.ts';
import { findTicketIssue, type Ticket } from '../../domain/evaluation/tickets.ts';
import { concerns, dispositions, intents } from '../../domain/message/message.ts';
import { isPlainObject } from '../../lib/json/json.ts';

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
  /** The path of a JSON file with tickets; synthetic tickets when undefined. */
  readonly ticketsFile: string | undefined;
  readonly seed: number;
  /** The number of synthetic tickets, 1 to 100,000. */
  readonly size: number;
  readonly gates: readonly Gate[];
}

const MAX_SIZE = 100_000;

/** Maximum number of issues of a ticket file in one error. */
const MAX_ISSUES = 10;

/** The usage line of the command. */
export const usage =
  'usage: npm run evaluate -- [--tickets FILE] [--seed N] [--size N] [--gate NAME=NUMBER]...';

/** Parses the arguments. Throws an error with one line about what is wrong. */
export function parseCommand(args: readonly string[]): EvaluationCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tickets: { type: 'string' },
      seed: { type: 'string', default: '0' },
      size: { type: 'string', default: '1000' },
      gate: { type: 'string', multiple: true, default: [] },
    },
  });
  return {
    ticketsFile: values.tickets,
    seed: parseInteger('--seed', values.seed),
    size: parseSize(values.size),
    gates: values.gate.map(parseGate),
  };
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

function parseGate(text: string): Gate {
  const parts = text.split('=');
  const [name, number = ''] = parts;
  const known = gatedNames.find((score) => score === name);
  if (known === undefined) throw new Error(`--gate must name one of ${gatedNames.join(', ')}`);
  if (parts.length !== 2 || !/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(number))
    throw new Error('--gate must be NAME=NUMBER with a number from 0 to 1');
  return { name: known, limit: Number(number) };
}

/** A ticket, with the limits of `POST /messages`. */
const ticket = z
  .object({
    message: z
      .string()
      .max(32_768)
      .refine((text) => text.trim() !== '', 'must not be empty'),
    expected_intent: z.enum(intents).optional(),
    expected_tools: z.array(z.string()).optional(),
    expected_escalated: z.boolean().optional(),
    expected_disposition: z.enum(dispositions).optional(),
    expected_concerns: z.array(z.enum(concerns)).optional(),
  })
  .transform((one, context): Ticket => {
    const parsed = {
      message: one.message,
      expectedIntent: one.expected_intent,
      expectedTools: one.expected_tools,
      expectedEscalated: one.expected_escalated,
      expectedDisposition: one.expected_disposition,
      expectedConcerns: one.expected_concerns,
    };
    const issue = findTicketIssue(parsed);
    if (issue !== undefined) {
      context.addIssue({ code: 'custom', path: [`expected_${issue.expected}`], message: issue.message });
    }
    return parsed;
  });

const list = z.array(ticket).min(1);

/** Parses the text of a ticket file: a list, or a body of `POST /evaluation`. Throws an error with the issues. */
export function parseTickets(text: string): EvaluationRequest {
  const json = parseJson(text);
  const parsed = list.safeParse(isPlainObject(json) ? json['tickets'] : json);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`the tickets are not valid: ${issues.slice(0, MAX_ISSUES).join('; ')}`);
  }
  return { tickets: parsed.data };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('the tickets are not valid: the file is not JSON', { cause });
  }
}
