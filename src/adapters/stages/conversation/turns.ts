import type { ConversationEntry, MessageHistory } from '../../../domain/message/conversation.ts';

/** A turn of the customer that had a wish, and what came of it. */
export interface Turn {
  readonly text: string;
  readonly intent: string;
  /**
   * `answered` with content, `asked` for something that the text does not name, `not_found`, or `other`, such as handed
   * over to a person.
   */
  readonly outcome: 'answered' | 'asked' | 'not_found' | 'other';
  /** What the service replied; empty where nothing was sent. */
  readonly reply: string;
}

/**
 * The turns of a conversation, the oldest first. Automatic messages, spam and small talk are none. What a person wrote
 * ends all turns before it, but for a question or a report of the service that the person sent.
 */
export function turnsOf({ entries }: MessageHistory): readonly Turn[] {
  let turns: Turn[] = [];
  for (const entry of entries) {
    if (entry.from === 'person') turns = isUnsuccessful(turns.at(-1)) ? turns.slice(-1) : [];
    else if (entry.from === 'customer' && isTurn(entry)) turns.push(turnOf(entry, entries));
  }
  return turns;
}

/**
 * Whether the customer got an answer in a conversation, from the service or a person. A question or a hand-over is
 * none.
 */
export function wasAnswered(history: MessageHistory | undefined): boolean {
  const { entries = [] } = history ?? {};
  return entries.some(
    (entry) => entry.from === 'person' || (entry.from === 'customer' && outcomeOf(entry) === 'answered'),
  );
}

/** True for a turn that brought the customer no answer. */
export function isUnsuccessful(turn: Turn | undefined): boolean {
  return turn?.outcome === 'asked' || turn?.outcome === 'not_found';
}

/** The turns at the end that brought no answer to one intent. */
export function openTurns(turns: readonly Turn[], intent: string): readonly Turn[] {
  const before = turns.findLastIndex((turn) => !isUnsuccessful(turn) || turn.intent !== intent);
  return turns.slice(before + 1);
}

/** The number of turns without an answer since the last one that had one. */
export function countUnsuccessful(turns: readonly Turn[]): number {
  const success = turns.findLastIndex(({ outcome }) => outcome === 'answered');
  return turns.slice(success + 1).filter(isUnsuccessful).length;
}

function isTurn({ disposition, reasons }: ConversationEntry): boolean {
  return disposition !== 'no_reply' && !reasons.includes('small_talk');
}

function turnOf(entry: ConversationEntry, entries: readonly ConversationEntry[]): Turn {
  const { text, intent, traceId } = entry;
  const reply = entries.find((one) => one.from === 'service' && one.traceId === traceId && traceId !== null);
  return { text, intent: intent ?? 'unknown', outcome: outcomeOf(entry), reply: reply?.text ?? '' };
}

function outcomeOf({ disposition, reasons }: ConversationEntry): Turn['outcome'] {
  if (disposition !== 'answered' && disposition !== 'draft') return 'other';
  if (reasons.includes('question_asked')) return 'asked';
  if (reasons.includes('not_found')) return 'not_found';
  return disposition === 'answered' ? 'answered' : 'other';
}
