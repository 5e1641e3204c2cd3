/**
 * Tests that stand beside others of their subject, and take so long that only `npm run test:slow` runs them: the
 * package as it is installed, the commands and code blocks of all pages, stores that stop answering, and processes
 * that are killed.
 */
export const longTests: readonly string[] = [
  'test/package/container.test.ts',
  'test/package/package.test.ts',
  'test/docs/code-blocks.test.ts',
  'test/docs/commands.test.ts',
  'test/examples/broadband.test.ts',
  'test/examples/currency.test.ts',
  'test/adapters/postgres/contracts.test.ts',
  'test/adapters/redis/outages.test.ts',
  'test/adapters/queue/replicas.test.ts',
  'test/waiting-runs.test.ts',
  'test/failed-items.test.ts',
];

/**
 * Tests that take a part of their combinations or of their runs, and all of them in `npm run test:extensive`: see
 * `support/extent.ts`.
 */
export const extensiveTests: readonly string[] = [
  'test/adapters/builder/random-workflows.test.ts',
  'test/adapters/classifier/examples/invariants.test.ts',
  'test/adapters/llm/provider-errors.test.ts',
  'test/adapters/shared/expressions/expression-model.test.ts',
  'test/adapters/shared/user-schema/user-schema-model.test.ts',
  'test/adapters/stages/llm/mutations.test.ts',
  'test/adapters/stages/llm/reply-facts.test.ts',
  'test/application/runs/language/random.test.ts',
  'test/application/runs/runner-model.test.ts',
  'test/console/console.test.ts',
  'test/domain/decomposition.test.ts',
  'test/domain/goal-material.test.ts',
  'test/domain/run/random-runs.test.ts',
  'test/domain/template.test.ts',
  'test/domain/workflow.test.ts',
  'test/equality.test.ts',
  'test/http/headers/accept.test.ts',
  'test/http/listener/rejected-requests.test.ts',
  'test/http/middleware/json-body.test.ts',
  'test/lib/json-size.test.ts',
  'test/lib/quotations.test.ts',
  'test/lib/sentences.test.ts',
  'test/lib/summary.test.ts',
  'test/lib/tokenize.test.ts',
  'test/slow/workflow-faults.test.ts',
  'test/slow/workflow-language.test.ts',
];

/** Tests of minutes each, which only `npm run test:extensive` runs. */
export const longest: readonly string[] = [
  'test/slow/memory-budget.test.ts',
  'test/slow/schedules.test.ts',
  'test/slow/training.test.ts',
];

/** Slow tests that `npm run test:slow` runs after the others, without any beside them. */
export const alone: readonly string[] = ['test/slow/stalls.test.ts'];
