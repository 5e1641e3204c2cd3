import { silentLogger } from '../ports/logger.ts';
import type { Ports } from '../ports/ports.ts';
import { cronerCalendar } from './calendar/calendar.ts';
import { decomposeByKeywords } from './decomposer/keyword.ts';
import { makeSyntheticTickets } from './evaluation/synthetic-tickets.ts';
import { celExpressions, jsonSchemas } from './languages/languages.ts';
import { createMemoryRunQueue } from './memory/run-queue.ts';
import { createMemoryFireQueue } from './memory/schedules/fire-queue.ts';
import { memoryStorage } from './memory-storage.ts';
import { loadBuiltInPlaybook } from './playbook/built-in.ts';
import { createPreparation } from './preparation/prepare.ts';
import { createRuleBasedStages } from './rule-based.ts';
import { createIds, systemClock } from './shared/system.ts';
import { noTelemetry } from './telemetry/none.ts';

/** Ports that need no network and no settings: storage in memory, rule-based stages, the system clock, no logs. */
export function defaultPorts(overrides: Partial<Ports> = {}): Ports {
  const { playbook = loadBuiltInPlaybook() } = overrides;
  return {
    clock: systemClock,
    newId: createIds(),
    random: Math.random,
    logger: silentLogger,
    events: () => undefined,
    telemetry: noTelemetry,
    prepare: createPreparation({ redactPii: true, languages: playbook.company.languages }),
    playbook,
    stages: createRuleBasedStages(),
    decompose: decomposeByKeywords,
    makeTickets: makeSyntheticTickets,
    runQueue: createMemoryRunQueue(),
    fireQueue: createMemoryFireQueue(overrides.clock ?? systemClock),
    calendar: cronerCalendar,
    expressions: celExpressions,
    schemas: jsonSchemas,
    ...memoryStorage(),
    ...overrides,
  };
}
