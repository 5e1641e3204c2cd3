import type { RunEvent } from '../../../domain/run/events.ts';
import type { Step, WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import type { CheckedMocks, StepMock } from './mocks.ts';

/** A step of a simulated run, as its caller knows it. */
export interface SimulatedStep {
  /** Its key among the mocks: its id, after those of the steps that run its run. */
  readonly key: string;
  readonly step: Step;
  /** Its mock, or that of its item; undefined where it has none. */
  readonly mock: StepMock | undefined;
}

/** The runs of one simulation: the one that was asked for, and its child runs. */
export interface Scopes {
  /** Adds a run that is created. */
  add(runId: string, definition: WorkflowDefinition): void;
  /** Notes the id of the child run for which a step begins to wait. */
  addChild(runId: string, event: RunEvent<'step.waiting'>): void;
  /** A step of a run, or one of its items. */
  step(runId: string, stepId: string, item: number | undefined): SimulatedStep;
  /** The step, or item, of a call, by its idempotency key: `<run>:<step>` or `<run>:<step>:<item>`. */
  called(callKey: string): SimulatedStep;
}

interface Scope {
  /** What the keys of its steps begin with. */
  readonly prefix: string;
  readonly steps: ReadonlyMap<string, Step>;
}

/** Creates {@link Scopes} without runs. */
export function createScopes(mocks: CheckedMocks): Scopes {
  const scopes = new Map<string, Scope>();
  const prefixes = new Map<string, string>();
  const stepsOf = new WeakMap<WorkflowDefinition, ReadonlyMap<string, Step>>();

  function scopeOf(runId: string): Scope {
    const scope = scopes.get(runId);
    if (scope === undefined) throw new RangeError(`the run ${runId} is not simulated`);
    return scope;
  }

  function find(runId: string, stepId: string, item: number | undefined): SimulatedStep | undefined {
    const { prefix, steps } = scopeOf(runId);
    const step = steps.get(stepId);
    const key = `${prefix}${stepId}`;
    return step && { key, step, mock: mocks.find(key, item) };
  }

  function known(step: SimulatedStep | undefined, name: string): SimulatedStep {
    if (step === undefined) throw new RangeError(`the step ${JSON.stringify(name)} does not exist`);
    return step;
  }

  return {
    add(runId, definition) {
      const steps = stepsOf.get(definition) ?? new Map(definition.steps.map((step) => [step.id, step]));
      stepsOf.set(definition, steps);
      scopes.set(runId, { prefix: prefixes.get(runId) ?? '', steps });
    },
    addChild(runId, { itemId, stepId }) {
      prefixes.set(itemId, `${scopeOf(runId).prefix}${stepId}/`);
    },
    step: (runId, stepId, item) => known(find(runId, stepId, item), stepId),
    called(callKey) {
      const [runId = '', ...rest] = callKey.split(':');
      const name = rest.join(':');
      const item =
        rest.length > 1 ? find(runId, rest.slice(0, -1).join(':'), Number(rest.at(-1))) : undefined;
      return known(find(runId, name, undefined) ?? item, name);
    },
  };
}
