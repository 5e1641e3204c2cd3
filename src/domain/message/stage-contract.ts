import { copyJsonObject } from '../../lib/json/copy.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import {
  type Classification,
  type Decision,
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

/** The longest summary of a decision and the longest reason of a verdict, in characters. */
const MAX_SENTENCE_LENGTH = 2_048;

/** The most reasons that a verdict may have. */
const MAX_REASONS = 32;

/** The longest name that a tool can be registered under. */
const MAX_TOOL_NAME = 64;

/** The most bytes of JSON in the details of a decision. */
const MAX_DATA_BYTES = 64 * 1_024;

/** The most bytes of JSON in the input of a planned tool call. */
const MAX_INPUT_BYTES = 256 * 1_024;

/** A stage returned something that its contract does not allow; the message says what. */
export class StageContractError extends Error {
  override readonly name = 'StageContractError';
}

/**
 * Validates and copies what a stage returned. `parseValue` does so for the value of the decision. Throws
 * {@link StageContractError} or `JsonError`.
 */
export function parseDecision<T>(returned: unknown, parseValue: (value: unknown) => T): Decision<T> {
  if (!isPlainObject(returned)) throw new StageContractError('a stage returns an object');
  const { value, source, summary, data } = returned;
  const knownSource = decisionSources.find((name) => name === source);
  if (knownSource === undefined) throw new StageContractError('a decision names its source');
  if (!isSentence(summary)) throw new StageContractError('a decision has a summary of one sentence');
  return {
    value: parseValue(value),
    source: knownSource,
    summary,
    data: copyJsonObject(data, MAX_DATA_BYTES),
  };
}

/** Parses a classification: a known intent and a confidence from 0 to 1. Throws {@link StageContractError}. */
export function parseClassification(value: unknown): Classification {
  if (!isPlainObject(value)) throw new StageContractError('a classification is an object');
  const { intent, confidence } = value;
  if (!isIntent(intent)) throw new StageContractError('a classification has a known intent');
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw new StageContractError('a confidence is a number from 0 to 1');
  }
  // JSON has no minus zero.
  return { intent, confidence: Math.abs(confidence) };
}

/** Parses a plan: at most {@link MAX_TOOL_CALLS} calls, each a tool's name and an input object. */
export function parsePlan(value: unknown): Plan {
  if (!isPlainObject(value) || !Array.isArray(value['toolCalls'])) {
    throw new StageContractError('a plan has a list of tool calls');
  }
  const calls: readonly unknown[] = value['toolCalls'];
  if (calls.length > MAX_TOOL_CALLS) {
    throw new StageContractError(`a plan has at most ${MAX_TOOL_CALLS} tool calls`);
  }
  // Unlike `map`, `Array.from` also passes the holes of a sparse array.
  return { toolCalls: Array.from(calls, parseToolCall) };
}

function parseToolCall(value: unknown): ToolCall {
  if (!isPlainObject(value)) throw new StageContractError('a tool call is an object');
  const { toolName, input } = value;
  if (typeof toolName !== 'string' || toolName.length > MAX_TOOL_NAME) {
    throw new StageContractError('a tool call names its tool');
  }
  return { toolName, input: copyJsonObject(input, MAX_INPUT_BYTES) };
}

/** Parses a verdict: a decision for or against escalation, with its reasons. */
export function parseVerdict(value: unknown): Verdict {
  if (!isPlainObject(value)) throw new StageContractError('a verdict is an object');
  const { escalated, reasons } = value;
  if (typeof escalated !== 'boolean') throw new StageContractError('a verdict says whether to escalate');
  if (!Array.isArray(reasons) || reasons.length > MAX_REASONS) {
    throw new StageContractError(`a verdict has a list of at most ${MAX_REASONS} reasons`);
  }
  return { escalated, reasons: Array.from(reasons, parseReason) };
}

function parseReason(value: unknown): string {
  if (!isSentence(value)) throw new StageContractError('a reason is a sentence');
  return value;
}

function isSentence(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_SENTENCE_LENGTH;
}

/** Parses a reply: a text of 1 to {@link MAX_REPLY_LENGTH} characters that is not only white space. */
export function parseReply(value: unknown): string {
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
