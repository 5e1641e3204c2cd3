import { invalid } from '../../../domain/errors.ts';
import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import type { JsonObject } from '../../../lib/json/json.ts';

/**
 * Copies a run's input, so that the caller may change its object while the run continues. Throws `validation` for one
 * that is not JSON, or larger than `maxBytes`.
 */
export function copyInput(input: JsonObject, maxBytes: number): JsonObject {
  try {
    return copyJsonObject(input, maxBytes);
  } catch (error) {
    throw error instanceof JsonError ? invalid([`input: ${error.message}`]) : error;
  }
}
