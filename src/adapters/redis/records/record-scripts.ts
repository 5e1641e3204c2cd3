import { expire, fence, newPlace, now, page, script } from '../client/scripts.ts';

/** KEYS: record, index. ARGV: deadline, id, retention in microseconds or 0, record, summary or nothing. */
export const putRecord = script(
  now,
  fence,
  newPlace,
  expire,
  `
local retention = tonumber(ARGV[3])
local place = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or nil)
if not place or (retention > 0 and place <= now - retention) then place = new_place(KEYS[2]) end
redis.call('ZADD', KEYS[2], whole(place), ARGV[2])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'record', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'summary', ARGV[5]) end
expire(KEYS[1], KEYS[2], place, retention)
return 1
`,
);

/** KEYS: record, index. ARGV: deadline, id. Answers how many records there were. */
export const deleteRecord = script(
  now,
  fence,
  `
redis.call('ZREM', KEYS[2], ARGV[2])
return redis.call('DEL', KEYS[1])
`,
);

/** A page of records: of each its summary, or where it has none, nothing and the record itself. */
export const listRecords = page(`
local function read(key)
  local summary = redis.pcall('HGET', key, 'summary')
  if type(summary) == 'string' then return summary, '' end
  local record = redis.pcall('HGET', key, 'record')
  if type(record) == 'string' then return '', record end
end
`);
