import { describe, expect, test } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/stages/rule-based.ts';
import { refundPolicy } from '../../../src/adapters/tools/refund-policy.ts';
import { createTestProcessor, message } from '../../support/message-processor.ts';
import { scriptedStages } from '../../support/stages.ts';
import { expectAtMost, ofEach, workOf } from '../../support/workflow/work.ts';

const waiting = scriptedStages();
const stages = {
  'at once': createRuleBasedStages(),
  later: {
    classify: async (...asked: Parameters<typeof waiting.classify>) => waiting.classify(...asked),
    plan: async (...asked: Parameters<typeof waiting.plan>) => waiting.plan(...asked),
    verify: async (...asked: Parameters<typeof waiting.verify>) => waiting.verify(...asked),
    respond: async (...asked: Parameters<typeof waiting.respond>) => waiting.respond(...asked),
  },
} as const;

/** What it takes to process so many messages one after the other, and how many traces were stored for them. */
async function workOfMessages(count: number, way: keyof typeof stages) {
  const { clock, processor, tools, stored } = createTestProcessor({ stages: stages[way] });
  tools.register(refundPolicy);
  const work = await workOf(clock, async () => {
    for (let number = 0; number < count; number++) await processor.process(message);
  });
  expect(stored.every(({ status }) => status === 'COMPLETED')).toBe(true);
  return { ...work, stored: stored.length };
}

describe('a message', () => {
  test.each([
    ['at once', { promises: 10, looks: 20, timers: 0, left: 0 }],
    ['later', { promises: 34, looks: 17, timers: 4, left: 0 }],
  ] as const)('whose stages decide %s takes no more work than it must', async (way, most) => {
    const hundred = await workOfMessages(100, way);
    const twoHundred = await workOfMessages(200, way);
    expectAtMost(ofEach(hundred, twoHundred), most);
    expect([hundred.stored, twoHundred.stored]).toEqual([100, 200]);
  });
});
