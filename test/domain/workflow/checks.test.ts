import { describe, expect, test } from 'vitest';
import type { DefinitionParts, DefinitionRules } from '../../../src/domain/workflow/checks/definition.ts';
import type { Step, StepDraft } from '../../../src/domain/workflow/definition.ts';
import { issueText } from '../../../src/domain/workflow/issues.ts';
import { checkNow } from '../../support/workflow/checks.ts';

/** Steps that each depend on the one before, unless they say otherwise. */
function chain(...drafts: readonly (Partial<StepDraft> & { readonly id: string })[]): Step[] {
  return drafts.map((draft, index): Step => {
    const before = drafts[index - 1];
    const dependsOn = before === undefined ? [] : [before.id];
    return { kind: 'tool', toolName: 't', dependsOn, staticInput: {}, ...draft } as Step;
  });
}

type Parts = Partial<DefinitionParts>;

function issuesOf(steps: readonly Step[], parts: Parts = {}, rules: Partial<DefinitionRules> = {}) {
  return checkNow({ ...parts, steps }, rules).issues.map(issueText);
}

function warningsOf(steps: readonly Step[], parts: Parts = {}) {
  const { issues, warnings } = checkNow({ ...parts, steps });
  expect(issues).toEqual([]);
  return warnings;
}

const step = (members: Partial<StepDraft>): Step[] => chain({ id: 'a', ...members });

