import type { ToolOutcome } from '../../../domain/message/message.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';

/** The most characters of a message in a prompt. */
const MAX_MESSAGE = 8_000;

/** The most characters of all tool outputs in a prompt, as JSON. */
const MAX_OUTPUTS = 16_000;

/** The beginning of a message for a prompt, to bound its cost. */
export function truncateMessage(message: string): string {
  return truncate(message, MAX_MESSAGE);
}

/** The tool outputs for a prompt, or the beginning of their JSON text where that is too long. */
export function truncateOutputs(outcomes: readonly ToolOutcome[]): JsonValue {
  const outputs = outcomes.map(({ toolName, output }) => ({ tool: toolName, output }));
  const text = JSON.stringify(outputs);
  return text.length <= MAX_OUTPUTS ? outputs : truncate(text, MAX_OUTPUTS);
}
