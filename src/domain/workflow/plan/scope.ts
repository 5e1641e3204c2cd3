import { type JsonValue, setOwn } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { ScheduleOrigin } from '../../run/events.ts';
import type { Expression, ExpressionValues } from '../expression.ts';
import { InputError, type InputSources } from '../step-input.ts';

/**
 * What expressions can read of a run, beside its input and its outputs. All of it is in the log, so that a replay
 * repeats it.
 */
export interface RunFacts {
  readonly head: { readonly runId: string; readonly schedule?: ScheduleOrigin | undefined };
  /** ISO 8601. */
  readonly createdAt: string;
  /** When the first attempt has started, in ISO 8601; null before that. */
  readonly startedAt: string | null;
  /** 1, and one more for each retry. */
  readonly attempt: number;
}

/** The values that the templates and expressions of a step may refer to. */
export interface StepSources extends InputSources {
  readonly run: RunFacts;
  /** The item that a step with `foreach` runs for; undefined for a step without. */
  readonly item?: { readonly value: JsonValue; readonly index: number } | undefined;
}

/** The names that an expression of any step may begin with. */
export const roots = ['input', 'steps', 'run', 'schedule'] as const;

/** The names that an expression may begin with that is evaluated for each item of `foreach`. */
export const itemRoots = [...roots, 'item', 'index'] as const;

/**
 * The index of a step that an expression may read. Throws `InputError` for a step that does not exist, and any other.
 */
export type FindStep = (id: string) => number;

/** What an expression reads beside the input. */
export interface Reads {
  /** The outputs, by the index of their step. */
  readonly steps: readonly (readonly [id: string, step: number])[];
  /** Whether it reads `run` or `schedule`. */
  readonly facts: boolean;
}

/**
 * The steps whose outputs the references name, each once. Throws `InputError` for a reference to a step that it may not
 * read, and for one that does not name the step.
 */
export function readsOf({ references }: Pick<Expression, 'references'>, findStep: FindStep): Reads {
  const steps = new Map<string, number>();
  let facts = false;
  for (const [root, id] of references) {
    if (root === 'run' || root === 'schedule') facts = true;
    if (root !== 'steps') continue;
    if (id === undefined) {
      throw new InputError(
        '"steps" must be followed by the id of a step, such as steps.a or steps["my-step"]',
      );
    }
    steps.set(id, findStep(id));
  }
  return { steps: [...steps], facts };
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

/**
 * The values for an evaluation: of the outputs only those that it reads, and only those of completed steps. Times are
 * timestamps.
 */
export function valuesOf(reads: Reads, { input, outputs, item, run }: StepSources): ExpressionValues {
  const steps: Record<string, JsonValue> = {};
  for (const [id, step] of reads.steps) {
    const output = outputs[step] ?? null;
    if (output !== null) setOwn(steps, id, output);
  }
  const values =
    item === undefined ? { input, steps } : { input, steps, item: item.value, index: item.index };
  return reads.facts ? Object.assign(values, factsOf(run)) : values;
}

function factsOf({ head, createdAt, startedAt, attempt }: RunFacts): ExpressionValues {
  const { id = null, fireAt = null, timezone = null } = head.schedule ?? {};
  const time = (iso: string | null): Date | null => (iso === null ? null : new Date(iso));
  return {
    run: { id: head.runId, created_at: time(createdAt), started_at: time(startedAt), attempt },
    schedule: { id, fire_at: time(fireAt), timezone },
  };
}
