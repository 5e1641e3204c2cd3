import type { Connection } from '../client/connection.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import type { Keys } from '../keys.ts';

/** What the stores of this folder work with. */
export interface PeopleParts {
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  readonly writes: FencedWrites;
  /** How long a conversation stays after its last change, and an item after its end, in milliseconds. */
  readonly retentionMs: number;
}
