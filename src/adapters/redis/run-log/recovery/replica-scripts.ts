import { asArray, asNumber, asString } from '../../client/replies.ts';
import { fencedScript, luaScript, now } from '../../client/scripts.ts';
import { hasEndedFunction, wakeTimeFunction } from '../due/due-scripts.ts';
import type { StoredSignals } from '../encoding.ts';

/** The reply to a heartbeat. */
export interface HeartbeatReply {
  /** The store's time in milliseconds. */
  readonly storeMs: number;
  /** How many runs the store lists as active in this replica. */
  readonly activeRuns: number;
  /** The signals that wait for runs of this replica. */
  readonly signals: readonly (readonly [runId: string, signals: StoredSignals])[];
}

/** A replica without a recent heartbeat, and some of the runs that were active in it. */
export interface AbandonedRuns {
  readonly replicaId: string;
  readonly runIds: readonly string[];
}

/** The commands by which replicas register and find abandoned runs. */
export const runLogReplicaScripts = {
  /** KEYS: replicas, active runs and signals of this replica. ARGV: replica id, prefix of the keys of runs. */
  sendHeartbeat: luaScript(
    3,
    [
      now,
      `
redis.call('ZADD', KEYS[1], integer(now / 1000), ARGV[1])
local reply = { time[1], time[2], redis.call('SCARD', KEYS[2]) }
for _, id in ipairs(redis.call('SRANDMEMBER', KEYS[3], 100)) do
  local found = redis.pcall('HMGET', ARGV[2] .. id, 'signal', 'decisions')
  if found[1] or found[2] then
    local size = #reply
    reply[size + 1], reply[size + 2], reply[size + 3] = id, found[1] or '', found[2] or ''
  else
    redis.call('SREM', KEYS[3], id)
  end
end
return reply
`,
    ],
    (reply): HeartbeatReply => {
      const [seconds, microseconds, activeRuns, ...flat] = asArray(reply);
      const storeMs = asNumber(seconds) * 1_000 + asNumber(microseconds) / 1_000;
      const signals: [string, StoredSignals][] = [];
      for (let at = 0; at < flat.length; at += 3) {
        const stored = { cancel: asString(flat[at + 1]), decisions: asString(flat[at + 2]) };
        signals.push([asString(flat[at]), stored]);
      }
      return { storeMs, activeRuns: asNumber(activeRuns), signals };
    },
  ),

  /**
   * KEYS: replicas. ARGV: milliseconds without a heartbeat after which a replica is gone, prefix of the keys of active
   * runs. Replies with replicas that are gone and have active runs; removes those that have none.
   */
  findAbandonedRuns: luaScript(
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

  /**
   * KEYS: run, active runs and signals of a replica, unclaimed runs, due runs. ARGV: deadline, id, replica id. Replies with
   * the signal that waits, or an empty string, where the run is active in that replica; otherwise it removes the run from
   * the set and replies with nothing. So it does for a WAITING run that was claimed alone, which goes on waiting.
   */
  checkAbandoned: fencedScript(
    5,
    [
      hasEndedFunction,
      wakeTimeFunction,
      `
local id = ARGV[2]
local found = redis.pcall('HMGET', KEYS[1], 'status', 'owner', 'signal', 'decisions', 'state')
if found.err or not found[1] or has_ended(found[1]) or (found[2] and found[2] ~= ARGV[3]) then
  redis.call('SREM', KEYS[2], id)
  return {}
end
if found[1] == 'WAITING' then
  redis.call('SREM', KEYS[2], id)
  redis.call('SREM', KEYS[3], id)
  redis.call('HDEL', KEYS[1], 'owner')
  if found[3] or found[4] then redis.call('ZADD', KEYS[4], integer(now / 1000), id) end
  local wake = wake_time(found[5])
  if wake then redis.call('ZADD', KEYS[5], wake, id) end
  return {}
end
return { found[3] or '' }
`,
    ],
    (reply): string | undefined => {
      const [signal] = asArray(reply);
      return signal === undefined ? undefined : asString(signal);
    },
  ),

  /** KEYS: replicas, active runs of this replica. ARGV: replica id. The others may end its active runs at once. */
  deregisterReplica: luaScript(
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
