import { ModelFileError } from './model-file.ts';

/** A playbook handles these also where no ticket has them, so a model need not know them. */
const standing: ReadonlySet<string> = new Set(['human_agent', 'spam', 'feedback']);

/**
 * Checks that a model fits a playbook: each of its intents is one of the playbook, and it knows every intent of the
 * playbook but `human_agent`, `spam` and `feedback`. Throws a {@link ModelFileError} with the intents that differ;
 * `name` is the file of the model.
 */
export function checkFits(
  { intents }: { readonly intents: readonly string[] },
  intentsOfPlaybook: readonly string[],
  name = 'the model',
): void {
  const own = new Set(intents);
  const wanted = new Set(intentsOfPlaybook);
  const strange = intents.filter((intent) => !wanted.has(intent));
  const missing = intentsOfPlaybook.filter((intent) => !own.has(intent) && !standing.has(intent));
  const parts = [
    ...(strange.length > 0 ? [`the playbook does not have its intents ${strange.join(', ')}`] : []),
    ...(missing.length > 0
      ? [`it was not trained on the intents ${missing.join(', ')} of the playbook`]
      : []),
  ];
  if (parts.length > 0) throw new ModelFileError(`${name}: does not fit the playbook: ${parts.join('; ')}`);
}
