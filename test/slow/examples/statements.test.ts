import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../support/docs/pages.ts';
import {
  define,
  type Execution,
  endOf,
  executionOf,
  runWorkflow,
  startExample,
} from '../../support/process/example-service.ts';
import { bodyOf, postJson, type Service } from '../../support/process/service.ts';

const example = 'examples/workflows/statements';
const read = (name: string): Promise<string> => readFile(join(root, example, name), 'utf8');

/** A service with both definitions of the example. */
interface Statements {
  readonly service: Service;
  readonly parentId: string;
  readonly childId: string;
}

/** `members` replace those of the parent. */
async function start(settings: Readonly<Record<string, string>> = {}, members = {}): Promise<Statements> {
  const service = await startExample(`${example}/accounts.ts`, settings);
  const childId = await define(service, JSON.parse(await read('statement.json')));
  const parent = JSON.parse((await read('month.json')).replace('STATEMENT_ID', childId));
  return { service, parentId: await define(service, { ...parent, ...members }), childId };
}

/** Runs the parent to its end. */
async function runMonth({ service, parentId }: Statements): Promise<Execution> {
  return endOf(service, await runWorkflow(service, parentId, { month: '2026-11' }));
}

/** The runs of the customers that belong to a run. */
async function childrenOf({ service, childId }: Statements, run: Execution): Promise<readonly Execution[]> {
  const reply = await fetch(`${service.baseUrl}/workflows/${childId}/runs`);
  const { executions } = await bodyOf<{ readonly executions: readonly Execution[] }>(reply);
  return executions.filter((child) => child.parent_execution_id === run.execution_id);
}

describe('the example of statements', () => {
  let statements: Statements;

  beforeAll(async () => {
    statements = await start();
  });

  afterAll(() => statements.service.stop());

  test('sends all but the one that cannot be sent, and says so', async () => {
    const run = await runMonth(statements);
    const output = { month: '2026-11', sent: 3, in_debt: ['c-2'] };
    expect(run).toMatchObject({ status: 'COMPLETED', output });
    const children = await childrenOf(statements, run);
    const failed = children.filter(({ status }) => status === 'FAILED');
    expect(children.map(({ status }) => status).sort()).toEqual([
      'COMPLETED',
      'COMPLETED',
      'COMPLETED',
      'FAILED',
    ]);
    expect(run.output?.['errors']).toEqual({
      2: `execution "${failed[0]?.execution_id}" ended FAILED: step "send" failed: the customer has no address`,
    });
  });

  test('refuses a month that is none, and says all that is wrong', async () => {
    const url = `${statements.service.baseUrl}/workflows/${statements.parentId}/run`;
    const reply = await postJson(url, { input: { month: 'May', year: 2026 } });
    expect(reply.status).toBe(422);
    const { detail } = await bodyOf<{ readonly detail: string }>(reply);
    expect(detail).toContain('input.month: ');
    expect(detail).toContain('year');
  });

  test('does not change when the run of a customer is retried alone', async () => {
    const run = await runMonth(statements);
    const child = (await childrenOf(statements, run)).find(({ status }) => status === 'FAILED');
    const childId = child?.execution_id ?? expect.fail();
    const retry = await postJson(`${statements.service.baseUrl}/runs/${childId}/retry`, {});
    expect(retry.status).toBe(202);
    const again = await endOf(statements.service, await executionOf(statements.service, childId));
    expect(again).toMatchObject({
      status: 'FAILED',
      error: 'step "send" failed: the customer has no address',
    });
    expect(await executionOf(statements.service, run.execution_id)).toEqual(run);
  });
});

describe('the example of statements with a slow post', () => {
  test('cancels the runs of the customers when its time is over', async () => {
    const slow = await start({ POST_DELAY_MS: '60000' }, { timeout_ms: 2_000 });
    try {
      const run = await runMonth(slow);
      expect(run).toMatchObject({
        status: 'FAILED',
        error: 'the workflow timed out after 2000 ms',
        output: null,
      });
      const children = await Promise.all(
        (await childrenOf(slow, run)).map((child) => endOf(slow.service, child)),
      );
      expect(children.map(({ status }) => status).sort()).toEqual([
        'CANCELLED',
        'CANCELLED',
        'CANCELLED',
        'FAILED',
      ]);
    } finally {
      await slow.service.stop();
    }
  });
});
