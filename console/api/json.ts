import type { JsonObject, JsonValue } from '../../src/lib/json/json.ts';

export type { JsonObject, JsonValue };

/** The object that a text is as JSON, or what is wrong with it. */
export function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'This must be an object: { … }.';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}`;
  }
}

/** True for a value from JSON that is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for every value from JSON, whose members are then JSON too. */
export function isJson(value: unknown): value is JsonValue {
  return value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value);
}
