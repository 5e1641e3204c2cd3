import { isPlainObject } from '../../domain/json.ts';
import { graphFaults, type StepOutline } from '../../domain/workflow-validation.ts';

/**
 * The faults of a definition's graph as far as its body lets them be seen, for a body whose shape is wrong already:
 * all faults of a definition are told together (decisions, section 3).
 */
export function graphFaultsOf(body: unknown, maxSteps: number): readonly string[] {
  if (!isPlainObject(body) || !Array.isArray(body['steps'])) return [];
  return graphFaults(body['steps'].map(outlineOf), maxSteps);
}

function outlineOf(step: unknown, number: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  return {
    // A step without a readable id is neither a duplicate nor anything that another one can name.
    id: typeof id === 'string' ? id : `\u0000${number}`,
    dependsOn: Array.isArray(depends_on) ? depends_on.filter((entry) => typeof entry === 'string') : [],
  };
}
