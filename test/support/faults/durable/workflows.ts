import type { Random } from '../../../../src/adapters/evaluation/random.ts';
import type { EffectLine } from './effect-log.ts';

/** A step of a workload. */
export interface WorkStep {
  readonly id: string;
  readonly effect: EffectLine['effect'];
  readonly isAgent: boolean;
  readonly dependsOn: readonly string[];
  readonly ms: number;
  /** True where it kills its process. */
  readonly isDeadly?: boolean;
}

/** A workflow of the workload. */
export interface Work {
  readonly name: string;
  readonly steps: readonly WorkStep[];
}

const COUNT = 20;

type Shape = (index: number) => readonly number[];

/** By the index of a step, the indexes of the steps that it depends on. */
const shapes: Readonly<Record<string, Shape>> = {
  chain: (index) => (index === 0 ? [] : [index - 1]),
  wide: () => [],
  fan: (index) =>
    index === 0 ? [] : index < COUNT - 1 ? [0] : Array.from({ length: COUNT - 2 }, (_, i) => i + 1),
  diamonds: (index) => {
    const base = index - (index % 4);
    const corners: readonly (readonly number[])[] = [
      index === 0 ? [] : [base - 1],
      [base],
      [base],
      [base + 1, base + 2],
    ];
    return corners[index % 4] ?? [];
  },
};

/** The share of `write` steps: none, where every run must complete, or some. */
const writeShares = { safe: 0, mixed: 0.12 } as const;

/**
 * Workflows of twenty steps of each shape, with and without steps that must not be repeated. `ms` is the mean time of a
 * step.
 */
export function createWorks(random: Random, ms: number): readonly Work[] {
  return Object.entries(shapes).flatMap(([shape, dependsOn]) =>
    Object.entries(writeShares).map(([name, share]) => ({
      name: `${shape}, ${name}`,
      steps: Array.from({ length: COUNT }, (_, index): WorkStep => {
        const isAgent = random.flip(0.1);
        const effect = random.flip(share) ? 'write' : isAgent || random.flip(0.5) ? 'read' : 'idempotent';
        return {
          id: `s${index}`,
          effect,
          isAgent,
          dependsOn: dependsOn(index).map((before) => `s${before}`),
          ms: Math.round(ms * (0.4 + 1.2 * random.next())),
        };
      }),
    })),
  );
}

/**
 * The definition of a workflow: its steps log under the token in the input, with the mark of their first dependency.
 */
export function definitionOf({ name, steps }: Work): object {
  return {
    name,
    steps: steps.map(({ id, effect, isAgent, dependsOn, ms, isDeadly }) => ({
      id,
      depends_on: dependsOn,
      ...(isAgent ? { kind: 'agent', agent_name: `agent_${effect}` } : { tool_name: `act_${effect}` }),
      static_input: {
        token: '$input.token',
        step: id,
        ms,
        ...(isDeadly ? { deadly: true } : {}),
        ...(dependsOn[0] === undefined ? {} : { seen: `$step.${dependsOn[0]}.mark` }),
      },
    })),
  };
}

/** A step of a tool, after the one before it. */
export function toolStep(id: string, effect: WorkStep['effect'], ms: number, after?: string): WorkStep {
  return { id, effect, isAgent: false, dependsOn: after === undefined ? [] : [after], ms };
}

/** A chain of steps that may be repeated. */
export function chainOf(name: string, count: number, ms: number): Work {
  const steps = Array.from({ length: count }, (_, index) =>
    toolStep(
      `s${index}`,
      index % 2 === 0 ? 'read' : 'idempotent',
      ms,
      index === 0 ? undefined : `s${index - 1}`,
    ),
  );
  return { name, steps };
}
