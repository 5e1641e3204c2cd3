import type { RedisClient } from '../connection.ts';
import { asNumber } from '../replies.ts';

/** The keys that version 0.6 wrote. All begin with the prefix; that of a record ends with its id. */
export interface OldKeys {
  /** The beginning of the keys of a kind of records. */
  records(kind: OldKind): string;
  /** The ids of a kind of records, by the microsecond of their first write. */
  index(kind: OldKind): string;
  /** The beginning of the keys of runs. */
  readonly runs: string;
  /** The beginning of the keys of the indexes of runs, one for each workflow. */
  readonly runIndexes: string;
  /** The processes of 0.6, by the millisecond of their last sign. */
  readonly processes: string;
  /** The beginnings of all keys of 0.6 but `processes`, and but the counts of the rate limit. */
  readonly beginnings: readonly string[];
  /** The key that this version writes once all records have been carried over. */
  readonly marker: string;
}

/** A kind of records that version 0.6 kept, beside runs. */
export type OldKind = 'traces' | 'workflows' | 'routes';

const kinds: readonly OldKind[] = ['traces', 'workflows', 'routes'];

/** The keys of version 0.6 under a prefix. */
export function createOldKeys(prefix: string): OldKeys {
  const runs = `${prefix}execution:`;
  const records = (kind: OldKind): string => `${prefix}${kind}:`;
  return {
    records,
    index: (kind) => `${prefix}index:${kind}`,
    runs,
    runIndexes: `${prefix}index:execution:`,
    processes: `${prefix}processes`,
    beginnings: [...kinds.map(records), runs, `${prefix}index:`, `${prefix}running:`],
    marker: `${prefix}migrated-from-0.6`,
  };
}

/**
 * True where there are records of version 0.6 that were not carried over: one of its indexes, or a process that left
 * runs. Rejects with an error of the client, or with `StoreError`.
 */
export async function hasUnmigrated(
  client: Pick<RedisClient, 'exists'>,
  { index, processes, marker }: OldKeys,
): Promise<boolean> {
  const found = asNumber(await client.exists([...kinds.map(index), processes]));
  return found > 0 && asNumber(await client.exists(marker)) === 0;
}
