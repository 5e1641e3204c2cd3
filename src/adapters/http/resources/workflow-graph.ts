import { graphIssues, type StepOutline } from '../../../domain/workflow/validation.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import type { BodyRules } from '../middleware/validation.ts';

/** Steps whose shape is looked at, as a multiple of those that a definition may have. */
const LOOKED_AT = 10;

/**
 * How a definition's body is checked beside its shape. Of far more steps than there may be only the first are looked
 * at one by one: a body has room for half a million, and to tell what is wrong with each would take seconds.
 */
export function definitionRules(maxSteps: number): BodyRules {
  return {
    furtherFaults: (body) => graphFaultsOf(body, maxSteps),
    firstPart: (body) => firstSteps(body, maxSteps * LOOKED_AT),
  };
}

function firstSteps(body: unknown, most: number): unknown {
  if (!isPlainObject(body)) return body;
  const steps = body['steps'];
  if (!Array.isArray(steps) || steps.length <= most) return body;
  return { ...body, steps: steps.slice(0, most) };
}

/**
 * The faults of a definition's graph as far as its body lets them be seen, for a body whose shape is wrong already:
 * all faults of a definition are told together (decisions, section 3).
 */
function graphFaultsOf(body: unknown, maxSteps: number): readonly string[] {
  if (!isPlainObject(body) || !Array.isArray(body['steps'])) return [];
  return graphIssues(body['steps'].map(outlineOf), maxSteps);
}

function outlineOf(step: unknown, number: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  return {
    // A step without a readable id is neither a duplicate nor anything that another one can name.
    id: typeof id === 'string' ? id : `\u0000${number}`,
    dependsOn: Array.isArray(depends_on) ? depends_on.filter((entry) => typeof entry === 'string') : [],
  };
}