describe('the expressions of a definition', () => {
  test('are told with their places, all of them together', () => {
    const steps = chain(
      { id: 'a', when: 'input.x >' },
      { id: 'b', when: 'nothing.x', staticInput: { list: ['${{ 1 }}', { deep: '${{ input. }}' }] } },
      { id: 'c', foreach: { items: 'shuffle(input.list)' } },
    );
    expect(issuesOf(steps, { output: { total: '${{ items }}' } })).toEqual([
      'steps.0.when: unexpected token: the end (column 10)',
      'steps.1.when: there is no "nothing" here; there is: input, steps, run, schedule (column 1)',
      expect.stringMatching(/^steps\.1\.static_input\.list\.1\.deep: .*column/),
      'steps.2.foreach.items: there is no function shuffle() (column 1)',
      'output.total: there is no "items" here; there is: input, steps, run, schedule (column 5)',
    ]);
  });

  test('are told with the faults of the graph, but for what depends on these', () => {
    const steps = chain(
      { id: 'a' },
      { id: 'b', dependsOn: ['nowhere'], when: 'steps.a.x == 1' },
      { id: 'c', dependsOn: ['b'], when: 'steps.a.x == 1' },
      { id: 'd', dependsOn: [], when: 'steps.a.x == 1 && steps.b.x == 1' },
      { id: 'e', dependsOn: ['f'], when: 'steps.a.x' },
      { id: 'f', dependsOn: ['e'], when: '1 +' },
    );
    expect(issuesOf(steps, { inputSchema: { type: 'thing' }, timeoutMs: 0 })).toEqual([
      'steps.1.depends_on: names the unknown step "nowhere"',
      'steps: there is a cycle of dependencies: "e" -> "f" -> "e"',
      expect.stringContaining('timeout_ms: must be'),
      expect.stringContaining('input_schema: /type: must be'),
      'steps.5.when: unexpected token: the end (column 4)',
      'steps.3.when: names step "a", which is not upstream; add it to depends_on',
      'steps.3.when: names step "b", which is not upstream; add it to depends_on',
    ]);
  });

  test('must be able to have the type that their member needs', () => {
    const steps = chain(
      { id: 'a', when: '"yes"' },
      { id: 'b', foreach: { items: '1 + 1' } },
      { id: 'c', kind: 'wait', until: '5' },
      { id: 'd', when: 'input.flag', foreach: { items: 'input.list' } },
      { id: 'e', when: '${{ input.flag }}' },
    );
    expect(issuesOf(steps)).toEqual([
      'steps.0.when: must be a boolean, but it is a text',
      'steps.1.foreach.items: must be a list, but it is a number',
      'steps.2.until: must be a text, but it is a number',
      'steps.4.when: is an expression already; write it without ${{ }}',
    ]);
    expect(issuesOf(step({ when: '$input.flag' }))).toEqual([
      'steps.0.when: is an expression already; write it input.…, without $',
    ]);
    expect(issuesOf(step({ foreach: { items: '$step.b.lines' } }))).toEqual([
      'steps.0.foreach.items: is an expression already; write it steps.…, without $',
    ]);
  });

  test('read only steps that exist and are upstream', () => {
    const steps = chain(
      { id: 'a', when: 'has(steps.c)' },
      { id: 'b', when: 'steps.a.ok && steps.unknown.ok' },
      { id: 'c', staticInput: { x: "${{ steps['a'].x + steps.b.x }}", y: '${{ steps.c.x }}' } },
      { id: 'd', dependsOn: ['a'], when: 'has(steps.b)' },
      { id: 'e', when: 'steps[input.x].ok' },
    );
    expect(issuesOf(steps, { output: { all: '${{ steps.e.x }}', other: '${{ steps.z }}' } })).toEqual([
      'steps.1.when: names step "unknown", which does not exist',
      'steps.4.when: "steps" must be followed by the id of a step, such as steps.a or steps["my-step"]',
      'output.other: names step "z", which does not exist',
      'steps.0.when: names step "c", which is not upstream; add it to depends_on',
      'steps.2.static_input: names step "c", which is the step itself',
      'steps.3.when: names step "b", which is not upstream; add it to depends_on',
    ]);
  });

  test('have an item only where foreach stands, and not in when', () => {
    const foreach = { items: ['a'] };
    const input = { x: '${{ item.id }}', n: '${{ index }}' };
    expect(issuesOf(step({ staticInput: input, foreach }))).toEqual([]);
    expect(issuesOf(step({ staticInput: input }))).toEqual([
      'steps.0.static_input.x: there is no "item" here; there is: input, steps, run, schedule (column 5)',
      'steps.0.static_input.n: there is no "index" here; there is: input, steps, run, schedule (column 5)',
    ]);
    expect(issuesOf(step({ when: 'item.ok', foreach }))).toHaveLength(1);
    expect(issuesOf(step({ foreach: { items: 'item' } }))).toHaveLength(1);
  });

  test('are checked where the dependencies are not valid either', () => {
    expect(
      issuesOf(chain({ id: 'a', dependsOn: ['a', 'x'], when: '1', staticInput: { s: '$step.x.y' } })),
    ).toEqual([
      'steps.0.depends_on: step "a" depends on itself',
      'steps.0.depends_on: names the unknown step "x"',
      'steps.0.when: must be a boolean, but it is a number',
    ]);
  });

  test('have at most 4 KiB each and a common bound on their work', () => {
    expect(issuesOf(step({ when: `input.x == "${'x'.repeat(5_000)}"` }))).toEqual([
      'steps.0.when: the expression is longer than 4096 bytes (column 1)',
    ]);
    const costly = (index: number) => ({ id: `s${index}`, when: `input.x.matches("[^${index}]{900}")` });
    const issues = issuesOf(chain(...Array.from({ length: 1_000 }, (_, index) => costly(index))));
    expect(issues).toHaveLength(100);
    expect(issues.at(-1)).toContain('the expressions of the definition take too much work together');
    const texts = new Array<string>(1_001).fill('${{ 1 }}');
    expect(issuesOf(step({ staticInput: { texts } }))).toEqual([
      'steps.0.static_input: has more than 1000 texts with expressions',
    ]);
    const long = new Array<string>(20).fill(`\${{ "${'x'.repeat(4_000)}" }}`);
    expect(issuesOf(step({ staticInput: { long } }))).toEqual([
      expect.stringMatching(
        /^steps\.0\.static_input: .*the expressions are longer than 32768 characters together/,
      ),
    ]);
  });
});

describe('the id of a step', () => {
  const issue = 'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit';

  test.each(['', '__proto__', '-a', 'a:1', 'a.b', 'two words', 'é', 'a\n', 'x'.repeat(65)])(
    'cannot be %j',
    (id) => {
      expect(issuesOf(chain({ id: 'first' }, { id }))).toEqual([`steps.1.id: ${issue}`]);
    },
  );

  test.each(['a', '1', 'a-b_c', 'constructor', 'X'.repeat(64)])('can be %j', (id) => {
    expect(issuesOf(chain({ id }))).toEqual([]);
  });
});

