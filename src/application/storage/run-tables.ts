import { hasEnded } from '../../domain/run/run.ts';
import { availableAt, phaseOf, type RunRow } from '../../domain/run/run-row.ts';
import type { Table, TableShape } from '../../ports/storage/store.ts';

/** Runs, with their events. The body of a row is the JSON of the input. */
export const runsTable: Table<RunRow> = {
  name: 'runs',
  texts: {
    workflow: ({ head }) => head.workflowId,
    status: ({ state }) => state.status,
    customer: ({ head }) => head.customerId,
    definition: ({ definition }) => definition,
    owner: ({ owner }) => owner,
    phase: phaseOf,
    /** Of a run with signals that wait: the process that must handle them, empty for none. */
    signalled: ({ owner, signals }) => (signals.length === 0 ? null : (owner ?? '')),
  },
  numbers: {
    created: ({ head }) => Date.parse(head.createdAt),
    available: availableAt,
  },
  expiresAt: ({ state, keptUntil }) => (hasEnded(state.status) ? keptUntil : null),
  isPrivate: ({ head }) => head.customerId !== null,
};

/** A definition that runs keep, found by the digest of its JSON, which is the body. */
export interface KeptDefinition {
  /** When a run with it was created last, in milliseconds since the epoch; an hour earlier where it was used often. */
  readonly usedAt: number;
}

/** The definitions of runs. */
export const definitionsTable: Table<KeptDefinition> = {
  name: 'run_definitions',
  texts: {},
  numbers: { used: ({ usedAt }) => usedAt },
  expiresAt: () => null,
};

/** A process that runs runs. */
export interface RunProcess {
  /**
   * Until when it counts as alive without a further sign, in milliseconds since the epoch by the clock of the store.
   */
  readonly aliveUntil: number;
}

/** The processes that have runs. */
export const processesTable: Table<RunProcess> = {
  name: 'processes',
  texts: {},
  numbers: { alive: ({ aliveUntil }) => aliveUntil },
  expiresAt: () => null,
};

/** The tables of runs. */
export const runTables: readonly TableShape[] = [runsTable, definitionsTable, processesTable];
