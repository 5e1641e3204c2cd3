import { describe, expect, test } from 'vitest';
import { createLlmDecomposer } from '../../../src/adapters/decomposer/llm.ts';
import type { Decompose, Decomposed } from '../../../src/ports/decompose.ts';
import { recordLogs } from '../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../support/llm/fake-model.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';

const goal = 'Echo hello, then summarise the report.';

const agents = [
  { name: 'echo', description: 'Repeats.' },
  { name: 'summary', description: 'Summarises.' },
];

const byKeyword: Decomposed = {
  decomposition: 'keyword',
  subtasks: [{ agentName: 'echo', payload: { goal } }],
};

const keyword: Decompose = () => byKeyword;

async function decompose(model: FakeModel, maxSubtasks = 100, listed = agents) {
  const observer = recordModelUse();
  const decomposer = createLlmDecomposer({ model: model.ask, keyword, logger: recordLogs(), observer });
  const decomposed = await decomposer(goal, listed, { signal: new AbortController().signal, maxSubtasks });
  return { decomposed, observer };
}

const splitting = (...parts: readonly unknown[]) => obedientModel(() => ({ subtasks: parts }));

const part = (agent_name: string, text: string) => ({ agent_name, text });

describe('a goal split by a language model', () => {
  test('goes to registered agents in order, with the payload of the keyword decomposer', async () => {
    const { decomposed, observer } = await decompose(
      splitting(part('summary', 'the report'), part('echo', 'hello')),
    );
    expect(decomposed).toEqual({
      decomposition: 'llm',
      subtasks: [
        { agentName: 'summary', payload: { text: 'the report', message: 'the report', goal } },
        { agentName: 'echo', payload: { text: 'hello', message: 'hello', goal } },
      ],
    });
    expect(observer.costs).toEqual([{ stage: 'decomposer', input: 3, output: 2 }]);
    expect(observer.fallbacks).toEqual([]);
  });

  test('sends each part once', async () => {
    const { decomposed } = await decompose(
      splitting(part('echo', 'a'), part('echo', 'a'), part('summary', 'a')),
    );
    expect(decomposed.subtasks).toHaveLength(2);
  });

  test.each([
    ['names an unknown agent', [part('echo', 'a'), part('root', 'b')]],
    ['names a property of every object', [part('__proto__', 'a')]],
    ['finds nothing', []],
    ['makes too many parts', Array.from({ length: 11 }, (_, index) => part('echo', `part ${index}`))],
  ])('is split by keywords when the model %s', async (_name, parts) => {
    const { decomposed, observer } = await decompose(splitting(...parts), 10);
    expect(decomposed).toEqual(byKeyword);
    expect(observer.fallbacks).toEqual([{ stage: 'decomposer', reason: 'bad_plan' }]);
  });

  test.each([
    ['makes a thousand parts', Array.from({ length: 1_000 }, (_, index) => part('echo', `part ${index}`))],
    ['makes an empty part', [part('echo', ' \n ')]],
    ['makes a part longer than a message', [part('echo', 'x'.repeat(32_769))]],
    ['adds a payload', [{ agent_name: 'echo', text: 'a', payload: { admin: true } }]],
  ])('is split by keywords when the model %s', async (_name, parts) => {
    const { decomposed, observer } = await decompose(splitting(...parts), 10_000);
    expect(decomposed).toEqual(byKeyword);
    expect(observer.fallbacks).toEqual([{ stage: 'decomposer', reason: 'bad_reply' }]);
  });

  test('is not sent to the model without agents', async () => {
    const model = splitting(part('echo', 'a'));
    const { decomposed } = await decompose(model, 100, []);
    expect(decomposed).toEqual(byKeyword);
    expect(model.requests).toEqual([]);
  });

  test('is sent to the model as data, with the agents', async () => {
    const model = splitting(part('echo', 'a'));
    await decompose(model);
    expect(model.requests[0]?.data).toEqual({ goal });
    expect(model.requests[0]?.instructions).toContain(JSON.stringify(agents));
    expect(model.requests[0]?.instructions).not.toContain('hello');
  });
});
