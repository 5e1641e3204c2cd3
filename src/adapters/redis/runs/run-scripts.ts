import { asOneOf, asPage } from '../client/replies.ts';
import { expire, fencedScript, luaScript, newScore, now, page } from '../client/scripts.ts';

const saveOutcomes = ['saved', 'ended', 'unknown'] as const;

/** The outcome of a change to a run. A run that is `ended` or `unknown` was not changed. */
export type SaveOutcome = (typeof saveOutcomes)[number];

/** The commands of stored runs. */
export const runScripts = {
  /**
   * KEYS: run, index of its workflow, active runs of its replica, replicas. ARGV: deadline, id, retention in
   * microseconds, replica id, workflow id, status, summary, results. True when the run was created.
   */
  createRun: fencedScript(
    4,
    [
      newScore,
      expire,
      `
if type(redis.pcall('HGET', KEYS[1], 'status')) == 'string' then return 0 end
local score = new_score(KEYS[2])
redis.call('ZADD', KEYS[2], integer(score), ARGV[2])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'workflow', ARGV[5], 'status', ARGV[6], 'summary', ARGV[7], 'results', ARGV[8])
expire(KEYS[1], KEYS[2], score, tonumber(ARGV[3]))
if ARGV[6] == 'PENDING' or ARGV[6] == 'RUNNING' then
  redis.call('SADD', KEYS[3], ARGV[2])
  redis.call('ZADD', KEYS[4], 'NX', integer(now / 1000), ARGV[4])
end
return 1
`,
    ],
    (reply) => asOneOf([0, 1], reply) === 1,
  ),

  /**
   * KEYS: run, active runs of its replica. ARGV: deadline, id, status and state or two empty strings, then field and
   * value of each step result.
   */
  saveRun: fencedScript(
    2,
    [
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
    ],
    (reply): SaveOutcome => asOneOf(saveOutcomes, reply),
  ),

  /** See {@link page}. For each run its summary at its creation, and its current state or an empty string. */
  listRuns: luaScript(
    1,
    [
      now,
      `
local function read(key)
  local found = redis.pcall('HMGET', key, 'summary', 'state')
  if found[1] then return found[1], found[2] or '' end
end
`,
      page,
    ],
    asPage,
  ),
};
