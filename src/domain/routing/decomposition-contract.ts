import { copyJsonObject } from '../../lib/json/copy.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import type { SubTask } from './routing.ts';

/** The most bytes of JSON that the payload of one subtask may have. */
const MAX_PAYLOAD_BYTES = 1_024 * 1_024;

/** A decomposer's result after validation. It shares nothing with the original. */
export interface ParsedDecomposition {
  readonly decomposition: 'keyword' | 'llm';
  readonly subtasks: readonly SubTask[];
  /** How many subtasks beyond the limit were left out. */
  readonly omitted: number;
}

/** Validates what a decomposer returned and takes the first `maxSubtasks`. Throws where it breaks the contract. */
export function parseDecomposition(value: unknown, maxSubtasks: number): ParsedDecomposition {
  if (!isPlainObject(value)) throw new Error('a decomposer returns an object');
  const { decomposition, subtasks } = value;
  if (decomposition !== 'keyword' && decomposition !== 'llm')
    throw new Error('a decomposition names its kind');
  if (!Array.isArray(subtasks)) throw new Error('a decomposition has a list of subtasks');
  const kept = subtasks.slice(0, maxSubtasks).map(parseSubTask);
  return { decomposition, subtasks: kept, omitted: subtasks.length - kept.length };
}

function parseSubTask(value: unknown): SubTask {
  if (!isPlainObject(value)) throw new Error('a subtask is an object');
  const { agentName, payload } = value;
  if (typeof agentName !== 'string') throw new Error('a subtask names its agent');
  return { agentName, payload: copyJsonObject(payload, MAX_PAYLOAD_BYTES) };
}
