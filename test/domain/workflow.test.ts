import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Step } from '../../src/domain/workflow/definition.ts';
import { type ValidationRules, validateWorkflow } from '../../src/domain/workflow/validation.ts';
import { acyclicSteps, anySteps, oracle, toolStep } from '../support/workflow/graphs.ts';

const rules: ValidationRules = { maxSteps: 1_000, hasTool: () => true, hasAgent: () => true };

function faultsOf(steps: readonly Step[]): readonly string[] {
  return validateWorkflow(steps, rules).faults;
}

function warningsOf(steps: readonly Step[]): readonly string[] {
  const { faults, warnings } = validateWorkflow(steps, rules);
  expect(faults).toEqual([]);
  return warnings;
}

/** The ids that a cycle's fault names, in its order and without the repeated first one at the end. */
function namedCycle(fault: string): string[] {
  const ids = [...fault.matchAll(/"([^"]*)"/g)].map(([, id]) => id ?? '');
  expect(ids.at(-1)).toBe(ids[0]);
  return ids.slice(0, -1);
}

describe('the check of a definition', () => {
  test('groups steps into the earliest layers that their dependencies allow', () => {
    const steps = [
      toolStep('report', ['left', 'right']),
      toolStep('start'),
      toolStep('left', ['start']),
      toolStep('right', ['start', 'start']),
      toolStep('alone'),
    ];
    expect(validateWorkflow(steps, rules)).toEqual({
      faults: [],
      warnings: [],
      layers: [['start', 'alone'], ['left', 'right'], ['report']],
    });
  });

  test('names each fault by its place, all of them at once', () => {
    const steps = [
      toolStep('a', ['missing', 'missing']),
      toolStep('b', ['b', 'c']),
      toolStep('c', ['d']),
      toolStep('d', ['c']),
      toolStep('a', ['e']),
      toolStep('e', ['f']),
      toolStep('f', ['e', 'c']),
    ];
    expect(validateWorkflow(steps, { ...rules, maxSteps: 6 })).toEqual({
      faults: [
        'steps: must hold at most 6 steps, but there are 7',
        'steps.4.id: "a" is already the id of steps.0',
        'steps.0.depends_on: names the unknown step "missing"',
        'steps.1.depends_on: step "b" depends on itself',
        'steps: there is a cycle of dependencies: "c" -> "d" -> "c"',
        'steps: there is a cycle of dependencies: "e" -> "f" -> "e"',
      ],
      warnings: [],
      layers: [],
    });
  });

  test('asks for at least one step', () => {
    expect(faultsOf([])).toEqual(['steps: must hold at least one step']);
  });

  test('allows exactly as many steps as there may be', () => {
    const steps = Array.from({ length: 1_001 }, (_, number) => toolStep(`s${number}`));
    expect(faultsOf(steps.slice(1))).toEqual([]);
    expect(faultsOf(steps)).toEqual(['steps: must hold at most 1000 steps, but there are 1001']);
  });

  test.each([2, 3, 100])(
    'names the %i steps of a cycle in order, the first of the definition first',
    (size) => {
      const steps = Array.from({ length: size }, (_, number) =>
        toolStep(`s${number}`, [`s${(number + 1) % size}`]),
      );
      const [fault = '', ...more] = faultsOf(steps);
      expect(more).toEqual([]);
      expect(namedCycle(fault)).toEqual(steps.map(({ id }) => id));
    },
  );

  test('counts the steps of a long cycle beyond the first hundred', () => {
    const size = 10_000;
    const steps = Array.from({ length: size }, (_, number) =>
      toolStep(`s${number}`, [`s${(number + 1) % size}`]),
    );
    const { faults } = validateWorkflow(steps, { ...rules, maxSteps: size });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/"s98" -> "s99" -> \(9900 more\) -> "s0"$/);
  });

  test('leaves steps that merely depend on a cycle out of it', () => {
    const steps = [
      toolStep('late', ['a']),
      toolStep('a', ['b', 'early']),
      toolStep('b', ['a']),
      toolStep('early'),
    ];
    expect(faultsOf(steps)).toEqual(['steps: there is a cycle of dependencies: "a" -> "b" -> "a"']);
  });

  test('shows only a part of a long name, in quotes', () => {
    const [fault = ''] = faultsOf([toolStep('a', [`"${'x'.repeat(1_000)}\n`])]);
    expect(fault).toMatch(/^steps\.0\.depends_on: names the unknown step "\\"x{62}…"$/);
  });

  test('counts faults beyond the first hundred', () => {
    const unknown = Array.from({ length: 250 }, (_, number) => `missing-${number}`);
    const faults = faultsOf([toolStep('a', unknown)]);
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toBe('and 150 more faults');
  });

  test.each(['__proto__', 'constructor', 'toString'])('treats %s as a name like any other', (name) => {
    expect(faultsOf([toolStep('a', [name])])).toEqual([
      `steps.0.depends_on: names the unknown step "${name}"`,
    ]);
    expect(validateWorkflow([toolStep('a', [name]), toolStep(name)], rules).layers).toEqual([[name], ['a']]);
  });

  test('finds exactly the faults that a plain search finds', () => {
    fc.assert(
      fc.property(anySteps(9), (steps) => {
        const { unknown, selfish, duplicates, onCycles } = oracle(steps);
        const faults = faultsOf(steps);
        const places = (pattern: RegExp) =>
          new Set(
            faults.flatMap((fault) =>
              pattern.exec(fault)?.[1] !== undefined ? [Number(pattern.exec(fault)?.[1])] : [],
            ),
          );
        const numbersOf = (found: readonly Step[]) => new Set(found.map((step) => steps.indexOf(step)));
        expect(places(/^steps\.(\d+)\.depends_on: names the unknown/)).toEqual(numbersOf(unknown));
        expect(places(/^steps\.(\d+)\.depends_on: step .* depends on itself$/)).toEqual(numbersOf(selfish));
        expect(places(/^steps\.(\d+)\.id:/)).toEqual(numbersOf(duplicates));
        expect(faults.some((fault) => fault.includes('cycle'))).toBe(onCycles.length > 0);
      }),
      { numRuns: 20_000 },
    );
  });

  test('names only true cycles that share no step, and one of every knot', () => {
    fc.assert(
      fc.property(anySteps(9), (steps) => {
        const { byId, reaches, onCycles } = oracle(steps);
        const named = faultsOf(steps)
          .filter((fault) => fault.includes('cycle'))
          .map(namedCycle);
        for (const ids of named) {
          ids.forEach((id, place) => {
            expect(byId.get(id)?.dependsOn).toContain(ids[(place + 1) % ids.length]);
          });
        }
        const all = named.flat();
        expect(new Set(all).size).toBe(all.length);
        for (const step of onCycles) {
          const knot = onCycles.filter(
            (other) => other === step || (reaches(step, other) && reaches(other, step)),
          );
          expect(knot.some(({ id }) => all.includes(id))).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('puts every step of a valid definition exactly as deep as its longest way', () => {
    fc.assert(
      fc.property(acyclicSteps(12), (steps) => {
        const { depth } = oracle(steps);
        const expected: string[][] = [];
        for (const step of steps) {
          const layer = depth(step);
          while (expected.length <= layer) expected.push([]);
          expected[layer]?.push(step.id);
        }
        expect(validateWorkflow(steps, rules)).toEqual({ faults: [], warnings: [], layers: expected });
      }),
      { numRuns: 3_000 },
    );
  });

  test('goes through chains and dense graphs of any size without recursion', () => {
    const chain = Array.from({ length: 100_000 }, (_, number) =>
      toolStep(`s${number}`, number === 0 ? [] : [`s${number - 1}`]),
    );
    expect(validateWorkflow(chain, { ...rules, maxSteps: 100_000 }).layers).toHaveLength(100_000);
    const ids = Array.from({ length: 1_000 }, (_, number) => `s${number}`);
    const dense = ids.map((id, number) => toolStep(id, ids.slice(0, number)));
    expect(validateWorkflow(dense, rules).layers).toEqual(ids.map((id) => [id]));
  });
});

describe('the warnings of a definition', () => {
  test('tell of tools and agents that are not registered', () => {
    const steps: Step[] = [
      toolStep('a'),
      { id: 'b', kind: 'agent', agentName: 'echo', dependsOn: [], staticInput: {} },
    ];
    const none = { ...rules, hasTool: () => false, hasAgent: () => false };
    expect(validateWorkflow(steps, none).warnings).toEqual([
      'steps.0.tool_name: no tool "tool" is registered',
      'steps.1.agent_name: no agent "echo" is registered',
    ]);
  });

  test('tell of templates that name a step which is not upstream, or not there', () => {
    const steps = [
      toolStep('a', [], { later: '$step.b.x', own: ['$step.a.x'] }),
      toolStep('b', ['a'], { fine: '$step.a.x', beside: { deep: '$step.c.x' } }),
      toolStep('c', ['a'], { none: '$step.nobody.x', input: '$input.x', literal: '$$step.nobody.x' }),
      toolStep('d', ['b'], { through: '$step.a.x' }),
    ];
    expect(warningsOf(steps)).toEqual([
      'steps.0.static_input: "$step.b.x" names step "b", which is not upstream',
      'steps.0.static_input: "$step.a.x" names step "a", which is not upstream',
      'steps.1.static_input: "$step.c.x" names step "c", which is not upstream',
      'steps.2.static_input: "$step.nobody.x" names step "nobody", which does not exist',
    ]);
  });

  test('count those beyond the first hundred', () => {
    const items = Array.from({ length: 150 }, (_, number) => `$step.a.${number}`);
    const warnings = warningsOf([toolStep('a', [], { items })]);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('and 50 more warnings');
  });

  test('tell exactly of the references that a plain search does not find upstream', () => {
    fc.assert(
      fc.property(
        acyclicSteps(40),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 }),
        (bare, picks) => {
          const steps = bare.map((step, number) => {
            const mine = picks.filter(([from]) => from % bare.length === number);
            const names = mine.map(([, to]) => `$step.s${to % bare.length}.x`);
            return { ...step, staticInput: { names } };
          });
          const { byId, reaches } = oracle(steps);
          const expected = steps.flatMap((step, number) =>
            step.staticInput.names.flatMap((text) => {
              const id = text.split('.')[1] ?? '';
              const target = byId.get(id);
              if (target !== undefined && reaches(step, target)) return [];
              return [`steps.${number}.static_input: "${text}" names step "${id}", which is not upstream`];
            }),
          );
          expect(new Set(warningsOf(steps))).toEqual(new Set(expected));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
