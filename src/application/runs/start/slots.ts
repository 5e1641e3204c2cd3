import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { jsonByteLength } from '../../../lib/json/size.ts';

/** A waiting run occupies one slot for so many steps or bytes of input, which limits the memory of waiting runs. */
const STEPS_PER_SLOT = 100;
const BYTES_PER_SLOT = 16_384;

/** The number of slots that a waiting run of this definition occupies, 1 or more. */
export function slotsFor({ steps }: WorkflowDefinition, input: JsonObject): number {
  const bytes = jsonByteLength(input);
  return Math.max(1, Math.ceil(steps.length / STEPS_PER_SLOT), Math.ceil(bytes / BYTES_PER_SLOT));
}

/**
 * Whether a run is accepted only where there is room for it among those that wait. A child run always is: its parent
 * may hold the place that it waits for.
 */
export function needsRoom(parentRunId: string | null): boolean {
  return parentRunId === null;
}
