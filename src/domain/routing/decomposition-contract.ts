import { copyJsonObject } from '../../lib/json/copy.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import type { SubTask } from './routing.ts';

/** The most bytes of JSON that the payload of one subtask may have. */
const MAX_PAYLOAD_BYTES = 1_024 * 1_024;

/** What a decomposer returned, looked at: aliased to nothing of its own. */
export interface ParsedDecomposition {
  readonly decomposition: 'keyword' | 'llm';
  readonly subtasks: readonly SubTask[];
  /** How many more there were than are dispatched. */
  readonly omitted: number;
}

/** Checks what a decomposer returned and takes the first `maxSubtasks`. Throws where it is not what it should be. */
export function parseDecomposition(value: unknown, maxSubtasks: number): ParsedDecomposition {
  if (!isPlainObject(value)) throw new Error('a decomposer returns an object');
  const { decomposition, subtasks } = value;
  if (decomposition !== 'keyword' && decomposition !== 'llm')
    throw new Error('a decomposition names its kind');
  if (!Array.isArray(subtasks)) throw new Error('a decomposition has a list of subtasks');
  const checked = subtasks.slice(0, maxSubtasks).map(checkSubTask);
  return { decomposition, subtasks: checked, omitted: subtasks.length - checked.length };
}

function checkSubTask(value: unknown): SubTask {
  if (!isPlainObject(value)) throw new Error('a subtask is an object');
  const { agentName, payload } = value;
  if (typeof agentName !== 'string') throw new Error('a subtask names its agent');
  return { agentName, payload: copyJsonObject(payload, MAX_PAYLOAD_BYTES) };
}
