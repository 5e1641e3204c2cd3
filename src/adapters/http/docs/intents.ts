/** Stands in a schema for the intents of the playbook, until the document is generated. */
export const PLAYBOOK_INTENT = 'playbook-intent';

/** The same for what the intent of a record may be: an intent of the playbook, or `unknown`. */
export const RECORDED_INTENT = 'recorded-intent';

/** Replaces each of the two in a document by the intents that it stands for. */
export function listIntents(document: object, intents: readonly string[]): object {
  const values = new Map<unknown, readonly string[]>([
    [PLAYBOOK_INTENT, intents],
    [RECORDED_INTENT, [...intents, 'unknown']],
  ]);
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('format' in value)) return value;
    const listed = values.get(value.format);
    if (listed === undefined || key === 'example') return value;
    const { format: _, ...rest } = value;
    return { ...rest, enum: listed };
  });
  return JSON.parse(text);
}
