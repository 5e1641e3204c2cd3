import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DefinitionRules } from '../../src/domain/workflow/checks/definition.ts';
import type { Step } from '../../src/domain/workflow/definition.ts';
import { issueText } from '../../src/domain/workflow/issues.ts';
import { runsOf } from '../support/extent.ts';
import { checkNow } from '../support/workflow/checks.ts';
import { acyclicSteps, anySteps, oracle, toolStep } from '../support/workflow/graphs.ts';

const rules: Partial<DefinitionRules> = {};

/** The result of checking the steps, with the issues as texts. */
function validateWorkflow(steps: readonly Step[], given: Partial<DefinitionRules>) {
  const { issues, ...others } = checkNow({ steps }, given);
  return { issues: issues.map(issueText), ...others };
}

function issuesOf(steps: readonly Step[]): readonly string[] {
  return validateWorkflow(steps, rules).issues;
}

function warningsOf(steps: readonly Step[]): readonly string[] {
  const { issues, warnings } = validateWorkflow(steps, rules);
  expect(issues).toEqual([]);
  return warnings;
}

/** The ids that the issue of a cycle names, in order, without the repetition of the first at the end. */
function namedCycle(issue: string): string[] {
  const ids = [...issue.matchAll(/"([^"]*)"/g)].map(([, id]) => id ?? '');
  expect(ids.at(-1)).toBe(ids[0]);
  return ids.slice(0, -1);
}

