import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepMemberNames } from '../../../src/adapters/http/resources/definition-schemas.ts';
import { readDefinition } from '../../../src/adapters/http/resources/read-definition.ts';
import { copyDraft } from '../../../src/application/workflows/copy-draft.ts';
import { runsOf } from '../../support/extent.ts';
import { checkNow } from '../../support/workflow/checks.ts';

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    5,
    -1,
    '',
    'tool',
    'wait',
    'approval',
    'continue',
    true,
    [],
    {},
    [7],
    ['a'],
    'a b',
  ),
  fc.record({
    items: fc.constantFrom<unknown>(5, [], 'input.x'),
    concurrency: fc.constantFrom<unknown>(0, 'x'),
  }),
  fc.record({ max_attempts: fc.constantFrom<unknown>(0, 3, 'x') }, { requiredKeys: [] }),
);
const member = fc.constantFrom(...stepMemberNames);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(member, junk, { maxKeys: 8 }) },
  { weight: 1, arbitrary: junk },
);

test('whatever is wrong with other members, an expression that can be read is checked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('name', 'description', 'timeout_ms', 'output', 'input_schema'), junk),
      async (others, members) => {
        const broken = { id: 'broken', tool_name: 't', static_input: { a: '${{ 1 + }}' } };
        const body = { ...members, steps: [...others, broken] };
        const read = await readDefinition(body, {
          maxSteps: 1_000,
          notes: undefined,
          validate: async (draft) => checkNow(copyDraft(draft, 1_000_000).parts),
        });
        const check = 'draft' in read ? checkNow(copyDraft(read.draft, 1_000_000).parts) : read.check;
        const places = check.issues.map(({ path }) => path.join('.'));
        expect(places).toContain(`steps.${others.length}.static_input.a`);
        // Nothing of what stands in for what is wrong is told.
        expect(check.issues.map(({ detail }) => detail).join()).not.toContain('"x"');
      },
    ),
    { numRuns: runsOf(300, 10_000) },
  );
});
