import { asArray, asNumber, asString } from '../client/replies.ts';
import { luaScript, now } from '../client/scripts.ts';

/** What one replica has counted in a minute, as it is stored. */
export interface StoredMinute {
  /** The begin of the minute, in milliseconds since the epoch. */
  readonly at: number;
  /** The sum of all counts, a space, and the counts as JSON. */
  readonly text: string;
}

/** What other replicas have written. */
export interface StatsReply {
  /** How many runs they run. */
  readonly running: number;
  readonly minutes: readonly StoredMinute[];
}

/**
 * The commands of counters: a hash for each minute with a field for each replica, which has all that it counted in that
 * minute. To write it again, after a reply that was lost, changes nothing.
 */
export const statsScripts = {
  /**
   * KEYS: running runs. ARGV: id of the replica, its number of running runs, prefix of the minutes, their retention in
   * milliseconds, then the begin of a minute and its text, each. A text with a lower sum than the stored one is ignored: it
   * arrives late.
   */
  writeStats: luaScript(
    1,
    [
      now,
      `
local running = tonumber(ARGV[2])
if running > 0 then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. integer(now))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
else
  redis.call('HDEL', KEYS[1], ARGV[1])
end
local function sum(text) return tonumber(string.match(text or '', '^%d+') or 0) end
for at = 5, #ARGV, 2 do
  local key, text = ARGV[3] .. ARGV[at], ARGV[at + 1]
  if sum(text) >= sum(redis.call('HGET', key, ARGV[1])) then redis.call('HSET', key, ARGV[1], text) end
  redis.call('PEXPIRE', key, ARGV[4])
end
return 1
`,
    ],
    asNumber,
  ),

  /**
   * KEYS: running runs. ARGV: id of the replica, whose own fields are left out, milliseconds after which a number of
   * running runs is of no replica that is there, prefix of the minutes, then the begins of minutes.
   */
  readStats: luaScript(
    1,
    [
      now,
      `
local running, minutes = 0, {}
local said = redis.call('HGETALL', KEYS[1])
for at = 1, #said, 2 do
  local count, time = string.match(said[at + 1], '^(%d+) (%d+)$')
  if count and said[at] ~= ARGV[1] and now - tonumber(time) < ARGV[2] * 1000 then running = running + tonumber(count) end
end
for at = 4, #ARGV do
  local found = redis.call('HGETALL', ARGV[3] .. ARGV[at])
  for field = 1, #found, 2 do
    if found[field] ~= ARGV[1] then
      minutes[#minutes + 1] = ARGV[at]
      minutes[#minutes + 1] = found[field + 1]
    end
  end
end
return { running, minutes }
`,
    ],
    (reply): StatsReply => {
      const [running, flat] = asArray(reply);
      const texts = asArray(flat).map(asString);
      const minutes: StoredMinute[] = [];
      for (let index = 0; index < texts.length; index += 2) {
        const [at, text = ''] = texts.slice(index, index + 2);
        minutes.push({ at: asNumber(at), text });
      }
      return { running: asNumber(running), minutes };
    },
  ),
};
