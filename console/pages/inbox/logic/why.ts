import type { Case, Item, Trace } from './types.ts';

/** An intent that the service took into account. */
export interface Choice {
  readonly intent: string;
  /** From 0 to 1; null where the trace does not say. */
  readonly confidence: number | null;
}

/** A reason with its explanation; the explanation is null where the trace has none. */
export interface Reason {
  readonly name: string;
  readonly text: string | null;
}

/** The reasons for which a person has to see a message, as far as its trace has them. */
export interface Why {
  readonly reasons: readonly Reason[];
  readonly confidence: number | null;
  /** The confidence below which a message goes to a person; null where the trace does not say. */
  readonly threshold: number | null;
  /** The words of the customer that decided. */
  readonly evidence: readonly string[];
  /** The classifier: `deterministic`, or the language model. */
  readonly source: string | null;
}

/** The most intents that have a key: 1 to 9. */
const MOST_CHOICES = 9;

/** The intents to choose from: that of the service first, then its alternatives and further wishes. */
export function choicesOf(trace: Trace | null | undefined): readonly Choice[] {
  if (!trace) return [];
  const { data } = decisionBy(trace, 'classifier');
  const others = listOf(data['alternatives']).flatMap((entry): readonly Choice[] => {
    const intent = isRecord(entry) ? entry['intent'] : undefined;
    return typeof intent === 'string' && isRecord(entry)
      ? [{ intent, confidence: numberOf(entry['confidence']) }]
      : [];
  });
  const wishes = textsOf(data['wishes']).map((intent): Choice => ({ intent, confidence: null }));
  const first = { intent: trace.intent, confidence: trace.confidence };
  const byName = new Map<string, Choice>();
  for (const choice of [first, ...others, ...wishes]) {
    if (choice.intent !== 'unknown' && !byName.has(choice.intent)) byName.set(choice.intent, choice);
  }
  return [...byName.values()].slice(0, MOST_CHOICES);
}

/** The words of all lists of a record, each once. */
function wordsOf(value: unknown): readonly string[] {
  return isRecord(value) ? [...new Set(Object.values(value).flatMap(textsOf))] : [];
}

/** The reasons for an item about a message. */
export function whyOf(item: Pick<Case, 'reasons' | 'trace'>): Why {
  const { trace } = item;
  const classifier = trace ? decisionBy(trace, 'classifier') : nothing;
  const verifier = trace ? decisionBy(trace, 'verifier') : nothing;
  const names = textsOf(verifier.data['reasons']);
  const texts = textsOf(verifier.data['explanations']);
  return {
    reasons: item.reasons.map((name) => ({ name, text: texts[names.indexOf(name)] ?? null })),
    confidence: trace ? trace.confidence : null,
    threshold: numberOf(verifier.data['threshold']),
    evidence: wordsOf(classifier.data['evidence']),
    source: classifier.source,
  };
}

/** A name of the service such as `low_confidence`, for reading. */
export const inWords = (name: string): string => name.replaceAll('_', ' ');

/** The used share of an item's time: 1 is when it is due. Null for an item that is never due. */
export function slaShare(
  item: Pick<Item, 'opened_at' | 'due_at' | 'resolved_at'>,
  now: number,
): number | null {
  const { opened_at, due_at, resolved_at } = item;
  if (due_at === null) return null;
  const opened = Date.parse(opened_at);
  const until = resolved_at === null ? now : Date.parse(resolved_at);
  return Math.max(0, until - opened) / Math.max(1, Date.parse(due_at) - opened);
}

/** True for an item that waits for a person. */
export const isWaiting = ({ status }: Pick<Item, 'status'>): boolean =>
  status === 'open' || status === 'claimed';

/** True for an item that waits and is past its due time. */
export function isOverdue(item: Pick<Item, 'status' | 'due_at'>, now: number): boolean {
  return isWaiting(item) && item.due_at !== null && Date.parse(item.due_at) <= now;
}

const MINUTE_MS = 60_000;

/** A duration in whole minutes, so that it does not change each second: `< 1 m`, `12 m`, `5 h 12 m`, `3 d`. */
export function coarse(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE_MS);
  if (minutes < 1) return '< 1 m';
  if (minutes < 60) return `${minutes} m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d`;
}

interface StageDecision {
  readonly source: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

const nothing: StageDecision = { source: null, data: {} };

function decisionBy(trace: Trace, stage: string): StageDecision {
  return trace.agent_decisions.find(({ agent }) => agent === stage) ?? nothing;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((entry) => typeof entry === 'string');
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
