import { copyJsonObject } from '../../lib/json/copy.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import type { PlannedSubTask } from './routing.ts';

/** Maximum size of the payload of one subtask, in bytes of JSON. */
const MAX_PAYLOAD_BYTES = 1_024 * 1_024;

/** A decomposer's result after validation. It shares no object with the original. */
export interface ParsedDecomposition {
  readonly decomposition: 'keyword' | 'llm';
  readonly subtasks: readonly PlannedSubTask[];
  readonly unassigned: readonly string[];
  /** Number of subtasks beyond the limit, which are not in the list. */
  readonly omitted: number;
}

/** Validates what a decomposer returned and copies the first `maxSubtasks`. Throws where it violates the contract. */
export function parseDecomposition(value: unknown, maxSubtasks: number): ParsedDecomposition {
  if (!isPlainObject(value)) throw new Error('a decomposer must return an object');
  const { decomposition, subtasks } = value;
  if (decomposition !== 'keyword' && decomposition !== 'llm')
    throw new Error('a decomposition must name its kind');
  if (!Array.isArray(subtasks)) throw new Error('a decomposition must have a list of subtasks');
  const parsed = subtasks.slice(0, maxSubtasks).map(parseSubTask);
  const unassigned = parseTexts(value['unassigned'], 'the unassigned parts of a decomposition');
  return { decomposition, subtasks: parsed, unassigned, omitted: subtasks.length - parsed.length };
}

function parseSubTask(value: unknown): PlannedSubTask {
  if (!isPlainObject(value)) throw new Error('a subtask must be an object');
  const { agentName, payload } = value;
  if (typeof agentName !== 'string') throw new Error('a subtask must name its agent');
  const matched = parseTexts(value['matched'], 'the matched words of a subtask');
  return { agentName, payload: copyJsonObject(payload, MAX_PAYLOAD_BYTES), matched };
}

/** A list of texts, empty when it is absent. */
function parseTexts(value: unknown, name: string): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [];
  if (value !== undefined && texts !== value) throw new Error(`${name} must be a list`);
  return texts.map((text) => {
    if (typeof text !== 'string') throw new Error(`${name} must be texts`);
    return text;
  });
}
