import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import type { JsonObject, JsonValue } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';

/** The most entries of a conversation in a prompt: the newest ones. */
const MAX_ENTRIES = 6;

/** Maximum length of each of them, in characters. */
const MAX_ENTRY = 500;

/** The conversation of a message for a prompt, with its secrets masked as they are stored; no member without one. */
export function promptConversation({ history }: PreparedMessage): JsonObject {
  const entries = history?.entries.slice(-MAX_ENTRIES) ?? [];
  if (entries.length === 0) return {};
  return { conversation: entries.map(({ from, text }) => ({ from, text: truncate(text, MAX_ENTRY) })) };
}

/** Words with a digit, such as order numbers. */
const numbers = /[\p{L}\p{N}_-]*\d[\p{L}\p{N}_-]*/gu;

/**
 * True where an input names a number that only we have named in the conversation: a plan takes the numbers of the
 * customer alone, so that a text which got into a reply cannot choose whose order is looked up.
 */
export function takesFromReplies(input: JsonObject, message: PreparedMessage): boolean {
  const { prepared, subject, history } = message;
  if (history === undefined || history.entries.length === 0) return false;
  const replies = history.entries.filter(({ from }) => from !== 'customer').map(({ text }) => text);
  const said = history.entries.filter(({ from }) => from === 'customer').map(({ text }) => text);
  const ours = numbersIn(replies);
  const own = numbersIn([
    ...said,
    prepared.text,
    subject ?? '',
    ...prepared.setApart.map(({ text }) => text),
  ]);
  return [...numbersIn(leavesOf(input))].some((number) => ours.has(number) && !own.has(number));
}

function numbersIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(numbers) ?? []));
}

function leavesOf(value: JsonValue): readonly string[] {
  if (value === null || typeof value !== 'object') return [String(value)];
  return Object.values(value).flatMap(leavesOf);
}
