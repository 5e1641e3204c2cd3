import { unavailable } from '../domain/errors.ts';

/** The maximum number of attempts of a change, because others have changed the record in between. */
const MAX_ATTEMPTS = 100;

/**
 * Reads and changes a record in one attempt, and makes further attempts while it resolves to undefined, because another
 * caller has changed the record in between. Rejects as `attempt` does, and with `unavailable` after a hundred attempts;
 * `record` says then what changes too fast.
 */
export async function retryOnConflict<T extends object>(
  record: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  for (let count = 1; count <= MAX_ATTEMPTS; count++) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw unavailable(`the ${record} changes too fast`);
}
