import { copyJsonObject, isPlainObject } from './json.ts';
import {
  type Classification,
  type Decided,
  decisionSources,
  type Intent,
  intents,
  type Plan,
  type ToolCall,
  type Verdict,
} from './message.ts';

/** The most tool calls that one plan may hold. */
export const MAX_TOOL_CALLS = 8;

/** The longest reply sent to a customer, in characters. */
export const MAX_REPLY_LENGTH = 8_192;

/** The most bytes of JSON that a stage may say about its decision. */
const MAX_DATA_BYTES = 64 * 1_024;

/** The most bytes of JSON that the input of a planned tool call may have. */
const MAX_CALL_BYTES = 256 * 1_024;

/** A stage did not keep its contract: its message says which part. */
export class StageContractError extends Error {
  override readonly name = 'StageContractError';
}

/** Checks what a stage returned, its account of itself included, with `check` for the value. Throws {@link StageContractError}. */
export function checkDecided<T>(decided: unknown, check: (value: unknown) => T): Decided<T> {
  if (!isPlainObject(decided)) throw new StageContractError('a stage returns an object');
  const { value, source, summary, data } = decided;
  const knownSource = decisionSources.find((name) => name === source);
  if (knownSource === undefined) throw new StageContractError('a decision names its source');
  if (typeof summary !== 'string') throw new StageContractError('a decision has a summary');
  return { value: check(value), source: knownSource, summary, data: copyJsonObject(data, MAX_DATA_BYTES) };
}

/** A known intent, and a confidence from 0 to 1. */
export function checkClassification(value: unknown): Classification {
  if (!isPlainObject(value)) throw new StageContractError('a classification is an object');
  const { intent, confidence } = value;
  if (!isIntent(intent)) throw new StageContractError('a classification has a known intent');
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw new StageContractError('a confidence is a number from 0 to 1');
  }
  return { intent, confidence };
}

/** At most {@link MAX_TOOL_CALLS} calls, each a name and an input object. */
export function checkPlan(value: unknown): Plan {
  if (!isPlainObject(value) || !Array.isArray(value['toolCalls'])) {
    throw new StageContractError('a plan has a list of tool calls');
  }
  const calls: readonly unknown[] = value['toolCalls'];
  if (calls.length > MAX_TOOL_CALLS) {
    throw new StageContractError(`a plan has at most ${MAX_TOOL_CALLS} tool calls`);
  }
  return { toolCalls: calls.map(checkToolCall) };
}

function checkToolCall(value: unknown): ToolCall {
  if (!isPlainObject(value)) throw new StageContractError('a tool call is an object');
  const { toolName, input } = value;
  if (typeof toolName !== 'string') throw new StageContractError('a tool call names its tool');
  return { toolName, input: copyJsonObject(input, MAX_CALL_BYTES) };
}

/** A decision for or against escalation, with its reasons. */
export function checkVerdict(value: unknown): Verdict {
  if (!isPlainObject(value)) throw new StageContractError('a verdict is an object');
  const { escalated, reasons } = value;
  if (typeof escalated !== 'boolean') throw new StageContractError('a verdict says whether to escalate');
  if (!Array.isArray(reasons) || !reasons.every((reason) => typeof reason === 'string')) {
    throw new StageContractError('a verdict has reasons');
  }
  return { escalated, reasons };
}

/** A text of 1 to {@link MAX_REPLY_LENGTH} characters that is not only white space. */
export function checkReply(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw new StageContractError('a reply is a text');
  if (value.length > MAX_REPLY_LENGTH) {
    throw new StageContractError(`a reply has at most ${MAX_REPLY_LENGTH} characters`);
  }
  return value;
}

function isIntent(value: unknown): value is Intent {
  const known: readonly unknown[] = intents;
  return known.includes(value);
}
