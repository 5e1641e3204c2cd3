import type { ToolOutcome } from '../../../domain/message/message.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';

/** Maximum length of a message in a prompt, in characters. */
const MAX_MESSAGE = 8_000;

/** Maximum length of all tool outputs in a prompt, in characters of JSON. */
const MAX_OUTPUTS = 16_000;

/** The start of a message for a prompt, to limit its cost. */
export function truncateMessage(message: string): string {
  return truncate(message, MAX_MESSAGE);
}

/** The tool outputs for a prompt, or the start of their JSON text where that is too long. */
export function truncateOutputs(outcomes: readonly ToolOutcome[]): JsonValue {
  const outputs = outcomes.map(({ toolName, output }) => ({ tool: toolName, output }));
  const text = JSON.stringify(outputs);
  return text.length <= MAX_OUTPUTS ? outputs : truncate(text, MAX_OUTPUTS);
}
