import { asArray, asNumber, asString } from '../../client/replies.ts';
import { fencedScript, luaScript, now } from '../../client/scripts.ts';
import { hasEndedFunction, wakeTimeFunction } from '../due/due-scripts.ts';
import type { StoredSignals } from '../encoding.ts';

/** A run that nobody runs any more, and the signals that wait. */
export type OrphanedRun = readonly [runId: string, signals: StoredSignals];

/** Some runs that nobody runs. */
export interface OrphanedRuns {
  readonly runs: readonly OrphanedRun[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
}

/**
 * Defines `orphan`, which makes an active run of a replica one that nobody runs, unless it has ended or has another owner.
 * Runs of version 0.6 have no owner. A WAITING run without a signal goes on waiting. Its first write is one that a store without free memory accepts.
 */
const orphan = `
local orphans = {}
local function orphan(id, replica, keys)
  redis.call('SREM', keys.active, id)
  local key = keys.runs .. id
  local found = redis.pcall('HMGET', key, 'status', 'owner', 'signal', 'decisions', 'state')
  if found.err or not found[1] or has_ended(found[1]) or (found[2] and found[2] ~= replica) then return end
  redis.call('SREM', keys.signals, id)
  redis.call('HDEL', key, 'owner')
  local wake = found[1] == 'WAITING' and wake_time(found[5])
  if wake then redis.call('ZADD', keys.due, wake, id) end
  if found[1] == 'WAITING' and not found[3] and not found[4] then return end
  if keys.crashed then redis.call('HSET', key, 'crashed', '1') end
  redis.call('ZADD', keys.unclaimed, integer(now / 1000), id)
  local size = #orphans
  orphans[size + 1], orphans[size + 2], orphans[size + 3] = id, found[3] or '', found[4] or ''
end
`;

function asOrphans(reply: unknown): readonly OrphanedRun[] {
  const strings = asArray(reply).map(asString);
  const runs: OrphanedRun[] = [];
  for (let at = 0; at < strings.length; at += 3) {
    const signals = { cancel: asString(strings[at + 1]), decisions: asString(strings[at + 2]) };
    runs.push([asString(strings[at]), signals]);
  }
  return runs;
}

function asFoundRuns(reply: unknown): OrphanedRuns {
  const [more, runs] = asArray(reply);
  return { runs: asOrphans(runs), hasMore: asNumber(more) === 1 };
}

/** The commands by which runs of replicas that are gone wait for a claim, and are found where they wait for long. */
export const orphanScripts = {
  /**
   * KEYS: replicas, unclaimed runs, due runs. ARGV: milliseconds without a heartbeat after which a replica is gone, maximum number of
   * runs, prefixes of the keys of active runs, of runs and of signals. Replicas without active runs are removed.
   */
  moveAbandonedRuns: luaScript(
    3,
    [
      now,
      hasEndedFunction,
      wakeTimeFunction,
      orphan,
      `
local left = tonumber(ARGV[2])
local silent = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', integer(now / 1000 - ARGV[1]), 'LIMIT', 0, 100)
local more = #silent == 100
for _, replica in ipairs(silent) do
  local keys = { active = ARGV[3] .. replica, runs = ARGV[4], signals = ARGV[5] .. replica }
  keys.unclaimed, keys.due, keys.crashed = KEYS[2], KEYS[3], true
  if left > 0 then
    local ids = redis.call('SRANDMEMBER', keys.active, left)
    for _, id in ipairs(ids) do orphan(id, replica, keys) end
    left = left - #ids
  end
  if redis.call('SCARD', keys.active) > 0 then
    more = true
    break
  end
  redis.call('ZREM', KEYS[1], replica)
  redis.call('DEL', keys.signals)
end
return { more and 1 or 0, orphans }
`,
    ],
    asFoundRuns,
  ),

  /**
   * KEYS: active runs and signals of this replica, unclaimed runs, due runs. ARGV: deadline, replica id, prefix of the keys of runs,
   * then ids. They are not marked as crashed: this replica lives, and did not get the reply that gave it the run.
   */
  moveUnknownRuns: fencedScript(
    4,
    [
      hasEndedFunction,
      wakeTimeFunction,
      orphan,
      `
local keys = { active = KEYS[1], runs = ARGV[3], signals = KEYS[2], unclaimed = KEYS[3], due = KEYS[4] }
for at = 4, #ARGV do
  if redis.call('SISMEMBER', KEYS[1], ARGV[at]) == 1 then orphan(ARGV[at], ARGV[2], keys) end
end
return orphans
`,
    ],
    asOrphans,
  ),

  /**
   * KEYS: unclaimed runs. ARGV: milliseconds after which a run waits for long, maximum number of runs, prefix of the keys of
   * runs, 1 for runs that are WAITING alone, 0 for all others alone, an empty string for both. Replies with those that wait
   * for a claim for long, which count as new ones then.
   */
  sweepUnclaimedRuns: luaScript(
    1,
    [
      now,
      hasEndedFunction,
      `
local runs = {}
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', integer(now / 1000 - ARGV[1]), 'LIMIT', 0, tonumber(ARGV[2]))
for _, id in ipairs(ids) do
  local found = redis.pcall('HMGET', ARGV[3] .. id, 'status', 'owner', 'signal', 'decisions')
  local waits = found[1] == 'WAITING' and not found[3] and not found[4]
  if found.err or not found[1] or has_ended(found[1]) or found[2] or waits then
    redis.call('ZREM', KEYS[1], id)
  elseif ARGV[4] == '' or (ARGV[4] == '1') == (found[1] == 'WAITING') then
    redis.call('ZADD', KEYS[1], integer(now / 1000), id)
    local size = #runs
    runs[size + 1], runs[size + 2], runs[size + 3] = id, found[3] or '', found[4] or ''
  end
end
return { #ids == tonumber(ARGV[2]) and 1 or 0, runs }
`,
    ],
    asFoundRuns,
  ),

  /** ARGV: replica id, prefix of the keys of runs, then ids. Replies with those that are stored and have another owner, or none. */
  findLostRuns: luaScript(
    0,
    [
      `
local lost = {}
for at = 3, #ARGV do
  local found = redis.pcall('HMGET', ARGV[2] .. ARGV[at], 'status', 'owner')
  if found[1] and found[2] ~= ARGV[1] then lost[#lost + 1] = ARGV[at] end
end
return lost
`,
    ],
    (reply): readonly string[] => asArray(reply).map(asString),
  ),
};
