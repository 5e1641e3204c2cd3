import { itemAt } from '../../../lib/array.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Step } from '../definition.ts';
import { computeLayers, type DependencyGraph, dependencyGraph, findCycles, indexSteps } from '../graph.ts';
import { createDefinitionIssues, type DefinitionIssue, type DefinitionIssues, placeText } from '../issues.ts';

/** Maximum number of steps of a cycle that an issue names; further ones are counted. */
const MAX_NAMED_STEPS = 100;

/** The parts of a step that define the dependency graph. */
export type StepOutline = Pick<Step, 'id' | 'dependsOn'>;

/** The issues of a definition's graph alone, for a definition whose other parts are not valid either. */
export function graphIssues(steps: readonly StepOutline[], maxSteps: number): readonly DefinitionIssue[] {
  const issues = createDefinitionIssues();
  addGraphIssues(steps, maxSteps, issues);
  return issues.list();
}

/**
 * Groups the steps of a definition into layers (specification, section 4; decisions, section 3), and adds all issues of
 * its dependencies. The layers are complete where no issue was added. The time is linear in steps and dependencies. Of
 * too many steps the number alone is an issue.
 */
export function addGraphIssues(
  steps: readonly StepOutline[],
  maxSteps: number,
  issues: DefinitionIssues,
): {
  readonly indexes: ReadonlyMap<string, number>;
  readonly graph: DependencyGraph;
  readonly layers: readonly (readonly number[])[];
} {
  if (steps.length === 0) issues.add(['steps'], () => 'must contain at least one step');
  if (steps.length > maxSteps) {
    issues.add(['steps'], () => tooManyStepsText(steps.length, maxSteps));
    return { indexes: new Map(), graph: [], layers: [] };
  }
  const indexes = indexSteps(steps);
  addDuplicateIssues(steps, indexes, issues);
  const graph = dependencyGraph(steps, indexes, {
    unknown: (step, id) =>
      issues.add(['steps', step, 'depends_on'], () => `names the unknown step ${quote(id)}`),
    self: (step) =>
      issues.add(
        ['steps', step, 'depends_on'],
        () => `step ${quote(itemAt(steps, step).id)} depends on itself`,
      ),
  });
  const { layers, unplaced } = computeLayers(graph);
  for (const cycle of findCycles(graph, unplaced)) {
    issues.add(['steps'], () => cycleIssue(cycle.map((step) => itemAt(steps, step).id)));
  }
  return { indexes, graph, layers };
}

/** The issue of a definition with too many steps. */
export function tooManyStepsText(count: number, maxSteps: number): string {
  return `must contain at most ${maxSteps} steps, but there are ${count}`;
}

function addDuplicateIssues(
  steps: readonly StepOutline[],
  indexes: ReadonlyMap<string, number>,
  issues: DefinitionIssues,
): void {
  for (const [index, { id }] of steps.entries()) {
    const first = indexes.get(id);
    if (first === undefined || first === index) continue;
    const place = () => placeText([...issues.within, 'steps', first]);
    issues.add(['steps', index, 'id'], () => `${quote(id)} is already the id of ${place()}`);
  }
}

/** The issue of a cycle. Each of the ids depends on the next, the last on the first. */
function cycleIssue(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_NAMED_STEPS).map(quote);
  if (ids.length > MAX_NAMED_STEPS) named.push(`(${ids.length - MAX_NAMED_STEPS} more)`);
  const path = [...named, quote(itemAt(ids, 0))].join(' -> ');
  return `there is a cycle of dependencies: ${path}`;
}
