import { celExpressions, jsonSchemas } from '../../../src/adapters/languages/languages.ts';
import {
  checkDefinition,
  type DefinitionCheck,
  type DefinitionParts,
  type DefinitionRules,
} from '../../../src/domain/workflow/checks/definition.ts';

/** Rules under which every tool and agent is registered. */
const anyTarget: DefinitionRules = {
  maxSteps: 1_000,
  maxForeachItems: 1_000,
  language: celExpressions,
  hasTool: () => true,
  hasAgent: () => true,
  writes: () => false,
  schemaIssues(schema, budget) {
    const compiled = jsonSchemas.compile(schema, budget);
    return 'invalid' in compiled ? compiled.invalid : [];
  },
};

/** Checks a definition without other work in between. */
export function checkNow(
  parts: Pick<DefinitionParts, 'steps'> & Partial<DefinitionParts>,
  rules: Partial<DefinitionRules> = {},
): DefinitionCheck {
  const check = checkDefinition({ name: 'w', description: '', ...parts }, { ...anyTarget, ...rules });
  for (let next = check.next(); ; next = check.next()) if (next.done === true) return next.value;
}
