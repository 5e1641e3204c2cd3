import { describe, expect, test } from 'vitest';
import {
  foreachMemberNames,
  retryMemberNames,
  stepMemberNames,
} from '../../src/adapters/http/resources/definition-schemas.ts';
import { createCel } from '../../src/adapters/shared/expressions/language.ts';
import { type BoundedName, definitionBounds } from '../../src/domain/workflow/checks/policies.ts';
import { valuesOf } from '../../src/domain/workflow/members.ts';
import { pageAt, tableRows } from '../support/docs/pages.ts';

const language = createCel((message) => new Error(message));

const evaluate = (source: string, values = {}): unknown =>
  language
    .parse(source, ['input', 'steps', 'run', 'schedule'])
    .evaluate({ input: {}, steps: {}, run: {}, schedule: {}, ...values });

/** The texts in code of a cell. */
const codeIn = (cell = ''): readonly string[] =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, text = '']) => text);

/** The rows of the table that begins with these cells, up to the next row that `isNext` names. */
function rowsBetween(path: string, header: string, next: string): readonly (readonly string[])[] {
  const rows = tableRows(pageAt(path));
  const first = rows.findIndex(([cell]) => cell === header);
  const last = rows.findIndex(([cell], index) => index > first && cell === next);
  expect(first).toBeGreaterThan(-1);
  expect(last).toBeGreaterThan(first);
  return rows.slice(first + 1, last);
}

const lines = [
  { article: 'desk', amount: 420 },
  { article: 'chair', amount: 180 },
];
const values = {
  input: {
    name: 'Ann Lee',
    mail: 'ann@example.com',
    tags: ['vip'],
    country: 'FR',
    order_id: 'A-1',
    price: 10,
    count: 3,
    number: 7,
    lines,
  },
  steps: { order: { status: 'shipped', total: 600, lines }, 'my-step': { status: 'done' } },
  run: { created_at: new Date('2026-11-24T08:00:00Z') },
  schedule: { fire_at: new Date('2026-11-24T08:00:00Z') },
};

describe('the expressions in docs/workflows.md', () => {
  const sources = rowsBetween('docs/workflows.md', 'Want', 'Member of a step').flatMap(([, cell]) =>
    codeIn(cell),
  );

  test.each(sources)('can be evaluated: %s', (source) => {
    expect(evaluate(source, values)).toBeDefined();
  });

  test('are many', () => {
    expect(sources.length).toBeGreaterThan(15);
  });

  test('have the values that the page tells', () => {
    const told = [
      ...['1 == 1.0', '7 / 2', '7.0 / 2', 'input.count / 2', 'has(steps.manager)'],
      ...['size([1, 2, 3]) / 2', 'size([1, 2, 3]) / 2.0'],
    ];
    const { markdown } = pageAt('docs/workflows.md');
    expect(told.filter((source) => !markdown.includes(`\`${source}\``))).toEqual([]);
    expect(told.map((source) => evaluate(source, values))).toEqual([true, 3, 3.5, 1.5, false, 1, 1.5]);
  });
});

describe('the values of a run in docs/workflow-reference.md', () => {
  test('are those that expressions know', () => {
    const [, ...rows] = rowsBetween('docs/workflow-reference.md', 'Expression', 'Function');
    const named = rows.flatMap(([cell]) => codeIn(cell)).filter((text) => /^(?:run|schedule)\./.test(text));
    const head = { runId: 'r-1', schedule: { id: 's-1', fireAt: null, timezone: 'UTC' } };
    const run = { head, createdAt: '2026-11-24T08:00:00.000Z', startedAt: null, attempt: 1 };
    const known = valuesOf({ steps: [], facts: true }, { input: {}, outputs: [], run });
    const members = ['run', 'schedule'].flatMap((root) =>
      Object.keys(known[root] ?? {}).map((member) => `${root}.${member}`),
    );
    expect(named.toSorted()).toEqual(members.toSorted());
  });
});

describe('the functions in docs/workflow-reference.md', () => {
  const calls = rowsBetween('docs/workflow-reference.md', 'Function', 'Member of a mock')
    .flatMap(([cell]) => codeIn(cell))
    .filter((text) => text.includes('('));

  test.each(calls)('exist: %s', (call) => {
    const [, name] = /(?:^|\.)(\w+)\(/.exec(call) ?? expect.fail();
    const isMethod = call.includes(`.${name}(`);
    const [namespace] = /^(?:cel|optional)(?=\.)/.exec(call) ?? [];
    const source = isMethod ? `${namespace ?? 'input.x'}.${name}()` : `${name}()`;
    // A function that exists complains about its arguments only.
    const error = (() => {
      try {
        return String(evaluate(source, { input: { x: 'text' } }));
      } catch (thrown) {
        return String(thrown);
      }
    })();
    expect(error).not.toMatch(/there is no (?:function|method)/);
  });

  test('are many', () => {
    expect(calls.length).toBeGreaterThan(20);
    expect(() => evaluate('nowhere()')).toThrow('there is no function');
  });
});

describe('the members in docs/workflow-reference.md', () => {
  const rows = tableRows(pageAt('docs/workflow-reference.md'));
  const named = rows.flatMap(([cell]) => codeIn(cell));

  test('are all that a step may have', () => {
    const members = [
      ...stepMemberNames.filter((name) => name !== 'retry' && name !== 'foreach'),
      ...retryMemberNames.map((name) => `retry.${name}`),
      ...foreachMemberNames.map((name) => `foreach.${name}`),
    ];
    expect(members.filter((name) => !named.includes(name))).toEqual([]);
    expect(members.length).toBeGreaterThan(25);
  });

  test.each([
    ['timeout_ms', 'timeout_ms'],
    ['max_concurrent_steps', 'max_concurrent_steps'],
    ['duration_ms', 'duration_ms'],
    ['expires_in_ms', 'expires_in_ms'],
    ['retry.max_attempts', 'max_attempts'],
    ['foreach.concurrency', 'concurrency'],
  ] satisfies readonly (readonly [string, BoundedName])[])('have the right bounds: %s', (member, name) => {
    const range = definitionBounds[name].map((bound) => bound.toLocaleString('en-US')).join(' to ');
    const rules = rows.filter(([cell]) => cell === `\`${member}\``).map(([, rule]) => rule);
    expect(rules.length).toBeGreaterThan(0);
    for (const rule of rules) expect(rule).toContain(range);
  });
});
