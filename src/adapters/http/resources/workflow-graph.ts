import { graphIssues, type StepOutline } from '../../../domain/workflow/validation.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import type { BodyRules } from '../middleware/validation.ts';

/** The number of steps that the schema checks, as a multiple of the maximum number of steps. */
const CHECKED_FACTOR = 10;

/**
 * The rules for a workflow definition of at most `maxSteps` steps. The issues of its graph are reported together with
 * those of its schema (decisions, section 3). The schema checks only the first steps of a much too long list: a body
 * can hold half a million, and reporting the issues of each would take seconds.
 */
export function definitionRules(maxSteps: number): BodyRules {
  return {
    furtherIssues: (body) => graphIssuesOf(body, maxSteps),
    checkedPart: (body) => firstSteps(body, maxSteps * CHECKED_FACTOR),
  };
}

function firstSteps(body: unknown, maxChecked: number): unknown {
  if (!isPlainObject(body)) return body;
  const steps = body['steps'];
  if (!Array.isArray(steps) || steps.length <= maxChecked) return body;
  return { ...body, steps: steps.slice(0, maxChecked) };
}

/** The issues of the graph, as far as a body that failed its schema has a readable one. */
function graphIssuesOf(body: unknown, maxSteps: number): readonly string[] {
  if (!isPlainObject(body) || !Array.isArray(body['steps'])) return [];
  return graphIssues(body['steps'].map(outlineOf), maxSteps);
}

function outlineOf(step: unknown, index: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  return {
    // An invalid id is replaced by one that no step can have: it is neither a duplicate nor a dependency.
    id: typeof id === 'string' ? id : `\u0000${index}`,
    dependsOn: Array.isArray(depends_on) ? depends_on.filter((entry) => typeof entry === 'string') : [],
  };
}
