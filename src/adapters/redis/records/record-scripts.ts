import { asNumber, asOneOf, asPage } from '../client/replies.ts';
import { expire, fencedScript, luaScript, newScore, now, page } from '../client/scripts.ts';

/** The commands of collections of records. */
export const recordScripts = {
  /** KEYS: record, index. ARGV: deadline, id, retention in microseconds or 0, record, summary or an empty string. */
  putRecord: fencedScript(
    2,
    [
      newScore,
      expire,
      `
local retention = tonumber(ARGV[3])
local score = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or nil)
if not score or (retention > 0 and score <= now - retention) then score = new_score(KEYS[2]) end
redis.call('ZADD', KEYS[2], integer(score), ARGV[2])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'record', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'summary', ARGV[5]) end
expire(KEYS[1], KEYS[2], score, retention)
return 1
`,
    ],
    (reply) => asOneOf([1], reply),
  ),

  /** KEYS: record, index. ARGV: deadline, id. Replies with the number of deleted records. */
  deleteRecord: fencedScript(
    2,
    [
      `
redis.call('ZREM', KEYS[2], ARGV[2])
return redis.call('DEL', KEYS[1])
`,
    ],
    asNumber,
  ),

  /** See {@link page}. Of each record its summary and an empty string; without a summary the other way round. */
  listRecords: luaScript(
    1,
    [
      now,
      `
local function read(key)
  local summary = redis.pcall('HGET', key, 'summary')
  if type(summary) == 'string' then return summary, '' end
  local record = redis.pcall('HGET', key, 'record')
  if type(record) == 'string' then return '', record end
end
`,
      page,
    ],
    asPage,
  ),
};
