import type { DueRun } from '../../../../ports/storage/run-log.ts';
import { asArray, asNumber, asString } from '../../client/replies.ts';
import { fencedScript, luaScript, now } from '../../client/scripts.ts';

/** Defines `has_ended`. */
export const hasEndedFunction = `
local function has_ended(status)
  return status == 'COMPLETED' or status == 'FAILED' or status == 'CANCELLED'
end
`;

/** Defines `wake_time`: the member `wakeAt` of the JSON of a state or a summary, whose last one it is; nil for none. */
export const wakeTimeFunction = `
local function wake_time(json)
  return json and string.match(string.sub(json, -64), ',"wakeAt":([^,}]+)}$')
end
`;

/** The commands that find runs which somebody must look at, and keep those that wait. */
export const dueScripts = {
  /**
   * KEYS: due runs. ARGV: time before which, maximum number of runs, prefix of the keys of runs. Replies with ids and
   * times, earliest first. Removes what is not due any more: runs that have expired.
   */
  findDueRuns: luaScript(
    1,
    [
      hasEndedFunction,
      `
local wanted, runs = tonumber(ARGV[2]) * 2, {}
while #runs < wanted do
  local count = (wanted - #runs) / 2
  local flat = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'WITHSCORES', 'LIMIT', #runs / 2, count)
  local removed = 0
  for at = 1, #flat, 2 do
    local found = redis.pcall('HMGET', ARGV[3] .. flat[at], 'status', 'owner')
    if found[1] and (has_ended(found[1]) or (found[1] == 'WAITING' and not found[2])) then
      runs[#runs + 1], runs[#runs + 2] = flat[at], flat[at + 1]
    else
      removed = removed + redis.call('ZREM', KEYS[1], flat[at])
    end
  end
  if removed == 0 or #flat < count * 2 then break end
end
return runs
`,
    ],
    (reply): readonly DueRun[] => {
      const strings = asArray(reply).map(asString);
      const runs: DueRun[] = [];
      for (let at = 0; at < strings.length; at += 2) {
        runs.push({ runId: asString(strings[at]), wakeAt: asNumber(strings[at + 1]) });
      }
      return runs;
    },
  ),

  /** KEYS: run, due runs. ARGV: deadline, id. Replies with 1 where the run has ended: its `wakeAt` is null then. */
  clearWake: fencedScript(
    2,
    [
      hasEndedFunction,
      wakeTimeFunction,
      `
local found = redis.pcall('HMGET', KEYS[1], 'status', 'summary', 'state')
if found.err or not found[1] then return redis.call('ZREM', KEYS[2], ARGV[2]) * 0 end
if not has_ended(found[1]) then return 0 end
redis.call('ZREM', KEYS[2], ARGV[2])
for at, field in pairs({ [2] = 'summary', [3] = 'state' }) do
  local wake = wake_time(found[at])
  if wake then
    redis.call('HSET', KEYS[1], field, string.sub(found[at], 1, -(#',"wakeAt":' + #wake + 2)) .. '}')
  end
end
return 1
`,
    ],
    asNumber,
  ),

  /**
   * KEYS: parked runs, index of all runs. ARGV: retention in milliseconds, maximum number of runs, prefixes of the keys
   * of runs, of events, of definitions and of the indices of workflows and of customers. Keeps the runs whose turn has
   * come and which still wait, for one retention after now and after their time. In the indices, where what is older
   * than one retention is removed, they move to the middle of it. Replies with the number of runs that it has looked
   * at.
   */
  keepParkedRuns: luaScript(
    2,
    [
      now,
      wakeTimeFunction,
      `
local retention, ms = tonumber(ARGV[1]), now / 1000
local function keep(key, ttl)
  local left = redis.call('PTTL', key)
  if left >= 0 and left < ttl then redis.call('PEXPIRE', key, integer(ttl)) end
end
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', integer(ms), 'LIMIT', 0, tonumber(ARGV[2]))
for number, id in ipairs(ids) do
  local found = redis.pcall('HMGET', ARGV[3] .. id, 'status', 'definition', 'workflow', 'state', 'customer')
  if found[1] ~= 'WAITING' then
    redis.call('ZREM', KEYS[1], id)
  else
    local wake = tonumber(wake_time(found[4]) or ms)
    local ttl = retention + math.max(0, wake - ms)
    keep(ARGV[3] .. id, ttl)
    keep(ARGV[4] .. id, ttl)
    keep(ARGV[5] .. (found[2] or ''), ttl + 60000)
    local middle = now - retention * 500
    local indices = { KEYS[2] }
    if found[3] then indices[#indices + 1] = ARGV[6] .. found[3] end
    if found[5] then indices[#indices + 1] = ARGV[7] .. found[5] end
    for _, index in ipairs(indices) do
      local score = tonumber(redis.call('ZSCORE', index, id) or 0)
      if score < middle then redis.call('ZADD', index, integer(middle + number), id) end
      keep(index, ttl)
    end
    redis.call('ZADD', KEYS[1], integer(ms + retention / 4), id)
  end
end
return #ids
`,
    ],
    asNumber,
  ),
};
