import { expect, test } from 'vitest';
import { yieldIfDue, yieldToEventLoop } from '../../../src/lib/async/yield.ts';
import { burnCpu, createTurnCounter } from '../../support/event-loop.ts';

test('work that is short does not wait for the event loop', async () => {
  await yieldToEventLoop();
  const turns = createTurnCounter();
  for (let part = 0; part < 100; part++) {
    turns.count();
    await yieldIfDue();
  }
  expect(turns.max).toBe(100);
});

test('work that is long lets other work run every 10 milliseconds', async () => {
  const turns = createTurnCounter();
  for (let part = 0; part < 30; part++) {
    turns.count();
    burnCpu(3);
    await yieldIfDue();
  }
  expect(turns.max).toBeLessThanOrEqual(5);
});

test('many short pieces of work that follow each other count together', async () => {
  const turns = createTurnCounter();
  const piece = async (): Promise<void> => {
    turns.count();
    await yieldIfDue();
    burnCpu(3);
  };
  for (let count = 0; count < 30; count++) await piece();
  expect(turns.max).toBeLessThanOrEqual(6);
});
