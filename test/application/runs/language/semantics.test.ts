import { describe, expect, test } from 'vitest';
import type { Case } from '../../../support/workflow/language/cases/builders.ts';
import { orderCases } from '../../../support/workflow/language/cases/order.ts';
import { policyCases } from '../../../support/workflow/language/cases/policies.ts';
import { retryCases } from '../../../support/workflow/language/cases/retries.ts';
import { waitingCases } from '../../../support/workflow/language/cases/waiting.ts';
import { runForReal } from '../../../support/workflow/language/check.ts';
import { fits } from '../../../support/workflow/language/compare.ts';
import type { ExpectedRun } from '../../../support/workflow/language/expected.ts';
import { ANY_TIME, inputAt } from '../../../support/workflow/language/generate.ts';
import { expectedRun } from '../../../support/workflow/language/model.ts';
import { createRig } from '../../../support/workflow/language/rig.ts';

/** Expects that a run ends as a case says. */
function expectCase({ run, error, output, steps }: Case, ended: ExpectedRun): void {
  expect(ended.status).toBe(run);
  if (error !== undefined) expect([error, ended.error]).toSatisfy(([rule, found]) => fits(rule, found));
  if (output !== undefined) expect(ended.output).toEqual(output);
  const found = [...ended.steps].map(([id, step]) => {
    const status = step.why === null ? step.status : `${step.status} ${step.why}`;
    const named = steps[id];
    if (!Array.isArray(named)) return [id, status];
    return [id, [status, step.status === 'COMPLETED' ? step.output : step.error]];
  });
  expect(Object.fromEntries(found)).toEqual(steps);
}

describe.each([
  ['steps', orderCases],
  ['policies', policyCases],
  ['waiting steps', waitingCases],
  ['retries', retryCases],
])('of %s', (_, cases) => {
  test.each(cases.map((rule) => [rule.rule, rule] as const))('%s', async (_rule, rule) => {
    // The rule itself, and the model with which random workflows are compared.
    expectCase(rule, expectedRun(rule.scenario, inputAt(rule.scenario, ANY_TIME), ANY_TIME));
    // The engine.
    expect(await runForReal(createRig(), rule.scenario)).toEqual([]);
  });
});
