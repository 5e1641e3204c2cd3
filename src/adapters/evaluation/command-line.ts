import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { EvaluationRequest } from '../../application/evaluate.ts';
import { intents } from '../../domain/message.ts';

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
  readonly size: number;
  readonly gates: readonly Gate[];
}

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
    size: wholeNumber('--size', values.size),
    gates: values.gate.map(parseGate),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}

function parseGate(text: string): Gate {
  const [name = '', number = ''] = text.split('=', 2);
  const known = gatedScores.find((score) => score === name);
  const least = Number(number);
  if (known === undefined) throw new Error(`--gate must name one of ${gatedScores.join(', ')}`);
  if (number === '' || !(least >= 0 && least <= 1))
    throw new Error('--gate must be NAME=NUMBER with a number from 0 to 1');
  return { name: known, least };
}

const ticket = z.object({
  message: z.string().min(1),
  expected_intent: z.enum(intents),
  expected_tools: z.array(z.string()).optional(),
  expected_escalated: z.boolean().optional(),
});

const file = z.union([z.array(ticket).min(1), z.object({ tickets: z.array(ticket).min(1) })]);

/** The tickets in a file's text: a list, or an object as `POST /evaluation` takes it. Throws where it is neither. */
export function parseTickets(text: string): EvaluationRequest {
  const parsed = file.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new Error(`the tickets are not valid: ${z.prettifyError(parsed.error).slice(0, 500)}`);
  const listed = Array.isArray(parsed.data) ? parsed.data : parsed.data.tickets;
  const tickets = listed.map((one) => ({
    message: one.message,
    expectedIntent: one.expected_intent,
    expectedTools: one.expected_tools,
    expectedEscalated: one.expected_escalated,
  }));
  return { tickets };
}
