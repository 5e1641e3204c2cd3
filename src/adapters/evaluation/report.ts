import type { Evaluation } from '../../application/evaluation/evaluate.ts';
import type { SurenessScore } from '../../domain/evaluation/model-confidence.ts';
import type { Scores } from '../../domain/evaluation/scores.ts';
import {
  expectsEscalation,
  type JudgedMember,
  type JudgedTicket,
  mistakesOf,
  type StageEvidence,
} from '../../domain/evaluation/tickets.ts';
import { dispositions } from '../../domain/message/message.ts';
import { type Gate, type GatedScore, gatedScores, type Shown } from './command-line.ts';
import type { ModelUsage } from './model-usage.ts';

const scoreOf: Readonly<Record<GatedScore, (scores: Scores) => number | null>> = {
  classification_accuracy: ifClassified((scores) => scores.classificationAccuracy),
  macro_f1: ifClassified((scores) => scores.macroF1),
  tool_selection_accuracy: (scores) => scores.toolSelectionAccuracy,
  escalation_accuracy: (scores) => scores.escalationAccuracy,
  concern_recall: (scores) => scores.concerns.recall,
  concern_precision: (scores) => scores.concerns.precision,
  answered_wrong_rate: (scores) => scores.answeredWrongRate,
  calibration_error: ifClassified((scores) => scores.calibrationError),
};

/** A score of intents, which is not judged without a ticket that expects one. */
function ifClassified(scoreIn: (scores: Scores) => number): (scores: Scores) => number | null {
  return (scores) => (scores.perIntent.length === 0 ? null : scoreIn(scores));
}

/** One line for each gate that an evaluation failed. A score that was not judged fails every gate. */
export function failedGates(scores: Scores, gates: readonly Gate[]): readonly string[] {
  return gates.flatMap(({ name, limit }) => {
    const value = scoreOf[name](scores);
    if (value === null) return [`${name} was not judged`];
    const isMinimum = gatedScores[name] === 'minimum';
    if (isMinimum ? value >= limit : value <= limit) return [];
    return [`${name} is ${value}, ${isMinimum ? 'below' : 'above'} ${limit}`];
  });
}

/** One line for each stage and reason for which the rules decided instead of the language model. */
export function modelFallbacks(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([cause, count]) => `fallbacks to the rules: ${count} (${cause})`);
}

/** The name of a classifier, and the calls of the language model in its evaluation. */
export interface NamedUsage {
  readonly name: string;
  readonly usage: ModelUsage;
}

/** Formats the calls of a language model as a table, with a column for each evaluation. */
export function formatUsage(model: string, usages: readonly NamedUsage[]): string {
  const row = (name: string, cellOf: (usage: ModelUsage) => string) => [
    name,
    ...usages.map(({ usage }) => cellOf(usage)),
  ];
  const lines = table([
    [`language model ${model}`, ...usages.map(({ name }) => (usages.length === 1 ? '' : name))],
    row('calls', ({ calls }) => String(calls)),
    row('failed_calls', ({ failedCalls }) => String(failedCalls)),
    row('calls_per_message', ({ callsPerMessage }) => format(callsPerMessage)),
    row('input_tokens', ({ inputTokens }) => String(inputTokens)),
    row('output_tokens', ({ outputTokens }) => String(outputTokens)),
    row('cost', ({ cost }) =>
      cost === null ? 'not known' : `${cost.amount.toFixed(6)} ${cost.currency ?? ''}`.trim(),
    ),
    row('latency_p50_ms', ({ latencyP50Ms }) => format(latencyP50Ms)),
    row('latency_p95_ms', ({ latencyP95Ms }) => format(latencyP95Ms)),
    row('fallback_rate', ({ fallbackRate }) => format(fallbackRate)),
  ]);
  return lines.join('\n');
}

/** The calls of a language model as JSON; `missing` is how many of their replies are not recorded. */
export function toUsageJson(usage: ModelUsage, missing: number) {
  return {
    calls: usage.calls,
    failed_calls: usage.failedCalls,
    missing_replies: missing,
    calls_per_message: usage.callsPerMessage,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost: usage.cost,
    latency_p50_ms: usage.latencyP50Ms,
    latency_p95_ms: usage.latencyP95Ms,
    fallback_rate: usage.fallbackRate,
  };
}

/** The share of right intents by each sureness of a language model, as JSON. */
export function toConfidenceJson(scores: readonly SurenessScore[]) {
  return scores.map(({ sure, count, right, lowerBound, value }) => ({
    sure,
    count,
    right,
    lower_bound: lowerBound,
    value,
  }));
}

/** Formats how often each sureness of a language model is right as a table. */
export function formatModelConfidence(scores: readonly SurenessScore[]): string {
  const rows = scores.map(({ sure, count, right, lowerBound, value }) => [
    sure,
    String(count),
    count === 0 ? '' : format(right / count),
    lowerBound === null ? '' : format(lowerBound),
    value.toFixed(2),
  ]);
  return table([['the model is', 'tickets', 'right', 'at least', 'model_confidence'], ...rows]).join('\n');
}

/** The measured probabilities as a member of a playbook, in YAML. */
export function modelConfidenceYaml(scores: readonly SurenessScore[]): string {
  return `model_confidence: { ${scores.map(({ sure, value }) => `${sure}: ${value}`).join(', ')} }\n`;
}

