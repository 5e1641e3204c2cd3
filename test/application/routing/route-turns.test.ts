import { expect, test } from 'vitest';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { createBusyClock } from '../../support/fake-clock.ts';

test('subtasks that take long at once give others a turn now and then, and one before they are recorded', async () => {
  const { clock, work, turns } = createBusyClock();
  const orchestrator = createOrchestrator(defaultPorts({ clock }));
  orchestrator.agents.register({
    name: 'slow',
    description: 'takes two milliseconds of the processor',
    handle() {
      work(2);
      return {};
    },
  });
  const route = (count: number) =>
    orchestrator.agents.route({
      goal: 'Much to do',
      subtasks: Array.from({ length: count }, () => ({ agentName: 'slow', payload: {} })),
    });
  expect(await route(4)).toMatchObject({ status: 'completed' });
  expect(turns()).toBe(0);
  expect(await route(7)).toMatchObject({ status: 'completed' });
  expect(turns()).toBe(1);
  expect(await route(24)).toMatchObject({ status: 'completed', subtaskCounts: { total: 24, failed: 0 } });
  expect(turns()).toBe(4);
});
