import { silentLogger } from '../ports/logger.ts';
import type { Ports } from '../ports/ports.ts';
import { decomposeByKeywords } from './decomposer/keyword.ts';
import { makeSyntheticTickets } from './evaluation/synthetic-tickets.ts';
import { memoryStorage } from './memory/storage.ts';
import { createPreparation } from './preparation/prepare.ts';
import { createIds, systemClock } from './shared/system.ts';
import { createRuleBasedStages } from './stages/rule-based.ts';
import { noTelemetry } from './telemetry/none.ts';

/** Ports that need no network and no settings: storage in memory, rule-based stages, the system clock, no logs. */
export function defaultPorts(overrides: Partial<Ports> = {}): Ports {
  return {
    clock: systemClock,
    newId: createIds(),
    random: Math.random,
    logger: silentLogger,
    events: () => undefined,
    telemetry: noTelemetry,
    prepare: createPreparation({ redactPii: true }),
    stages: createRuleBasedStages(),
    decompose: decomposeByKeywords,
    makeTickets: makeSyntheticTickets,
    ...memoryStorage(),
    ...overrides,
  };
}
