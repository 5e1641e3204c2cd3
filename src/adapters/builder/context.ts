import { celAccess } from './cel-text.ts';
import { createReference, type Ref, type Reference, type UntypedReference } from './reference.ts';

/** The output of an approval; `Data` is what comes with the answer. */
export interface ApprovalOutput<Data = unknown> {
  readonly approved: boolean;
  /** Null where none was given. */
  readonly data: Data | null;
  readonly decided_by: string;
  readonly decided_at: string;
  readonly note: string | null;
}

/** The output of a step that runs another workflow; `Output` is that of the workflow. */
export interface ChildOutput<Output = unknown> {
  readonly execution_id: string;
  readonly status: string;
  readonly output: Output;
}

/** The output of a step with `foreach`; `Output` is that of one item. */
export interface ForeachOutput<Output = unknown> {
  /** In the order of the items; null for one that failed. */
  readonly results: readonly (Output | null)[];
  /** Error texts by index. */
  readonly errors: { readonly [index: string]: string };
  readonly count: number;
  readonly failed: number;
}

/** The type of the output of a step, or of one item of it. */
export type OutputOf<Kind, Returned> = Kind extends 'approval'
  ? ApprovalOutput<Returned>
  : Kind extends 'workflow'
    ? ChildOutput<Returned>
    : Returned;

/** What the steps of a workflow say about themselves, each by their ids. */
export interface StepTypes {
  readonly kinds: unknown;
  readonly returns: unknown;
  /** Their members: a step with `foreach` has another output, and items. */
  readonly members: unknown;
  readonly items: unknown;
}

/** What `Types` says of the step `Id`; unknown where it says nothing. */
export type Of<Types, Id> = Id extends keyof Types ? Types[Id] : unknown;

/** True for a step with `foreach`. */
export type HasItems<Types extends StepTypes, Id> = 'foreach' extends keyof Of<Types['members'], Id>
  ? true
  : false;

/** The type of the output of a step. */
export type StepOutput<Types extends StepTypes, Id> =
  HasItems<Types, Id> extends true
    ? ForeachOutput<OutputOf<Of<Types['kinds'], Id>, Of<Types['returns'], Id>>>
    : OutputOf<Of<Types['kinds'], Id>, Of<Types['returns'], Id>>;

/** The ids of all steps but `Without`; any text where the ids are known only when the program runs. */
export type OtherIds<Kinds, Without> = string extends keyof Kinds ? string : Exclude<keyof Kinds, Without>;

/** The outputs of all steps but `Without`, by their ids; untyped where the ids are known only when the program runs. */
export type StepRefs<Types extends StepTypes, Without = never> = string extends keyof Types['kinds']
  ? Readonly<Record<string, UntypedReference>>
  : { readonly [Id in OtherIds<Types['kinds'], Without>]: Ref<StepOutput<Types, Id>> };

/** What a run knows of itself. Its times are timestamps in expressions, and texts in RFC 3339 everywhere else. */
export interface RunValues {
  readonly id: string;
  readonly created_at: string;
  /** When its first attempt has started. */
  readonly started_at: string;
  /** 1, and one more for each retry. */
  readonly attempt: number;
}

/** The schedule that has started a run; all of it is null where none has. */
export interface ScheduleValues {
  readonly id: string | null;
  /** Null also for a run that was triggered by hand. */
  readonly fire_at: string | null;
  readonly timezone: string | null;
}

/** What the parts of a definition can refer to. */
export interface RunContext<Steps, Input> {
  /** The outputs of the other steps. A reference to one makes it a dependency. */
  readonly steps: Steps;
  /** The input of the run. */
  readonly input: Ref<Input>;
  readonly run: Ref<RunValues>;
  readonly schedule: Ref<ScheduleValues>;
}

/** What the input of a step with `foreach` can refer to. */
export interface ItemContext<Steps, Input, Item = unknown> extends RunContext<Steps, Input> {
  readonly item: Ref<Item>;
  /** From 0. */
  readonly index: Ref<number>;
}

/** What the input of the step `Id` can refer to. */
export type StepContext<Types extends StepTypes, Input, Id> =
  HasItems<Types, Id> extends true
    ? ItemContext<StepRefs<Types, Id>, Input, Of<Types['items'], Id>>
    : RunContext<StepRefs<Types, Id>, Input>;

/** A context whose types are not known. */
export type AnyContext = ItemContext<Readonly<Record<string, UntypedReference>>, unknown>;

/** The context of a step, or of the output where `self` is undefined. Unknown steps and `self` throw `TypeError`. */
export function createContext(ids: ReadonlySet<string>, self?: string): AnyContext {
  const outputs: Record<string, UntypedReference> = {};
  const steps = new Proxy(outputs, {
    get(_target, id) {
      if (typeof id !== 'string') return undefined;
      if (id === self) throw new TypeError(`step "${id}" refers to its own output`);
      if (!ids.has(id)) throw new TypeError(`there is no step "${id}"`);
      return createReference({
        kind: 'expression',
        cel: `steps${celAccess(id)}`,
        reads: [{ stepId: id }],
        readsItem: false,
        form: 'output',
      });
    },
  });
  return {
    steps,
    input: rootOf('input', false),
    run: runReference(),
    schedule: scheduleReference(),
    item: rootOf('item', true),
    index: rootOf('index', true),
  };
}

function runReference(): Ref<RunValues> {
  return Object.assign(rootOf<RunValues>('run', false), {
    id: rootOf<string>('run.id', false),
    created_at: rootOf<string>('run.created_at', false),
    started_at: rootOf<string>('run.started_at', false),
    attempt: rootOf<number>('run.attempt', false),
  });
}

function scheduleReference(): Ref<ScheduleValues> {
  return Object.assign(rootOf<ScheduleValues>('schedule', false), {
    id: rootOf<string>('schedule.id', false),
    fire_at: rootOf<string>('schedule.fire_at', false),
    timezone: rootOf<string>('schedule.timezone', false),
  });
}

function rootOf<T>(cel: string, readsItem: boolean): Reference<T> {
  return createReference<T>({ kind: 'expression', cel, reads: [], readsItem, form: 'path' });
}