describe('the policies of a step', () => {
  test('have bounds', () => {
    const steps = chain(
      { id: 'a', timeoutMs: 0, retry: { maxAttempts: 21, backoffMs: -1, factor: 11, maxBackoffMs: 600_001 } },
      { id: 'b', foreach: { items: [1, 2, 3], concurrency: 1_001 } },
      { id: 'c', kind: 'wait', durationMs: 30 * 24 * 60 * 60 * 1_000 + 1 },
      { id: 'd', kind: 'approval', title: 'x'.repeat(501), expiresInMs: 1.5 },
      { id: 'e', kind: 'wait', until: '2026-02-30T00:00:00Z' },
    );
    expect(issuesOf(steps, { timeoutMs: -1, maxConcurrentSteps: 10_001 }, { maxForeachItems: 2 })).toEqual([
      'timeout_ms: must be an integer from 1 to 2592000000',
      'max_concurrent_steps: must be an integer from 1 to 10000',
      'steps.0.timeout_ms: must be an integer from 1 to 2592000000',
      'steps.0.retry.max_attempts: must be an integer from 1 to 20',
      'steps.0.retry.backoff_ms: must be an integer from 0 to 60000',
      'steps.0.retry.factor: must be a number from 1 to 10',
      'steps.0.retry.max_backoff_ms: must be an integer from 0 to 600000',
      'steps.1.foreach.concurrency: must be an integer from 1 to 1000',
      'steps.1.foreach.items: must have at most 2 items, but it has 3',
      'steps.2.duration_ms: must be an integer from 0 to 2592000000',
      'steps.3.title: must be at most 500 characters',
      'steps.3.expires_in_ms: must be an integer from 1 to 2592000000',
      expect.stringMatching(/^steps\.4\.until: must be a time in ISO 8601/),
    ]);
  });

  test('have combinations that are not possible', () => {
    const retry = { maxAttempts: 2 };
    const steps = chain(
      { id: 'a', kind: 'workflow', workflowId: 'w', retry },
      { id: 'b', kind: 'wait', durationMs: 1, until: '2026-03-01T00:00:00Z', retry },
      { id: 'c', kind: 'wait' },
      { id: 'd', kind: 'approval', title: 'ok?', retry },
    );
    expect(issuesOf(steps)).toEqual([
      'steps.0.retry: cannot be used with a step of kind workflow',
      'steps.1.retry: cannot be used with a step of kind wait',
      'steps.1.until: cannot be used together with duration_ms',
      'steps.2.duration_ms: is required for a step of kind wait, unless it has until',
      'steps.3.retry: cannot be used with a step of kind approval',
    ]);
  });
});

describe('the schemas of a definition', () => {
  test('are told with a pointer to what is not valid', () => {
    const steps = step({ kind: 'approval', title: 'ok?', responseSchema: { properties: { a: 5 } } });
    expect(issuesOf(steps, { inputSchema: { type: 'object', required: 'a' } })).toEqual([
      expect.stringMatching(/^input_schema: \/required: must be/),
      expect.stringMatching(/^steps\.0\.response_schema: \/properties\/a: must be a schema/),
    ]);
  });

  test('have a common bound on their work', () => {
    const responseSchema = (index: number) => ({ patternProperties: { [`[^${index}]{900}`]: true } });
    const approvals = Array.from({ length: 300 }, (_, index) => ({
      id: `s${index}`,
      kind: 'approval' as const,
      title: 'ok?',
      responseSchema: responseSchema(index),
    }));
    const issues = issuesOf(chain(...approvals));
    expect(issues.at(-1)).toContain('response_schema: takes too much work, with all others together');
  });
});

