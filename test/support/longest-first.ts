import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, the slowest first. Vitest itself begins with the largest files, and these are small.
 */
const longest = [
  'test/shared-stores.test.ts',
  'test/console/console.test.ts',
  'test/adapters/redis/contracts.test.ts',
  'test/llm-service.test.ts',
  'test/adapters/sqlite/contracts.test.ts',
  'test/slow/training.test.ts',
  'test/slow/workflow-faults.test.ts',
  'test/slow/durable-runs.test.ts',
  'test/package/container.test.ts',
  'test/docs/commands.test.ts',
  'test/slow/sqlite-kills.test.ts',
  'test/slow/schedule-replicas.test.ts',
];

/** Begins with the files that take longest, so that no worker has one left when the others have ended. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
  return at < 0 ? longest.length : at;
}
