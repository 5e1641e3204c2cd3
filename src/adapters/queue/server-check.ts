import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import type { CommandClient } from './connections.ts';

/** The oldest version of Redis that BullMQ supports in full. */
const OLDEST = [6, 2];

/**
 * Creates a check of the settings of a Redis server that a queue depends on. It logs a warning where they are wrong, and
 * nothing where they cannot be read. Never rejects.
 */
export function createServerCheck(
  logger: Logger,
  clock: Pick<Clock, 'monotonic'>,
): (client: Pick<CommandClient, 'info'>) => Promise<void> {
  const warnOfEviction = createThrottledLog(
    logger,
    clock,
    'Redis may evict the keys of the run queue when its memory is full: set its maxmemory-policy to noeviction',
  );
  const warnOfVersion = createThrottledLog(
    logger,
    clock,
    `the run queue needs Redis ${OLDEST.join('.')} or newer`,
  );
  return async (client) => {
    const info = await client.info().catch(() => '');
    const policy = fieldOf(info, 'maxmemory_policy');
    if (policy !== undefined && policy !== 'noeviction') warnOfEviction({ maxmemory_policy: policy });
    const version = fieldOf(info, 'redis_version');
    if (version !== undefined && isOld(version)) warnOfVersion({ redis_version: version });
  };
}

/** The value of a line `name:value`, of at most 64 characters. */
function fieldOf(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1, name.length + 65);
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
