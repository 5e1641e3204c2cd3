import { describe, expect, test } from 'vitest';
import type { ChainDraft, StepDraft } from '../../../src/domain/workflow/definition.ts';
import { createCore } from '../../support/workflow/core.ts';

const expression = (source: string): string => '$'.concat(`{{ ${source} }}`);

const each = { items: 'input.people', onItemError: 'continue' } as const;

/** A core whose tool `post` fails for the people that are named. */
function setUp(...[options]: Parameters<typeof createCore>) {
  const core = createCore(options);
  const failing = new Set<unknown>();
  core.tool(
    'post',
    (input) => {
      if (failing.has(input['name'])) throw new Error('no');
      return { sent: input['name'] ?? null };
    },
    'idempotent',
  );
  return {
    ...core,
    failing,
    posts: (from = 0) => core.calls.slice(from).filter(({ target }) => target === 'post'),
    async rerun(runId: string, fromStep = 'welcome') {
      const { runId: again } = await core.runs.rerun(runId, { fromStep, items: 'failed', background: true });
      await core.settle();
      return core.get(again);
    },
  };
}

const post: StepDraft = {
  id: 'welcome',
  kind: 'tool',
  toolName: 'post',
  staticInput: expression('item'),
  foreach: each,
};
const count: StepDraft = {
  id: 'count',
  kind: 'tool',
  toolName: 'echo',
  dependsOn: ['welcome'],
  staticInput: { sent: expression('steps.welcome.results.filter(r, r != null).size()') },
};
const people = ['Ann', 'Bob', 'Cleo', 'Dan'].map((name) => ({ name }));

