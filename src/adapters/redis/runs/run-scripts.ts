import { expire, fence, newPlace, now, page, script } from '../client/scripts.ts';

/**
 * KEYS: execution, index of its workflow, running set of its process, processes. ARGV: deadline, id, retention,
 * process, workflow, status, summary, results.
 */
export const createExecution = script(
  now,
  fence,
  newPlace,
  expire,
  `
if type(redis.pcall('HGET', KEYS[1], 'status')) == 'string' then return 0 end
local place = new_place(KEYS[2])
redis.call('ZADD', KEYS[2], whole(place), ARGV[2])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'workflow', ARGV[5], 'status', ARGV[6], 'summary', ARGV[7], 'results', ARGV[8])
expire(KEYS[1], KEYS[2], place, tonumber(ARGV[3]))
if ARGV[6] == 'PENDING' or ARGV[6] == 'RUNNING' then
  redis.call('SADD', KEYS[3], ARGV[2])
  redis.call('ZADD', KEYS[4], 'NX', whole(now / 1000), ARGV[4])
end
return 1
`,
);

/**
 * KEYS: execution, running set of its process. ARGV: deadline, id, status and state or nothing, then field and value
 * of each step's result. Answers `ended` for an execution that changes no more, else `saved` or `unknown`.
 */
export const saveExecution = script(
  now,
  fence,
  `
local status = redis.pcall('HGET', KEYS[1], 'status')
if type(status) ~= 'string' then
  redis.call('SREM', KEYS[2], ARGV[2])
  return 'unknown'
end
if status == 'COMPLETED' or status == 'FAILED' then
  redis.call('SREM', KEYS[2], ARGV[2])
  return 'ended'
end
for first = 5, #ARGV, 1000 do
  redis.call('HSET', KEYS[1], unpack(ARGV, first, math.min(first + 999, #ARGV)))
end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'status', ARGV[3], 'state', ARGV[4]) end
if ARGV[3] == 'COMPLETED' or ARGV[3] == 'FAILED' then redis.call('SREM', KEYS[2], ARGV[2]) end
return 'saved'
`,
);

/** A page of executions: of each its summary at its creation, and what has changed in it since, or nothing. */
export const listExecutions = page(`
local function read(key)
  local found = redis.pcall('HMGET', key, 'summary', 'state')
  if found[1] then return found[1], found[2] or '' end
end
`);
