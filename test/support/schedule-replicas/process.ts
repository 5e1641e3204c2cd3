/**
 * A replica whose runs are never created, or are created without the replica getting to know it: at a fire it writes
 * the id of the run to standard output, and does nothing more. Arguments: the place as JSON, what its clock shows, and
 * `before` or `after` the run is created.
 */
import { openReplica } from './replica.ts';

const [, , place = '', now = '', when = ''] = process.argv;
const replica = await openReplica({
  place: JSON.parse(place),
  now: Number(now),
  logOf: (log) => ({
    ...log,
    async create(run) {
      if (when === 'after') await log.create(run);
      process.stdout.write(`fire ${run.summary.runId}\n`);
      return new Promise<never>(() => undefined);
    },
  }),
});
replica.start();
