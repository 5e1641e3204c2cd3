import { asNumber, asOneOf, asPage, asScan } from '../client/replies.ts';
import { expire, fencedScript, luaScript, newScore, now, page } from '../client/scripts.ts';

/** Of a record its summary and an empty string; without a summary the other way round. */
const readRecord = `
local function read(key)
  local summary = redis.pcall('HGET', key, 'summary')
  if type(summary) == 'string' then return summary, '' end
  local record = redis.pcall('HGET', key, 'record')
  if type(record) == 'string' then return '', record end
end
`;

/**
 * Stores a record. KEYS: record, index. ARGV: deadline, id, retention in microseconds or 0, record, summary or an empty
 * string. Its first write is one that a store without free memory rejects. Needs {@link newScore} and {@link expire}.
 */
export const storeRecord = `
local retention = tonumber(ARGV[3])
local score = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or nil)
if not score or (retention > 0 and score <= now - retention) then score = new_score(KEYS[2]) end
redis.call('ZADD', KEYS[2], integer(score), ARGV[2])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'record', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'summary', ARGV[5]) end
expire(KEYS[1], KEYS[2], score, retention)
`;

/** Defines `fits`, which tells whether a text contains one text of each of the lists of a JSON list. */
export const fitsFunction = `
local function contains_any(text, needles)
  for _, needle in ipairs(needles) do
    if string.find(text, needle, 1, true) then return true end
  end
end
local function fits(text, needed)
  for _, needles in ipairs(needed) do
    if not contains_any(text, needles) then return false end
  end
  return true
end
`;

/** The commands of collections of records. */
export const recordScripts = {
  /** See {@link storeRecord}. */
  putRecord: fencedScript(2, [newScore, expire, storeRecord, 'return 1'], (reply) => asOneOf([1], reply)),

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

  /** See {@link page} and {@link readRecord}. */
  listRecords: luaScript(1, [now, readRecord, page], asPage),

  /**
   * A part of an index, newest first, see {@link readRecord}. KEYS: index. ARGV: retention in microseconds or 0, the
   * highest and the lowest score as a range of Redis, the number of ids to read, prefix of the record keys, and a JSON
   * list of lists of texts: only records that contain one text of each list.
   */
  scanRecords: luaScript(
    1,
    [
      now,
      readRecord,
      fitsFunction,
      `
local retention, lowest, count = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
if retention > 0 then lowest = math.max(lowest, now - retention + 1) end
local ids = redis.call(
  'ZREVRANGEBYSCORE', KEYS[1], ARGV[2], integer(lowest), 'WITHSCORES', 'LIMIT', 0, count)
local needed = cjson.decode(ARGV[6])
local items = {}
for place = 1, #ids, 2 do
  local first, second = read(ARGV[5] .. ids[place])
  if first and fits(first ~= '' and first or second, needed) then
    local size = #items
    items[size + 1], items[size + 2], items[size + 3] = ids[place], first, second
  end
end
return { #ids == 2 * count and ids[#ids] or '', items }
`,
    ],
    asScan,
  ),
};
