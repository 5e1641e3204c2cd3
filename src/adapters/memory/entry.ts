import type { EncodedRow, LocalRow } from '../../ports/storage/store.ts';
import type { ListNode } from './newest-first.ts';
import type { PackedEvents } from './packed-events.ts';
import type { StoredText } from './text-arena.ts';

/** The values of a row in the indexes of its table. */
export type Indexes = EncodedRow['indexes'];

/** A stored row. It is changed in place. */
export interface Entry {
  readonly id: string;
  readonly position: number;
  version: number;
  /** Its JSON text, or the row itself, which nobody changes. */
  content: string | StoredText | Pick<LocalRow, 'row'>;
  body: string | undefined;
  bodyBytes: number;
  indexes: Indexes;
  expiresAt: number | null;
  /** Undefined before the first one. */
  events: PackedEvents | undefined;
  /** About how many bytes all of it takes. */
  bytes: number;
  /** Its place among the rows that may be removed for others: what {@link createLimits} knows of it. */
  counted: Counted | undefined;
}

/** The way in which a row is counted. */
export interface Counted {
  /** The number of its limit. */
  readonly limit: number;
  bytes: number;
  /** The values of its indexes, which decide the rest. */
  readonly indexes: Indexes;
  /** The number of its turn; null where it stays. */
  readonly turn: number | null;
  readonly node: ListNode<Entry> | undefined;
}

/** Approximate size of a row without its texts, and of one that is kept as an object, in bytes. */
export const ROW_BYTES = 256;
export const LOCAL_ROW_BYTES = 800;