describe('validating a definition', () => {
  test('groups steps into the earliest layers that their dependencies allow', () => {
    const steps = [
      toolStep('report', ['left', 'right']),
      toolStep('start'),
      toolStep('left', ['start']),
      toolStep('right', ['start', 'start']),
      toolStep('alone'),
    ];
    expect(validateWorkflow(steps, rules)).toEqual({
      issues: [],
      warnings: [],
      layers: [['start', 'alone'], ['left', 'right'], ['report']],
    });
  });

  test('reports all issues at once, each with its field', () => {
    const steps = [
      toolStep('a', ['missing', 'missing']),
      toolStep('b', ['b', 'c']),
      toolStep('c', ['d']),
      toolStep('d', ['c']),
      toolStep('a', ['e']),
      toolStep('e', ['f']),
      toolStep('f', ['e', 'c']),
    ];
    expect(validateWorkflow(steps, { ...rules, maxSteps: 7 })).toEqual({
      issues: [
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

  test('requires at least one step', () => {
    expect(issuesOf([])).toEqual(['steps: must contain at least one step']);
  });

  test('accepts exactly the maximum number of steps', () => {
    const steps = Array.from({ length: 1_001 }, (_, number) => toolStep(`s${number}`));
    expect(issuesOf(steps.slice(1))).toEqual([]);
    expect(issuesOf(steps)).toEqual(['steps: must contain at most 1000 steps, but there are 1001']);
  });

  test.each([2, 3, 100])(
    'names the %i steps of a cycle in order, starting with the first of the definition',
    (size) => {
      const steps = Array.from({ length: size }, (_, number) =>
        toolStep(`s${number}`, [`s${(number + 1) % size}`]),
      );
      const [issue = '', ...more] = issuesOf(steps);
      expect(more).toEqual([]);
      expect(namedCycle(issue)).toEqual(steps.map(({ id }) => id));
    },
  );

  test('names the first hundred steps of a long cycle and counts the rest', () => {
    const size = 10_000;
    const steps = Array.from({ length: size }, (_, number) =>
      toolStep(`s${number}`, [`s${(number + 1) % size}`]),
    );
    const { issues } = validateWorkflow(steps, { ...rules, maxSteps: size });
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(/"s98" -> "s99" -> \(9900 more\) -> "s0"$/);
  });

  test('does not name steps that only depend on a cycle', () => {
    const steps = [
      toolStep('late', ['a']),
      toolStep('a', ['b', 'early']),
      toolStep('b', ['a']),
      toolStep('early'),
    ];
    expect(issuesOf(steps)).toEqual(['steps: there is a cycle of dependencies: "a" -> "b" -> "a"']);
  });

  test('truncates and quotes a long name', () => {
    const [issue = ''] = issuesOf([toolStep('a', [`"${'x'.repeat(1_000)}\n`])]);
    expect(issue).toMatch(/^steps\.0\.depends_on: names the unknown step "\\"x{62}…"$/);
  });

  test('lists the first hundred issues and counts the rest', () => {
    const unknown = Array.from({ length: 250 }, (_, number) => `missing-${number}`);
    const issues = issuesOf([toolStep('a', unknown)]);
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toBe('and 150 more issues');
  });

  test.each(['__proto__', 'constructor', 'toString'])('treats %s as an ordinary name', (name) => {
    expect(issuesOf([toolStep('a', [name])])).toEqual([
      `steps.0.depends_on: names the unknown step "${name}"`,
    ]);
    expect(validateWorkflow([toolStep('a', [name]), toolStep(name)], rules).layers).toEqual([[name], ['a']]);
  });

  test('finds exactly the issues that a simple search finds', () => {
    fc.assert(
      fc.property(anySteps(9), (steps) => {
        const { unknown, selfDependent, duplicates, onCycles } = oracle(steps);
        const issues = issuesOf(steps);
        const places = (pattern: RegExp) =>
          new Set(
            issues.flatMap((issue) =>
              pattern.exec(issue)?.[1] !== undefined ? [Number(pattern.exec(issue)?.[1])] : [],
            ),
          );
        const numbersOf = (found: readonly Step[]) => new Set(found.map((step) => steps.indexOf(step)));
        expect(places(/^steps\.(\d+)\.depends_on: names the unknown/)).toEqual(numbersOf(unknown));
        expect(places(/^steps\.(\d+)\.depends_on: step .* depends on itself$/)).toEqual(
          numbersOf(selfDependent),
        );
        expect(places(/^steps\.(\d+)\.id:/)).toEqual(numbersOf(duplicates));
        expect(issues.some((issue) => issue.includes('cycle'))).toBe(onCycles.length > 0);
      }),
      { numRuns: runsOf(1_000, 4_000) },
    );
  });

  test('names only real cycles without common steps, and one for each group of circular steps', () => {
    fc.assert(
      fc.property(anySteps(9), (steps) => {
        const { byId, reaches, onCycles } = oracle(steps);
        const named = issuesOf(steps)
          .filter((issue) => issue.includes('cycle'))
          .map(namedCycle);
        for (const ids of named) {
          ids.forEach((id, place) => {
            expect(byId.get(id)?.dependsOn).toContain(ids[(place + 1) % ids.length]);
          });
        }
        const all = named.flat();
        expect(new Set(all).size).toBe(all.length);
        for (const step of onCycles) {
          const group = onCycles.filter(
            (other) => other === step || (reaches(step, other) && reaches(other, step)),
          );
          expect(group.some(({ id }) => all.includes(id))).toBe(true);
        }
      }),
      { numRuns: runsOf(750, 3_000) },
    );
  });

  test('puts each step into the layer that its longest dependency chain requires', () => {
    fc.assert(
      fc.property(acyclicSteps(12), (steps) => {
        const { depth } = oracle(steps);
        const expected: string[][] = [];
        for (const step of steps) {
          const layer = depth(step);
          while (expected.length <= layer) expected.push([]);
          expected[layer]?.push(step.id);
        }
        expect(validateWorkflow(steps, rules)).toEqual({ issues: [], warnings: [], layers: expected });
      }),
      { numRuns: runsOf(750, 3_000) },
    );
  });

  test('handles long chains and dense graphs without recursion', () => {
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
  test('name tools and agents that are not registered', () => {
    const steps: Step[] = [
      toolStep('a'),
      { id: 'b', kind: 'agent', agentName: 'echo', dependsOn: [], staticInput: {} },
    ];
    const nothingRegistered = { ...rules, hasTool: () => false, hasAgent: () => false };
    expect(validateWorkflow(steps, nothingRegistered).warnings).toEqual([
      'steps.0.tool_name: no tool "tool" is registered',
      'steps.1.agent_name: no agent "echo" is registered',
    ]);
  });

  test('name templates whose step is not upstream or does not exist', () => {
    const steps = [
      toolStep('a', [], { later: '$step.b.x', own: ['$step.a.x'] }),
      toolStep('b', ['a'], { fine: '$step.a.x', beside: { deep: '$step.c.x' } }),
      toolStep('c', ['a'], { none: '$step.missing.x', input: '$input.x', literal: '$$step.missing.x' }),
      toolStep('d', ['b'], { through: '$step.a.x' }),
    ];
    expect(warningsOf(steps)).toEqual([
      'steps.0.static_input: "$step.b.x" names step "b", which is not upstream',
      'steps.0.static_input: "$step.a.x" names step "a", which is not upstream',
      'steps.1.static_input: "$step.c.x" names step "c", which is not upstream',
      'steps.2.static_input: "$step.missing.x" names step "missing", which does not exist',
    ]);
  });

  test('list the first hundred and count the rest', () => {
    const items = Array.from({ length: 150 }, (_, number) => `$step.a.${number}`);
    const warnings = warningsOf([toolStep('a', [], { items })]);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('and 50 more warnings');
  });

  test('name exactly the references that a simple search does not find upstream', () => {
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
      { numRuns: runsOf(300, 1_000) },
    );
  });
});
