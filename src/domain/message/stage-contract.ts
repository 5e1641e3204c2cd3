import { copyJsonObject } from '../../lib/json/copy.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import {
  type Classification,
  type CompleteVerdict,
  type Concern,
  concerns,
  type Decision,
  decisionSources,
  dispositions,
  type Handover,
  type Plan,
  type ToolCall,
} from './message.ts';

/** Maximum number of tool calls in one plan. */
export const MAX_TOOL_CALLS = 8;

/** Maximum length of a reply to a customer, in characters. */
export const MAX_REPLY_LENGTH = 8_192;

/** Maximum length of the summary of a decision and of a reason of a verdict, in characters. */
const MAX_SENTENCE_LENGTH = 2_048;

/** Maximum number of reasons of a verdict. */
const MAX_REASONS = 32;

/** Maximum length of a tool's name, in characters. */
const MAX_TOOL_NAME = 64;

/** Maximum size of the details of a decision, in bytes of JSON. */
const MAX_DATA_BYTES = 64 * 1_024;

/** Maximum size of the input of a planned tool call, in bytes of JSON. */
const MAX_INPUT_BYTES = 256 * 1_024;

/** A stage returned a value that violates its contract; the message names the rule. */
export class StageContractError extends Error {
  override readonly name = 'StageContractError';
}

/**
 * Validates and copies what a stage returned. `parseValue` does so for the value of the decision. Throws
 * {@link StageContractError} or `JsonError`.
 */
export function parseDecision<T>(returned: unknown, parseValue: (value: unknown) => T): Decision<T> {
  if (!isPlainObject(returned)) throw new StageContractError('a stage must return an object');
  const { value, source, summary, data } = returned;
  const knownSource = decisionSources.find((name) => name === source);
  if (knownSource === undefined) throw new StageContractError('a decision must name its source');
  if (!isSentence(summary)) throw new StageContractError('a decision must have a summary of one sentence');
  return {
    value: parseValue(value),
    source: knownSource,
    summary,
    data: copyJsonObject(data, MAX_DATA_BYTES),
  };
}

/**
 * Parses a classification: one of the known intents, which are those of the playbook, a confidence from 0 to 1,
 * further known intents and known concerns, if any. Throws {@link StageContractError}.
 */
export function parseClassification(value: unknown, known: ReadonlyMap<string, unknown>): Classification {
  if (!isPlainObject(value)) throw new StageContractError('a classification must be an object');
  const { intent, confidence } = value;
  if (typeof intent !== 'string' || !known.has(intent))
    throw new StageContractError('a classification must have an intent of the playbook');
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw new StageContractError('a confidence must be a number from 0 to 1');
  }
  const otherIntents = parseOtherIntents(value['otherIntents'], known);
  const byModel = value['byModel'] ?? false;
  if (typeof byModel !== 'boolean') throw new StageContractError('byModel must be true or false');
  return {
    intent,
    // JSON has no minus zero.
    confidence: Math.abs(confidence),
    ...(otherIntents.length === 0 ? {} : { otherIntents }),
    ...(byModel ? { byModel } : {}),
    concerns: parseConcerns(value['concerns']),
  };
}

/** Parses the further intents of a classification, each once; none when absent. */
function parseOtherIntents(value: unknown, known: ReadonlyMap<string, unknown>): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new StageContractError('other intents must be a list');
  const named = Array.from(value, (name: unknown) => {
    if (typeof name === 'string' && known.has(name)) return name;
    throw new StageContractError('other intents must be intents of the playbook');
  });
  return [...new Set(named)];
}

/**
 * Parses a plan: at most {@link MAX_TOOL_CALLS} calls, each a tool's name and an input object. `mayName` tells whether
 * the plan may name a tool; any when absent.
 */
