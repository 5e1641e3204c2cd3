import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { EvaluationRequest } from '../../application/evaluation/evaluate.ts';
import { intents } from '../../domain/message/message.ts';
import { isPlainObject } from '../../lib/json/json.ts';

/** A score that must not be lower, and how high it must be. */
export interface Gate {
  readonly name: GatedScore;
  readonly least: number;
}

/** The scores that a gate may be put on, by their names on the wire. */
export const gatedScores = [
  'classification_accuracy',
  'macro_f1',
  'tool_selection_accuracy',
  'escalation_accuracy',
] as const;

export type GatedScore = (typeof gatedScores)[number];

/** What the command line asks for. */
export interface EvaluationCommand {
  /** Path of a JSON file with tickets; synthetic ones when absent. */
  readonly ticketsFile: string | undefined;
  readonly seed: number;
  /** How many synthetic tickets, 1 to 100,000. */
  readonly size: number;
  readonly gates: readonly Gate[];
}

const MAX_SIZE = 100_000;

/** Faults of a file of tickets that are told at once. */
const SHOWN_FAULTS = 10;

export const usage =
  'usage: npm run evaluate -- [--tickets FILE] [--seed N] [--size N] [--gate NAME=NUMBER]...';

/** Reads the arguments. Throws with a line that says what is wrong with them. */
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
    seed: wholeNumber('--seed', values.seed),
    size: sizeOf(values.size),
    gates: values.gate.map(parseGate),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}

function sizeOf(text: string): number {
  const size = wholeNumber('--size', text);
  if (size < 1 || size > MAX_SIZE) throw new Error(`--size must be from 1 to ${MAX_SIZE}`);
  return size;
}

function parseGate(text: string): Gate {
  const parts = text.split('=');
  const [name, number = ''] = parts;
  const known = gatedScores.find((score) => score === name);
  if (known === undefined) throw new Error(`--gate must name one of ${gatedScores.join(', ')}`);
  if (parts.length !== 2 || !/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(number))
    throw new Error('--gate must be NAME=NUMBER with a number from 0 to 1');
  return { name: known, least: Number(number) };
}

/** Messages as `POST /messages` takes them. */
const ticket = z.object({
  message: z
    .string()
    .max(32_768)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  expected_intent: z.enum(intents),
  expected_tools: z.array(z.string()).optional(),
  expected_escalated: z.boolean().optional(),
});

const list = z.array(ticket).min(1);

/** The tickets in a file's text: a list, or an object as `POST /evaluation` takes it. Throws where it is neither. */
export function parseTickets(text: string): EvaluationRequest {
  const read = parseJson(text);
  const parsed = list.safeParse(isPlainObject(read) ? read['tickets'] : read);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`the tickets are not valid: ${faults.slice(0, SHOWN_FAULTS).join('; ')}`);
  }
  const tickets = parsed.data.map((one) => ({
    message: one.message,
    expectedIntent: one.expected_intent,
    expectedTools: one.expected_tools,
    expectedEscalated: one.expected_escalated,
  }));
  return { tickets };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('the tickets are not valid: the file is not JSON', { cause });
  }
}
