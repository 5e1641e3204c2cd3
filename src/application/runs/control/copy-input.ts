import { invalid } from '../../../domain/errors.ts';
import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import type { JsonObject } from '../../../lib/json/json.ts';

/**
 * Copies what a caller gives to a run, so that the caller may change its object while the run continues. Throws
 * `validation`, which calls it `name`, for one that is not JSON, or larger than `maxBytes`.
 */
export function copyInput(input: JsonObject, maxBytes: number, name = 'input'): JsonObject {
  try {
    return copyJsonObject(input, maxBytes);
  } catch (error) {
    throw error instanceof JsonError ? invalid([`${name}: ${error.message}`]) : error;
  }
}
