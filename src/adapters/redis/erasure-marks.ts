import { randomUUID } from 'node:crypto';
import { ERASURE_MARK_MS, type ErasureMarks } from '../../ports/storage/erasure-marks.ts';
import type { Connection } from './client/connection.ts';
import { throwUnavailable } from './client/errors.ts';
import type { Keys } from './keys.ts';
import { digestOf } from './people/stored-ids.ts';

/** Creates the marks of all replicas. */
export function createRedisErasureMarks(keys: Keys, connection: Pick<Connection, 'run'>): ErasureMarks {
  const keyOf = (customerId: string): string => keys.erasures + digestOf(customerId);
  return {
    async mark(customerId) {
      const expiration = { type: 'PX', value: ERASURE_MARK_MS } as const;
      await connection
        .run('SET', (client) => client.set(keyOf(customerId), randomUUID(), { expiration }))
        .catch(throwUnavailable);
    },
    async last(customerId) {
      const found = await connection
        .run('GET', (client) => client.get(keyOf(customerId)))
        .catch(throwUnavailable);
      return typeof found === 'string' ? found : undefined;
    },
  };
}