/** Formats an evaluation as tables of plain text. */
export function formatReport({ dataset, scores }: Pick<Evaluation, 'dataset' | 'scores'>): string {
  const from = dataset.seed === null ? '' : `, seed ${dataset.seed}`;
  const lines = [
    `${scores.totalTickets} tickets (${dataset.name}${from}). ${dataset.description}`,
    '',
    ...table([['score', ''], ...scoreRows(scores).map(([name, value]) => [name, format(value)])]),
    '',
    ...table([
      ['intent', 'precision', 'recall', 'f1', 'support'],
      ...scores.perIntent.map(([intent, { precision, recall, f1, support }]) => [
        intent,
        format(precision),
        format(recall),
        format(f1),
        String(support),
      ]),
    ]),
    '',
    ...concernTable(scores),
    ...dispositionTable(scores),
    ...reasonTable(scores),
    ...table([
      ['confidence', 'tickets', 'accuracy'],
      ...scores.calibration.map(({ from, to, count, accuracy }) => [
        `${from.toFixed(1)} to ${to.toFixed(1)}`,
        String(count),
        accuracy === null ? '' : format(accuracy),
      ]),
    ]),
    '',
    ...table([
      ['threshold', 'no person', 'error rate', 'escalated'],
      ...scores.thresholds.map(({ threshold, coverage, errorRate, escalationRate }) => [
        threshold.toFixed(2),
        format(coverage),
        format(errorRate),
        format(escalationRate),
      ]),
    ]),
  ];
  return lines.join('\n');
}

/** The scores that are one number each. */
function scoreRows(scores: Scores): readonly (readonly [string, number | null])[] {
  return [
    ['classification_accuracy', scores.classificationAccuracy],
    ['macro_f1', scores.macroF1],
    ['tool_selection_accuracy', scores.toolSelectionAccuracy],
    ['escalation_accuracy', scores.escalationAccuracy],
    ['escalation_rate', scores.escalationRate],
    ['concern_recall', scores.concerns.recall],
    ['concern_precision', scores.concerns.precision],
    ['answered_wrong_rate', scores.answeredWrongRate],
    ['failure_rate', scores.failureRate],
    ['calibration_error', scores.calibrationError],
    ['average_latency_ms', scores.averageLatencyMs],
    ['p95_latency_ms', scores.p95LatencyMs],
  ];
}

/** An evaluation and the name of the classifier that it is about. */
export interface NamedEvaluation {
  readonly name: string;
  readonly evaluation: Pick<Evaluation, 'dataset' | 'scores'>;
}

/** Formats evaluations of the same tickets side by side: the scores, and the F1 of each intent. */
export function formatComparison(evaluations: readonly NamedEvaluation[]): string {
  const [first] = evaluations;
  if (first === undefined) throw new Error('there is nothing to compare');
  const { dataset, scores } = first.evaluation;
  const header = (title: string) => [title, ...evaluations.map(({ name }) => name)];
  const scoresOf = evaluations.map(({ evaluation }) => new Map(scoreRows(evaluation.scores)));
  const f1Of = evaluations.map(
    ({ evaluation }) => new Map(evaluation.scores.perIntent.map(([intent, { f1 }]) => [intent, f1])),
  );
  const intents = [...new Set(f1Of.flatMap((scoresByIntent) => [...scoresByIntent.keys()]))];
  return [
    `${scores.totalTickets} tickets (${dataset.name}). ${dataset.description}`,
    '',
    ...table([
      header('score'),
      ...scoreRows(scores).map(([name]) => [name, ...scoresOf.map((row) => format(row.get(name) ?? null))]),
    ]),
    '',
    ...table([
      header('f1'),
      ...intents.map((intent) => [intent, ...f1Of.map((row) => format(row.get(intent) ?? null))]),
    ]),
  ].join('\n');
}

function concernTable({ concerns }: Scores): readonly string[] {
  if (concerns.perConcern.length === 0) return [];
  const rows = concerns.perConcern.map(([concern, { recall, precision, support }]) => [
    concern,
    format(recall),
    format(precision),
    String(support),
  ]);
  return [...table([['concern', 'recall', 'precision', 'support'], ...rows]), ''];
}

function dispositionTable({ dispositions: counts }: Scores): readonly string[] {
  if (counts.length === 0) return [];
  const rows = counts.map(([expected, row]) => {
    const actual = new Map(row);
    return [expected, ...dispositions.map((disposition) => String(actual.get(disposition) ?? 0))];
  });
  return [...table([['expected', ...dispositions], ...rows]), ''];
}

function reasonTable({ escalationReasons }: Scores): readonly string[] {
  if (escalationReasons.length === 0) return [];
  const rows = escalationReasons.map(([reason, count]) => [reason, String(count)]);
  return [...table([['escalated because', 'tickets'], ...rows]), ''];
}

function format(value: number | null): string {
  return value === null ? 'not judged' : value.toFixed(3);
}

/** Aligns the columns of rows: the first one left, the others right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number): number =>
    Math.max(...rows.flatMap((row) => row.slice(column, column + 1).map((cell) => cell.length)));
  const align = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column));
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}

/** A ticket as `evaluate --show` prints it, with its expectations, the decisions and their reasons. */
export interface ShownTicket {
  /** From 1, in the order of the tickets. */
  readonly number: number;
  readonly message: string;
  /** The decisions that are others than expected. */
  readonly wrong: readonly JudgedMember[];
  readonly needless: boolean;
  readonly expected: ShownDecision;
  readonly decided: ShownDecision & { readonly confidence: number };
  /** The reason of its escalation. */
  readonly reasons: readonly string[];
  /** The decision of each stage, with its reason. */
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

/** A ticket that a person got needlessly is no further mistake for that. */
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