describe('the warnings about a definition', () => {
  test('tell texts that look like templates and are none', () => {
    const staticInput = {
      embedded: 'Order $step.a.id',
      keyless: '$step.a',
      braces: ['Dear {{ name }}'],
      shell: '${step.a}',
      price: '$5 for {a}',
      escaped: '$$step.a.id',
      whole: '$input.name',
      text: '${{ input.name }}',
      '${{ input.key }}': 1,
    };
    expect(warningsOf(step({ staticInput }))).toEqual([
      expect.stringMatching(
        /^steps\.0\.static_input\.embedded: "Order \$step\.a\.id" is no template.*\$\{\{ steps/,
      ),
      expect.stringMatching(/^steps\.0\.static_input\.keyless: "\$step\.a" names no key/),
      'steps.0.static_input.braces.0: "Dear {{ name }}" is no template; write ${{ … }}',
      'steps.0.static_input.shell: "${step.a}" is no template; write ${{ … }}',
      'steps.0.static_input: the key "${{ input.key }}" is taken as it is; only values are templates',
    ]);
  });

  test.each([
    ['${{ input.a }} and $step.a.id', 'is no template, because'],
    ['$input.a ${{ "}}" }}', 'is no template, because'],
    ['${{ input.a }} {{ name }}', 'is no template; write ${{ … }}'],
    ['$item.sku', 'is no template; write ${{ item.<key> }}'],
    ['no. $index', 'is no template; write ${{ item.<key> }}'],
    ['$steps.a.total', 'is no template; write $step.<id>.<key>, without an s'],
    ['$inputs.total', 'is no template; write $input.<path>, without an s'],
    ['$input.name, hello', 'refers to a member with a space in its name'],
  ])('tell that %s is probably meant as a template', (text, hint) => {
    expect(warningsOf(step({ foreach: { items: [1] }, staticInput: { text } }))).toEqual([
      expect.stringContaining(`steps.0.static_input.text: ${JSON.stringify(text)} ${hint}`),
    ]);
  });

  test.each([
    '${{ input.a }}',
    '${{ {"a": {"b": item}} }}',
    '${{ "$" + input.price }} for $5',
    '$$step.a.id',
    'items and indexes',
  ])('tell nothing about %s', (text) => {
    expect(warningsOf(step({ foreach: { items: [1] }, staticInput: { text } }))).toEqual([]);
  });

  test('tell that the output of on_error is taken as it is', () => {
    const onError = { output: { list: ['$input.a', 'plain'], text: 'a ${{ input.b }}' } };
    expect(warningsOf(step({ onError }))).toEqual([
      'steps.0.on_error.output.list.0: "$input.a" is taken as it is; on_error has no templates',
      'steps.0.on_error.output.text: "a ${{ input.b }}" is taken as it is; on_error has no templates',
    ]);
  });

  test('tell that what writes is not repeated', () => {
    const steps = chain(
      { id: 'a', retry: { maxAttempts: 3 } },
      { id: 'b', kind: 'agent', agentName: 'g', retry: { maxAttempts: 2 } },
      { id: 'c', retry: { maxAttempts: 1 } },
    );
    expect(checkNow({ steps }, { writes: () => true }).warnings).toEqual([
      'steps.0.retry: tool "t" has the effect write, so it is repeated only where its error says that this is safe',
      'steps.1.retry: agent "g" has the effect write, so it is not repeated',
    ]);
    expect(warningsOf(steps)).toEqual([]);
  });

  test('tell references that fail where a step is skipped', () => {
    const input = { by: '$step.ask.by' };
    const steps = chain(
      { id: 'order' },
      { id: 'ask', when: 'input.large' },
      { id: 'only', dependsOn: ['ask'], staticInput: input },
      { id: 'both', dependsOn: ['order', 'ask'], staticInput: input },
      { id: 'strict', dependsOn: ['order', 'ask'], runIf: 'all_completed', staticInput: input },
      { id: 'asked', dependsOn: ['order', 'ask'], staticInput: { by: '${{ has(steps.ask) }}' } },
    );
    const hint = '"$step.ask.by" fails where step "ask" is skipped; ask has(steps.ask) in an expression';
    expect(warningsOf(steps, { output: { by: '$step.ask.by', total: '$step.order.total' } })).toEqual([
      `steps.3.static_input: ${hint}`,
      `output: ${hint}`,
    ]);
  });

  test('tell inputs that are not used, and references that cannot be resolved', () => {
    const steps = chain(
      { id: 'a', kind: 'wait', durationMs: 1, staticInput: { x: 1 } },
      { id: 'b', kind: 'approval', title: '$step.z.x', payload: { p: '$step.b.x' }, staticInput: { x: 1 } },
      { id: 'c', foreach: { items: ['$step.y.x'] } },
    );
    expect(warningsOf(steps, { output: { o: '$step.x.x' } })).toEqual([
      'steps.0.static_input: is not used by a step of kind wait',
      'steps.1.static_input: is not used by a step of kind approval',
      'steps.1.payload: "$step.b.x" names step "b", which is not upstream',
      'steps.1.title: "$step.z.x" names step "z", which does not exist',
      'steps.2.foreach.items: "$step.y.x" names step "y", which does not exist',
      'output: "$step.x.x" names step "x", which does not exist',
    ]);
  });

  test('are limited in their number and in their length', () => {
    const key = 'k'.repeat(100_000);
    const many = Array.from({ length: 500 }, () => `{{${'x'.repeat(1_000)}}}`);
    const warnings = warningsOf(step({ staticInput: { [key]: many } }));
    expect(warnings).toHaveLength(101);
    for (const warning of warnings) expect(warning.length).toBeLessThan(300);
  });
});
