import { summariseRouting } from '../domain/routing.ts';
import { summariseTrace } from '../domain/trace.ts';
import type { Ports } from '../ports/ports.ts';
import { decomposeByKeywords } from './decomposer/keyword.ts';
import { createMemoryExecutionStore } from './memory/execution-store.ts';
import { createMemoryRecordStore } from './memory/record-store.ts';
import { memoryStorageHealth } from './memory/storage-health.ts';
import { createRuleBasedStages } from './stages/rule-based.ts';
import { createIds, systemClock } from './system.ts';
import { noTelemetry } from './telemetry/none.ts';

/** Below this confidence of the classifier, a message goes to a person (decisions, section 2). */
const ESCALATION_THRESHOLD = 0.45;

/** Records that a collection in memory keeps (decisions, section 7). */
const MAX_RECORDS = 10_000;

/** Workflow definitions that memory keeps; a further one is refused. */
const MAX_DEFINITIONS = 1_000;

/** The ports that keep records. */
export type StoragePorts = Pick<Ports, 'storage' | 'traces' | 'workflows' | 'executions' | 'routes'>;

/** Stores in memory, bounded as the decisions say. */
export function memoryStorage(): StoragePorts {
  return {
    storage: memoryStorageHealth,
    traces: createMemoryRecordStore({
      idOf: (trace) => trace.traceId,
      summarise: summariseTrace,
      maxRecords: MAX_RECORDS,
    }),
    workflows: createMemoryRecordStore({
      idOf: (workflow) => workflow.id,
      summarise: (workflow) => workflow,
      maxRecords: MAX_DEFINITIONS,
      maxBytes: Number.POSITIVE_INFINITY,
      refuseWhenFull: true,
    }),
    executions: createMemoryExecutionStore({ maxRecords: MAX_RECORDS }),
    routes: createMemoryRecordStore({
      idOf: (routing) => routing.routingId,
      summarise: summariseRouting,
      maxRecords: MAX_RECORDS,
    }),
  };
}

/** Ports that need no network and no settings: memory, rules, the machine's clock, and silence. */
export function defaultPorts(overrides: Partial<Ports> = {}): Ports {
  const silent = (): void => {};
  return {
    clock: systemClock,
    newId: createIds(),
    random: Math.random,
    logger: { debug: silent, info: silent, warn: silent, error: silent, bind: (_fields, work) => work() },
    events: silent,
    telemetry: noTelemetry,
    stages: createRuleBasedStages({ escalationThreshold: ESCALATION_THRESHOLD }),
    decompose: decomposeByKeywords,
    ...memoryStorage(),
    ...overrides,
  };
}
