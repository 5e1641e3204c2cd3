import type { JsonObject } from '../../src/lib/json/json.ts';

export type { JsonObject };

/** The object that a text is as JSON, or what is wrong with it. */
export function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'This must be an object: { … }.';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}`;
  }
}

/** Whether a value that came from JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