describe('the rerun of the failed items of a step', () => {
  test('copies the items that have completed, runs the others with the same keys, and what depends on it anew', async () => {
    const core = setUp();
    core.failing.add('Bob').add('Dan');
    const before: StepDraft = { id: 'before', kind: 'tool', toolName: 'echo' };
    const steps = [before, { ...post, dependsOn: ['before'] }, count];
    const runId = await core.start(steps, { input: { people } });
    expect((await core.get(runId)).stepResults[2]?.output).toEqual({ sent: 2 });
    const keys = core.posts().map(({ key }) => key);
    const from = core.calls.length;
    core.failing.clear();
    const again = await core.rerun(runId);
    expect(again).toMatchObject({ status: 'COMPLETED', rerunOf: runId });
    expect(again.stepResults[1]?.output).toEqual({
      count: 4,
      failed: 0,
      errors: {},
      results: people.map(({ name }) => ({ sent: name })),
    });
    expect(again.stepResults[2]?.output).toEqual({ sent: 4 });
    expect(core.posts(from).map(({ key, input }) => [key, input['name']])).toEqual([
      [keys[1], 'Bob'],
      [keys[3], 'Dan'],
    ]);
    // A step that depends on it is a new call; a step before it is none.
    const others = core.calls.slice(from).filter(({ target }) => target === 'echo');
    expect(others.map(({ key }) => key)).toEqual([`${again.runId}:count`]);
    expect((await core.get(runId)).stepResults[2]?.output).toEqual({ sent: 2 });
  });

  test('keeps the keys through a further rerun and a retry, but not a rerun of all items', async () => {
    const core = setUp();
    for (const { name } of people) core.failing.add(name);
    const runId = await core.start([{ ...post, foreach: { items: 'input.people' } }, count], {
      input: { people },
    });
    expect(await core.statuses(runId)).toEqual(['FAILED', 'FAILED', 'SKIPPED']);
    core.failing.delete('Ann');
    core.failing.delete('Bob');
    const second = await core.rerun(runId);
    expect(second.status).toBe('FAILED');
    core.failing.delete('Cleo');
    const third = await core.rerun(second.runId);
    core.failing.clear();
    await core.runs.retry(third.runId, { by: 'test' });
    await core.settle();
    expect((await core.get(third.runId)).stepResults[0]?.output).toMatchObject({ failed: 0, count: 4 });
    const byName = Map.groupBy(core.posts(), ({ input }) => input['name']);
    for (const [index, { name }] of people.entries()) {
      expect(new Set(byName.get(name)?.map(({ key }) => key))).toEqual(
        new Set([`${runId}:welcome:${index}`]),
      );
    }
    const anew = await core.runs.rerun(third.runId, { fromStep: 'welcome', background: true });
    await core.settle();
    expect(core.posts().at(-1)?.key).toBe(`${anew.runId}:welcome:3`);
  });

  test('takes the list and the items as they were, also of a step whose on_error gave it its output', async () => {
    const core = setUp();
    core.failing.add('Bob');
    const substitute = {
      ...post,
      foreach: { items: 'input.people' },
      onError: { output: { results: [{}], errors: {} } },
    };
    const runId = await core.start([substitute], { input: { people } });
    expect((await core.get(runId)).stepResults[0]).toMatchObject({
      status: 'COMPLETED',
      output: { results: [{}] },
    });
    core.failing.clear();
    const sent = new Set(core.posts().map(({ input }) => input['name']));
    const from = core.calls.length;
    const again = await core.rerun(runId);
    expect(again.stepResults[0]?.output).toMatchObject({ count: 4, failed: 0 });
    const completed = [...sent].filter((name) => name !== 'Bob');
    expect(core.posts(from).map(({ input }) => input['name'])).toEqual(
      people.map(({ name }) => name).filter((name) => !completed.includes(name)),
    );
    expect(new Set(core.posts().map(({ key }) => key))).toEqual(
      new Set(people.map((_, index) => `${runId}:welcome:${index}`)),
    );
  });

  test('asks again about the items of an approval that were rejected', async () => {
    const core = setUp();
    const ask: StepDraft = { id: 'welcome', kind: 'approval', title: expression('item.name'), foreach: each };
    const runId = await core.start([ask], { input: { people: people.slice(0, 2) } });
    for (const item of await core.open()) {
      const outcome = item.title === 'Ann' ? 'approved' : 'rejected';
      await core.inbox.resolve(item.itemId, { by: 'x', outcome } as never);
    }
    await core.settle();
    expect((await core.get(runId)).stepResults[0]?.output).toMatchObject({ failed: 1 });
    const again = await core.rerun(runId);
    expect((await core.open()).map(({ title, subject }) => [title, subject.id])).toEqual([
      ['Bob', again.runId],
    ]);
  });

  test('is refused where there is nothing that it could do', async () => {
    const core = setUp();
    core.failing.add('Bob');
    const plain: StepDraft = { id: 'plain', kind: 'tool', toolName: 'echo', dependsOn: ['welcome'] };
    const never: StepDraft = { ...post, id: 'never', when: 'false' };
    const runId = await core.start([post, plain, never], { input: { people } });
    const rerun = (fromStep: string | undefined, more: object = {}, of = runId) =>
      core.runs.rerun(of, { fromStep, items: 'failed', background: true, ...more });
    const refusals: readonly [Promise<unknown>, string, string][] = [
      [rerun(undefined), 'validation', 'from_step: is required with items'],
      [rerun('welcome', { input: {} }), 'validation', 'input: cannot be used together with items'],
      [rerun('plain'), 'validation', 'items: step "plain" has no foreach'],
      [rerun('nope'), 'validation', 'from_step: the workflow has no step "nope"'],
      [
        rerun('never'),
        'conflict',
        `step "never" of execution "${runId}" has not begun, so that none of its items has failed`,
      ],
    ];
    await Promise.all(
      refusals.map(([call, code, message]) => expect(call).rejects.toMatchObject({ code, message })),
    );
    const later = await core.runs.rerun(runId, { fromStep: 'plain', background: true });
    await core.settle();
    await expect(rerun('welcome', {}, later.runId)).rejects.toMatchObject({
      code: 'conflict',
      message: `step "welcome" of execution "${later.runId}" is a copy: rerun the execution that has run its items`,
    });
    core.failing.clear();
    const done = await core.rerun(runId);
    await expect(rerun('welcome', {}, done.runId)).rejects.toMatchObject({
      message: `no item of step "welcome" of execution "${done.runId}" has failed`,
    });
    const waiting = await core.start([{ ...post, kind: 'wait', durationMs: 9 } as never], {
      input: { people },
    });
    await expect(rerun('welcome', {}, waiting)).rejects.toMatchObject({ code: 'conflict' });
    expect((await core.runs.list({}, { limit: 50 })).items).toHaveLength(4);
  });
});

