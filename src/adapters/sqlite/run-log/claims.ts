import type { RunLog } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../connection.ts';
import { decodeSignals } from './encoding.ts';
import type { RunReads } from './run-reads.ts';
import type { RunRows } from './run-rows.ts';

/**
 * The claims of this process. A claim itself writes nothing: the next append stores its owner. A process that ends
 * before it has done nothing with the run, so that it did not crash.
 */
export interface Claims extends Pick<RunLog, 'claim' | 'release'> {
  /** Whether this process has claimed a run, and appended nothing since. */
  has(runId: string): boolean;
  /** How many runs it has claimed so. */
  readonly size: number;
  /** Forgets what is kept here of a run whose row has its owner, or which is gone. */
  forget(runId: string): void;
}

/** Size of a release, in bytes. */
const RELEASE_BYTES = 128;

/** Creates {@link Claims}. */
export function createClaims(
  { assertAvailable, read, write }: Connection,
  rows: Pick<RunRows, 'find' | 'isOwn' | 'release'>,
  reads: Pick<RunReads, 'get'>,
): Claims {
  const claimed = new Set<string>();
  /** The runs that this process gave up while the file could not be written: it is their owner in the file. */
  const givenUp = new Set<string>();

  return {
    has: (runId) => claimed.has(runId),
    get size() {
      return claimed.size;
    },
    forget(runId) {
      claimed.delete(runId);
      givenUp.delete(runId);
    },
    async claim(runId) {
      // Nothing of the run could be recorded.
      assertAvailable();
      const found = read(() => rows.find(runId));
      if (found === undefined || found['ended'] === 1 || claimed.has(runId)) return undefined;
      const isOwn = rows.isOwn(found);
      if (isOwn && !givenUp.has(runId)) return undefined;
      claimed.add(runId);
      try {
        const run = await reads.get(runId);
        // Signals may have come meanwhile.
        const row = read(() => rows.find(runId));
        if (run !== undefined && row !== undefined) {
          return { run, crashed: found['owner'] !== null && !isOwn, signals: decodeSignals(row) };
        }
      } catch (error) {
        claimed.delete(runId);
        throw error;
      }
      claimed.delete(runId);
      return undefined;
    },
    async release(runId) {
      const release = (): void => {
        const row = rows.find(runId);
        if (row !== undefined && (rows.isOwn(row) || claimed.has(runId))) rows.release(row);
      };
      try {
        await write(release, RELEASE_BYTES);
      } catch (error) {
        givenUp.add(runId);
        throw error;
      } finally {
        claimed.delete(runId);
      }
    },
  };
}
