import { type JsonObject, type JsonValue, setOwn } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Expression } from '../expression.ts';
import { InputError, type InputSources } from '../step-input.ts';

/** The values that the templates and expressions of a step may refer to. */
export interface StepSources extends InputSources {
  /** The item that a step with `foreach` runs for; undefined for a step without. */
  readonly item?: { readonly value: JsonValue; readonly index: number } | undefined;
}

/** The names that an expression of any step may begin with. */
export const roots = ['input', 'steps'] as const;

/** The names that an expression may begin with that is evaluated for each item of `foreach`. */
export const itemRoots = [...roots, 'item', 'index'] as const;

/** The index of a step that an expression may read. Throws `InputError` for a step that does not exist, and any other. */
export type FindStep = (id: string) => number;

/** The outputs that an expression reads, by the index of their step. */
export type Reads = readonly (readonly [id: string, step: number])[];

/**
 * The steps whose outputs the references name, each once. Throws `InputError` for a reference to a step that it may not
 * read, and for one that does not name the step.
 */
export function readsOf({ references }: Pick<Expression, 'references'>, findStep: FindStep): Reads {
  const reads = new Map<string, number>();
  for (const [root, id] of references) {
    if (root !== 'steps') continue;
    if (id === undefined) {
      throw new InputError(
        '"steps" must be followed by the id of a step, such as steps.a or steps["my-step"]',
      );
    }
    reads.set(id, findStep(id));
  }
  return [...reads];
}

/** The error for a reference to a step that cannot be read. */
export function unreadable(id: string, reason: keyof typeof reasons): InputError {
  return new InputError(`names step ${quote(id)}, ${reasons[reason]}`);
}

const reasons = {
  unknown: 'which does not exist',
  itself: 'which is the step itself',
  not_upstream: 'which is not upstream; add it to depends_on',
} as const;

/** The values for an evaluation: of the outputs only those that it reads, and only those of completed steps. */
export function valuesOf(reads: Reads, { input, outputs, item }: StepSources): JsonObject {
  const steps: Record<string, JsonValue> = {};
  for (const [id, step] of reads) {
    const output = outputs[step] ?? null;
    if (output !== null) setOwn(steps, id, output);
  }
  return item === undefined ? { input, steps } : { input, steps, item: item.value, index: item.index };
}
