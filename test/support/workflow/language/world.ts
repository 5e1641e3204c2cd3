import type { InboxItem } from '../../../../src/domain/inbox/item.ts';
import type { RunEvent } from '../../../../src/domain/run/events.ts';
import type { Run } from '../../../../src/domain/run/run.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';

/** An attempt at a tool or agent. */
export interface Call {
  readonly runId: string;
  /** The step as its input names it, and the index of its item, from 0. */
  readonly step: string;
  readonly at: number;
  /** The input without these two. */
  readonly input: JsonObject;
  readonly kind: 'tool' | 'agent';
  readonly name: string;
  /** The idempotency key of a tool; null for an agent. */
  readonly key: string | null;
  /** When it was made, in milliseconds since the epoch. */
  readonly madeAt: number;
}

/** A run with its log. */
export interface StoredWorldRun {
  readonly record: Run;
  /** Null where there is no log. */
  readonly events: readonly RunEvent[] | null;
}

/** The outcome of a scenario. */
export interface World {
  readonly rootId: string;
  /** The root and all its descendants, by their ids; the root alone where calls are not observed. */
  readonly runs: ReadonlyMap<string, StoredWorldRun>;
  /** In the order in which they were made; null where calls are not observed. */
  readonly calls: readonly Call[] | null;
  /** The items of approvals as they were opened; null where there is no inbox. */
  readonly opened: readonly InboxItem[] | null;
  /** The ids of the items that wait still. */
  readonly open: readonly string[];
}

/** The mark of a call, a payload or a child run, and what else there is. */
export function unmarked(value: JsonObject): { step: string; at: number; input: JsonObject } {
  const { step, at, ...input } = value;
  return { step: String(step), at: Number(at), input };
}
