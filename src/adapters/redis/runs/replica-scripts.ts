import { asArray, asNumber, asString } from '../client/replies.ts';
import { luaScript, now } from '../client/scripts.ts';

/** The reply to a heartbeat. */
export interface HeartbeatReply {
  /** The store's time in milliseconds. */
  readonly storeMs: number;
  /** How many runs the store lists as active in this replica. */
  readonly activeRuns: number;
}

/** A replica without a recent heartbeat, and some of the runs that were active in it. */
export interface AbandonedRuns {
  readonly replicaId: string;
  readonly runIds: readonly string[];
}

/** The commands by which replicas register and find abandoned runs. */
export const replicaScripts = {
  /** KEYS: replicas, active runs of this replica. ARGV: replica id. */
  heartbeat: luaScript(
    2,
    [
      now,
      `
redis.call('ZADD', KEYS[1], integer(now / 1000), ARGV[1])
return { time[1], time[2], redis.call('SCARD', KEYS[2]) }
`,
    ],
    (reply): HeartbeatReply => {
      const [seconds, microseconds, activeRuns] = asArray(reply);
      const storeMs = asNumber(seconds) * 1_000 + asNumber(microseconds) / 1_000;
      return { storeMs, activeRuns: asNumber(activeRuns) };
    },
  ),

  /**
   * KEYS: replicas. ARGV: milliseconds without a heartbeat after which a replica is gone, prefix of the keys of active
   * runs. Replies with replicas that are gone and have active runs; removes those that have none.
   */
  findAbandoned: luaScript(
    1,
    [
      now,
      `
local abandoned = {}
local silent = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', integer(now / 1000 - ARGV[1]), 'LIMIT', 0, 100)
for _, replica in ipairs(silent) do
  local runs = redis.call('SRANDMEMBER', ARGV[2] .. replica, 100)
  if #runs == 0 then
    redis.call('ZREM', KEYS[1], replica)
  else
    abandoned[#abandoned + 1] = { replica, runs }
    if #abandoned == 10 then break end
  end
end
return abandoned
`,
    ],
    (reply): AbandonedRuns[] =>
      asArray(reply).map((pair) => {
        const [replicaId, runIds] = asArray(pair);
        return { replicaId: asString(replicaId), runIds: asArray(runIds).map(asString) };
      }),
  ),

  /** KEYS: replicas, active runs of this replica. ARGV: replica id. The others may end its active runs at once. */
  deregister: luaScript(
    2,
    [
      `
if redis.call('SCARD', KEYS[2]) == 0 then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return redis.call('ZADD', KEYS[1], 0, ARGV[1])
`,
    ],
    asNumber,
  ),
};
