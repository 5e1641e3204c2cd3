import type { ToolOutcome } from '../../../domain/message/message.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';

/** The most characters of a message that a model is sent, once per stage. */
const MAX_MESSAGE = 8_000;

/** The most characters of JSON that a model is sent of the outputs of all tools together. */
const MAX_OUTPUTS = 16_000;

/** A message's text as far as a model gets to see it: what is sent is paid for. */
export function forPrompt(message: string): string {
  return truncate(message, MAX_MESSAGE);
}

/** What the tools brought as far as a model gets to see it: whole, or the beginning of its JSON text. */
export function outputsForPrompt(outcomes: readonly ToolOutcome[]): JsonValue {
  const outputs = outcomes.map(({ toolName, output }) => ({ tool: toolName, output }));
  const text = JSON.stringify(outputs);
  return text.length <= MAX_OUTPUTS ? outputs : truncate(text, MAX_OUTPUTS);
}
