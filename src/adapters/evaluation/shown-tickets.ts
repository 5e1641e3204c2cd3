import {
  expectsEscalation,
  type JudgedMember,
  type JudgedTicket,
  mistakesOf,
  type StageEvidence,
} from '../../domain/evaluation/tickets.ts';
import type { Shown } from './command-line.ts';

/** A ticket as `evaluate --show` tells it: what was expected, what was decided, and why. */
export interface ShownTicket {
  /** From 1, in the order of the tickets. */
  readonly number: number;
  readonly message: string;
  /** The decisions that are others than expected. */
  readonly wrong: readonly JudgedMember[];
  readonly needless: boolean;
  readonly expected: ShownDecision;
  readonly decided: ShownDecision & { readonly confidence: number };
  /** Why it was escalated. */
  readonly reasons: readonly string[];
  /** What each stage decided and why. */
  readonly evidence: readonly StageEvidence[];
}

/** The decisions about a ticket; null for what it expects nothing of. */
export interface ShownDecision {
  readonly intent: string | null;
  readonly tools: readonly string[] | null;
  readonly escalated: boolean | null;
  readonly disposition: string | null;
  readonly concerns: readonly string[] | null;
}

/** The tickets to show, in their order. `handedOver` are the intents that always go to a person. */
export function ticketsToShow(
  judged: readonly JudgedTicket[],
  show: Shown,
  handedOver: ReadonlySet<string>,
): readonly ShownTicket[] {
  const all = judged.map((one, at) => toShown(one, at + 1, handedOver));
  if (show === 'all') return all;
  return all.filter(({ wrong, needless }) => (show === 'needless' ? needless : isWrong(wrong, needless)));
}

/** What a person got needlessly is no further mistake for that. */
function isWrong(wrong: readonly JudgedMember[], needless: boolean): boolean {
  return wrong.some((member) => !needless || (member !== 'escalated' && member !== 'disposition'));
}

function toShown(judged: JudgedTicket, number: number, handedOver: ReadonlySet<string>): ShownTicket {
  const { ticket, predicted, confidence, tools, escalated, disposition, concerns, reasons, evidence } =
    judged;
  return {
    number,
    message: ticket.message,
    ...mistakesOf(judged, handedOver),
    expected: {
      intent: ticket.expectedIntent ?? null,
      tools: ticket.expectedTools ?? null,
      escalated: expectsEscalation(ticket) ?? null,
      disposition: ticket.expectedDisposition ?? null,
      concerns: ticket.expectedConcerns ?? null,
    },
    decided: { intent: predicted, confidence, tools, escalated, disposition, concerns },
    reasons,
    evidence,
  };
}

/** Shown tickets as text, each with a few lines: what was expected and decided, and why. */
export function formatShown(shown: readonly ShownTicket[], show: Shown, total: number): string {
  const lines = shown.flatMap((ticket) => ['', ...linesOf(ticket)]);
  return [`${show === 'all' ? 'tickets' : show}: ${shown.length} of ${total} tickets`, ...lines].join('\n');
}

/** Shown tickets as JSON Lines: one on each line, with the classifier that decided where there is a choice. */
export function toJsonLines(shown: readonly ShownTicket[], classifier: string | null): string {
  return shown.map((ticket) => `${JSON.stringify({ classifier, ...ticket })}\n`).join('');
}

/** A text of a message in one line. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function linesOf(ticket: ShownTicket): readonly string[] {
  const { number, message, wrong, needless, expected, decided, reasons, evidence } = ticket;
  const mistakes = [...(needless ? ['needless'] : []), ...wrong];
  // Without an expectation, only what was found or called is worth telling.
  const told = {
    ...decided,
    escalated: null,
    concerns: expected.concerns === null ? someOf(decided.concerns) : decided.concerns,
    tools: expected.tools === null ? someOf(decided.tools) : decided.tools,
  };
  return [
    `${number}: ${quoted(message.length > 500 ? `${message.slice(0, 500).toWellFormed()}…` : message)}`,
    ...(mistakes.length === 0 ? [] : [`  mistakes: ${mistakes.join(', ')}`]),
    `  expected: ${describe(expected)}`,
    `  decided:  ${describe(told)}, confidence ${decided.confidence.toFixed(2)}`,
    ...(reasons.length === 0 ? [] : [`  because:  ${reasons.join(', ')}`]),
    ...evidence.flatMap(({ stage, summary, words = {} }) => [
      `  ${stage}: ${summary}`,
      ...Object.entries(words).map(([name, texts]) => `    ${name}: ${texts.map(quoted).join(', ')}`),
    ]),
  ];
}

function describe(decision: ShownDecision): string {
  const { intent, disposition, escalated, concerns, tools } = decision;
  const parts = [
    intent,
    disposition ?? (escalated === null ? null : escalated ? 'escalated' : 'not escalated'),
    listed('concerns', concerns),
    listed('tools', tools),
  ];
  return parts.filter((part) => part !== null).join(', ') || 'nothing';
}

function someOf(items: readonly string[] | null): readonly string[] | null {
  return items?.length === 0 ? null : items;
}

function listed(title: string, items: readonly string[] | null): string | null {
  if (items === null) return null;
  return `${title}: ${items.length === 0 ? 'none' : items.join(' + ')}`;
}
