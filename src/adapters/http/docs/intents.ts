/** Stands in a schema for the intents of the playbook, until the document is generated. */
export const RECORDED_INTENT = 'recorded-intent';

/** What the intent of a record may be: an intent of the playbook, or `unknown`. */
export function recordedIntents(intents: readonly string[]): readonly string[] {
  return [...intents, 'unknown'];
}

/** Replaces each {@link RECORDED_INTENT} in a document by the intents of the playbook and `unknown`. */
export function listIntents(document: object, intents: readonly string[]): object {
  const values = recordedIntents(intents);
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('format' in value)) return value;
    if (value.format !== RECORDED_INTENT || key === 'example') return value;
    const { format: _, ...rest } = value;
    return { ...rest, enum: values };
  });
  return JSON.parse(text);
}
