import { describe, expect, test } from 'vitest';
import { decomposeByKeywords } from '../../../src/adapters/decomposer/keyword.ts';
import { createBuiltInAgents } from '../../../src/application/agents/built-in.ts';
import { noErasure } from '../../support/fakes.ts';

const builtIn = createBuiltInAgents({
  processMessage: () => Promise.reject(new Error('not asked')),
  ...noErasure,
});
const context = { signal: new AbortController().signal, maxSubtasks: 100 };

async function routed(goal: string): Promise<[string, unknown][]> {
  const { decomposition, subtasks } = await decomposeByKeywords(goal, builtIn, context);
  expect(decomposition).toBe('keyword');
  return subtasks.map(({ agentName, payload }) => [agentName, payload['text']]);
}

describe('the keyword decomposer over the built-in agents', () => {
  test.each<[string, ...string[]]>([
    ['Summarize this text: The cat sat on the mat. The dog barked.', 'summary'],
    ['Give me a summary of the meeting notes', 'summary'],
    ['Please recap the key points', 'summary'],
    ['Could you condense this for me?', 'summary'],
    ['Echo this back', 'echo'],
    ['Repeat after me: hello', 'echo'],
    ['Answer the customer who wants a refund', 'support_pipeline'],
    ['Reply to the complaint about the order', 'support_pipeline'],
    ['Where are my orders?', 'support_pipeline'],
    ['I was charged twice and want my money back', 'support_pipeline'],
    ['Handle this support ticket', 'support_pipeline'],
    ['Echo this back then summarise it', 'echo', 'summary'],
    [
      'Reply to the customer; then summarize the answer, and then echo it',
      'support_pipeline',
      'summary',
      'echo',
    ],
    ['Summarise the refund policy and echo it', 'summary', 'support_pipeline', 'echo'],
    ['What is the weather like?'],
    ['Compose a poem about spring'],
  ])('gives %j to %s', async (goal, ...names) => {
    expect((await routed(goal)).map(([name]) => name)).toEqual(names);
  });

  test('gives each agent its part of the goal', async () => {
    expect(await routed('Echo this back, then summarise it')).toEqual([
      ['echo', 'Echo this back'],
      ['summary', 'summarise it'],
    ]);
  });

  test('makes at most the allowed number of subtasks', async () => {
    const goal = 'Echo this; summarise it; '.repeat(20);
    const { subtasks } = await decomposeByKeywords(goal, builtIn, { ...context, maxSubtasks: 2 });
    expect(subtasks.map(({ agentName }) => agentName)).toEqual(['echo', 'summary']);
  });
});