export function parsePlan(value: unknown, mayName?: (toolName: string) => boolean): Plan {
  if (!isPlainObject(value) || !Array.isArray(value['toolCalls'])) {
    throw new StageContractError('a plan must have a list of tool calls');
  }
  const calls: readonly unknown[] = value['toolCalls'];
  if (calls.length > MAX_TOOL_CALLS) {
    throw new StageContractError(`a plan must have at most ${MAX_TOOL_CALLS} tool calls`);
  }
  // Unlike `map`, `Array.from` also visits the holes of a sparse array.
  const toolCalls = Array.from(calls, parseToolCall);
  if (!toolCalls.every(({ toolName }) => mayName?.(toolName) ?? true)) {
    throw new StageContractError('a plan must name only tools that the playbook gives to the message');
  }
  return { toolCalls };
}

function parseToolCall(value: unknown): ToolCall {
  if (!isPlainObject(value)) throw new StageContractError('a tool call must be an object');
  const { toolName, input } = value;
  if (typeof toolName !== 'string' || toolName.length > MAX_TOOL_NAME) {
    throw new StageContractError('a tool call must name its tool');
  }
  return { toolName, input: copyJsonObject(input, MAX_INPUT_BYTES) };
}

/** Parses concerns, each once and in the order of `concerns`; none when absent. */
function parseConcerns(value: unknown): readonly Concern[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new StageContractError('concerns must be a list');
  // Unlike the list itself, its copy has no holes, which `every` would skip.
  const named: readonly unknown[] = Array.from(value);
  const known: readonly unknown[] = concerns;
  if (!named.every((name) => known.includes(name))) {
    throw new StageContractError('concerns must be known concerns');
  }
  return concerns.filter((concern) => named.includes(concern));
}

/**
 * Parses a verdict: a decision for or against escalation, its reasons, and the disposition that follows from it. A
 * message with a concern must be escalated.
 */
export function parseVerdict(value: unknown): CompleteVerdict {
  if (!isPlainObject(value)) throw new StageContractError('a verdict must be an object');
  const { escalated, reasons } = value;
  if (typeof escalated !== 'boolean')
    throw new StageContractError('a verdict must state whether to escalate');
  if (!Array.isArray(reasons) || reasons.length > MAX_REASONS) {
    throw new StageContractError(`a verdict must have a list of at most ${MAX_REASONS} reasons`);
  }
  const found = parseConcerns(value['concerns']);
  if (found.length > 0 && !escalated) {
    throw new StageContractError('a verdict must escalate a message with a concern');
  }
  const disposition = parseDisposition(value['disposition'], escalated);
  const draft = value['draft'] === undefined || !escalated ? undefined : parseReply(value['draft']);
  return { escalated, reasons: Array.from(reasons, parseReason), disposition, concerns: found, draft };
}

function parseDisposition(value: unknown, escalated: boolean): CompleteVerdict['disposition'] {
  if (value === undefined) return escalated ? 'escalated' : 'answered';
  const disposition = dispositions.find((one) => one === value);
  if (disposition === undefined) throw new StageContractError('a disposition must be a known one');
  if ((disposition === 'escalated') !== escalated) {
    throw new StageContractError('the disposition must be `escalated` exactly when the message is escalated');
  }
  return disposition;
}

function parseReason(value: unknown): string {
  if (!isSentence(value)) throw new StageContractError('a reason must be a sentence');
  return value;
}

function isSentence(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_SENTENCE_LENGTH;
}

/**
 * Parses what a responder wrote: a reply, or one with the reasons for which a person has to take over. Throws
 * {@link StageContractError}.
 */
export function parseResponse(value: unknown): Handover {
  if (!isPlainObject(value)) return { reply: parseReply(value), reasons: [] };
  const { reasons } = value;
  if (!Array.isArray(reasons) || reasons.length === 0 || reasons.length > MAX_REASONS) {
    throw new StageContractError(`a hand-over must have a list of 1 to ${MAX_REASONS} reasons`);
  }
  return { reply: parseReply(value['reply']), reasons: Array.from(reasons, parseReason) };
}

/** Parses a reply: a text of 1 to {@link MAX_REPLY_LENGTH} characters that is not only white space. */
export function parseReply(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new StageContractError('a reply must be a text');
  if (value.length > MAX_REPLY_LENGTH) {
    throw new StageContractError(`a reply must have at most ${MAX_REPLY_LENGTH} characters`);
  }
  return value;
}
