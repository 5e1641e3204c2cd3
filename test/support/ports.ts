import { defaultPorts } from '../../src/adapters/defaults.ts';
import { memoryStorage } from '../../src/adapters/memory-storage.ts';
import { loadBuiltInPlaybook } from '../../src/adapters/playbook/built-in.ts';
import type { Playbook } from '../../src/domain/playbook/playbook.ts';
import type { Ports } from '../../src/ports/ports.ts';
import { createFakeClock } from './fake-clock.ts';
import { countingIds, recordEvents, recordLogs } from './fakes.ts';
import { scriptedStages } from './stages.ts';

/** The built-in playbook, which gives these tools to messages too. */
export function withMessageTools(...names: readonly string[]): Playbook {
  return { ...loadBuiltInPlaybook(), messageTools: new Set(names) };
}

/**
 * The ports of a test: a fake clock, counting ids, scripted stages, whose plans may call the tool `lookup`, memory
 * stores, and recorded events and logs. The clock, events and logger that are returned beside the ports are unused if
 * an override replaces them.
 */
export function testPorts(overrides: Partial<Ports> = {}) {
  const clock = createFakeClock();
  const recorded = recordEvents();
  const logger = recordLogs();
  const ports = defaultPorts({
    clock,
    newId: countingIds(),
    random: () => 0.5,
    logger,
    events: recorded.sink,
    stages: scriptedStages(),
    playbook: withMessageTools('lookup'),
    // The records of the inbox are stored together with the traces.
    ...(overrides.traces && peopleBeside(overrides.traces)),
    ...overrides,
  });
  return { ports, clock, recorded, logger };
}

/** Stores of people's work in memory, beside other traces. */
function peopleBeside(
  traces: Pick<Ports['traces'], 'put'>,
): Pick<Ports, 'inbox' | 'conversations' | 'examples'> {
  const { inbox, conversations, examples } = memoryStorage();
  return {
    inbox,
    examples,
    conversations: {
      ...conversations,
      async record(message) {
        await traces.put(message.trace);
        await conversations.record(message);
      },
    },
  };
}
