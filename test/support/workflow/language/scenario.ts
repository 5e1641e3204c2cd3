import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import type { Expr, Template, Templates } from './expression.ts';

/** The unit of everything that takes time, in milliseconds. Whatever happens at once takes far less in all. */
export const UNIT = 20_000;

/** The behaviour of a tool or agent that is called for a step, or for one of its items. */
export interface Behavior {
  /** So many attempts fail first, with an error that allows another one. */
  readonly failures: number;
  /** The outcome of the attempt after them: `hang` ends only when it is aborted. */
  readonly does: 'succeed' | 'fail' | 'hang';
  /** The output where it succeeds. */
  readonly output: JsonObject;
}

/** The answer of a person, or nobody; `after` in milliseconds from the opening of the item. */
export type Answer = null | {
  readonly outcome: 'approved' | 'rejected';
  readonly after: number;
  readonly by: string;
  readonly note: string | null;
  readonly data: JsonValue;
};

/** The work of a step. Lists have an entry for each item of `foreach`, and begin again at their end. */
export type Work =
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly input: Templates;
      readonly does: readonly Behavior[];
    }
  | {
      readonly kind: 'agent';
      readonly name: string;
      readonly input: Templates;
      readonly does: readonly Behavior[];
    }
  /** `definition` is the index of the child's definition; null for an unknown one. */
  | { readonly kind: 'workflow'; readonly definition: number | null; readonly input: Templates }
  | { readonly kind: 'wait'; readonly durationMs: number }
  | { readonly kind: 'wait'; readonly until: string | Expr }
  | {
      readonly kind: 'approval';
      readonly title: Template;
      readonly payload: Templates;
      readonly expiresInMs?: number;
      readonly onExpire?: 'reject' | 'approve';
      readonly onReject?: 'fail' | 'continue';
      readonly answers: readonly Answer[];
    };

/** A step of a {@link Scenario}. */
export interface PlannedStep {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly work: Work;
  readonly when?: Expr;
  readonly runIf?: 'none_failed' | 'all_completed' | 'always';
  readonly retry?: { readonly maxAttempts: number; readonly backoffMs?: number; readonly factor?: number };
  readonly timeoutMs?: number;
  readonly onError?: 'fail' | 'continue' | { readonly output: JsonObject };
  readonly foreach?: {
    readonly items: readonly JsonValue[] | Expr;
    readonly concurrency?: number;
    readonly onItemError?: 'fail' | 'continue';
  };
}

/** A definition of a {@link Scenario}. */
export interface PlannedDefinition {
  readonly steps: readonly PlannedStep[];
  readonly output?: Templates;
  readonly timeoutMs?: number;
  readonly maxConcurrentSteps?: number;
}

/** A definition with its children, and all that happens in one run of it. */
export interface Scenario {
  readonly seed: number;
  /** The first one is run; each may name later ones. */
  readonly definitions: readonly PlannedDefinition[];
  readonly input: JsonObject;
  /** Milliseconds from the start of the run to the request to cancel it; null for never. */
  readonly cancelAfter: number | null;
  /**
   * True where the run is retried once where it has not completed. Then everything succeeds, and people approve at
   * once.
   */
  readonly isRetried: boolean;
}

/** The behaviour of a tool or agent in a retry. */
export function mended({ output }: Behavior): Behavior {
  return { failures: 0, does: 'succeed', output };
}

/** The answer of people in a retry. */
export const mendedAnswer: NonNullable<Answer> = {
  outcome: 'approved',
  after: 0,
  by: 'eve',
  note: 'mended',
  data: { n: 2 },
};

/** The tools, by name: what repeating them does. */
export const tools = { look: 'read', put: 'idempotent', send: 'write' } as const;

/** The agents, by name: what repeating them does, where they say so. */
export const agents = { asker: undefined, reader: 'read', keeper: 'idempotent', writer: 'write' } as const;

/** The name of a step in inputs and errors: unique within a scenario. */
export function nameOf(definition: number, stepId: string): string {
  return `${definition}/${stepId}`;
}

/** The error of an attempt that may be repeated. */
export function busyText(name: string): string {
  return `${name} is busy`;
}

/** The error of an attempt that would fail again. */
export function failureText(name: string): string {
  return `${name} is not possible`;
}

/** The entry of a list for an item. */
export function forItem<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new RangeError('the list is empty');
  return found;
}