describe('the rerun of failed items that are runs of their own', () => {
  /** A look, which always works, before the post. */
  const chain: ChainDraft = {
    steps: [
      { id: 'look', kind: 'tool', toolName: 'echo', staticInput: expression('input') },
      {
        id: 'post',
        kind: 'tool',
        toolName: 'post',
        dependsOn: ['look'],
        staticInput: expression('steps.look'),
      },
    ],
    output: { sent: '$step.post.sent' },
  };

  test('goes on with the failed child: its completed steps stay, the others have their keys', async () => {
    const core = setUp();
    core.failing.add('Bob');
    const welcome: StepDraft = {
      id: 'welcome',
      kind: 'workflow',
      definition: chain,
      foreach: each,
      staticInput: expression('item'),
    };
    const runId = await core.start([welcome, count], { input: { people: people.slice(0, 3) } });
    const failed = (await core.childrenOf(runId)).find(({ status }) => status === 'FAILED');
    const from = core.calls.length;
    core.failing.clear();
    const again = await core.rerun(runId);
    expect(again.stepResults[0]?.output).toMatchObject({ count: 3, failed: 0 });
    expect(again.stepResults[1]?.output).toEqual({ sent: 3 });
    const calls = core.calls.slice(from).map(({ target, key }) => [target, key]);
    expect(calls).toEqual([
      ['post', `${failed?.runId}:post`],
      ['echo', `${again.runId}:count`],
    ]);
    const [child, ...others] = await core.childrenOf(again.runId);
    expect(others).toEqual([]);
    expect(child).toMatchObject({ rerunOf: failed?.runId, chain: 'welcome', status: 'COMPLETED' });
    const [copied] = await core.eventsOf(child?.runId ?? '', 'step.completed');
    expect(copied).toMatchObject({ stepId: 'look', copied: true });
  });

  test('fails an item whose earlier child cannot be continued', async () => {
    const first = setUp();
    first.failing.add('b');
    const all: StepDraft = {
      ...post,
      foreach: { items: 'input.to' },
      staticInput: { name: expression('item') },
    };
    const welcome: StepDraft = {
      id: 'welcome',
      kind: 'workflow',
      foreach: each,
      staticInput: expression('item'),
      definition: { steps: [all] },
    };
    const input = { people: [{ name: 'Ann', to: ['a', 'b', 'c'] }] };
    const runId = await first.start([welcome], { input });
    const { clock, runs, newId } = first.ports;
    const second = setUp({ ports: { clock, runs, newId }, limits: { maxForeachItems: 2 } });
    const again = await second.rerun(runId);
    expect(again.stepResults[0]?.output).toMatchObject({
      failed: 1,
      errors: { 0: 'the items of step "welcome" cannot be told any more' },
    });
  });

  test('goes on with items and children within the child, and through several reruns', async () => {
    const core = setUp();
    const inner: StepDraft = {
      id: 'inner',
      kind: 'workflow',
      definition: chain,
      dependsOn: ['all'],
      staticInput: { name: '$input.name' },
    };
    const all: StepDraft = {
      id: 'all',
      kind: 'tool',
      toolName: 'post',
      foreach: { items: 'input.to' },
      staticInput: { name: expression('item') },
    };
    const welcome: StepDraft = {
      id: 'welcome',
      kind: 'workflow',
      foreach: each,
      staticInput: expression('item'),
      definition: { steps: [all, inner] },
    };
    for (const name of ['b', 'Ann']) core.failing.add(name);
    const input = { people: [{ name: 'Ann', to: ['a', 'b', 'c'] }] };
    const first = await core.start([welcome], { input });
    core.failing.delete('b');
    const second = await core.rerun(first);
    expect(second.stepResults[0]?.output).toMatchObject({ failed: 1 });
    core.failing.clear();
    const third = await core.rerun(second.runId);
    expect(third.stepResults[0]?.output).toMatchObject({ failed: 0 });
    const byName = Map.groupBy(core.posts(), ({ input: { name } }) => name);
    for (const name of ['a', 'b', 'c', 'Ann']) {
      expect([name, new Set(byName.get(name)?.map(({ key }) => key)).size]).toEqual([name, 1]);
    }
    expect([byName.get('a')?.length, byName.get('b')?.length, byName.get('Ann')?.length]).toEqual([1, 2, 2]);
  });

  test('begins anew with the keys of a child that was deleted', async () => {
    const core = setUp();
    core.failing.add('Bob');
    const welcome: StepDraft = {
      id: 'welcome',
      kind: 'workflow',
      definition: chain,
      foreach: each,
      staticInput: expression('item'),
    };
    const runId = await core.start([welcome], { input: { people } });
    const failed = (await core.childrenOf(runId)).find(({ status }) => status === 'FAILED');
    await core.runs.delete(failed?.runId ?? '');
    core.failing.clear();
    const from = core.calls.length;
    expect((await core.rerun(runId)).stepResults[0]?.output).toMatchObject({ failed: 0 });
    expect(core.calls.slice(from).map(({ key }) => key)).toEqual([
      `${failed?.runId}:look`,
      `${failed?.runId}:post`,
    ]);
  });

  test('begins anew with the first keys where a child that went on with another one was deleted', async () => {
    const core = setUp();
    core.failing.add('Bob');
    const welcome: StepDraft = {
      id: 'welcome',
      kind: 'workflow',
      definition: chain,
      foreach: each,
      staticInput: expression('item'),
    };
    const first = await core.start([welcome], { input: { people } });
    const failed = (await core.childrenOf(first)).find(({ status }) => status === 'FAILED');
    const second = await core.rerun(first);
    const [further] = await core.childrenOf(second.runId);
    await core.runs.delete(further?.runId ?? '');
    core.failing.clear();
    const from = core.calls.length;
    expect((await core.rerun(second.runId)).stepResults[0]?.output).toMatchObject({ failed: 0 });
    expect(core.calls.slice(from).map(({ key }) => key)).toEqual([
      `${failed?.runId}:look`,
      `${failed?.runId}:post`,
    ]);
  });
});
