import { now, script } from '../client/scripts.ts';

/** KEYS: processes, running set of this one. ARGV: process. Answers the time, and how many runs the set names. */
export const heartbeat = script(
  now,
  `
redis.call('ZADD', KEYS[1], whole(now / 1000), ARGV[1])
return { time[1], time[2], redis.call('SCARD', KEYS[2]) }
`,
);

/**
 * KEYS: processes. ARGV: milliseconds after which a silent process is dead, what keys of running sets begin with.
 * Answers dead processes, each with some of the executions that it left behind; forgets those that left none.
 */
export const findAbandoned = script(
  now,
  `
local abandoned = {}
local silent = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', whole(now / 1000 - ARGV[1]), 'LIMIT', 0, 100)
for _, process in ipairs(silent) do
  local executions = redis.call('SRANDMEMBER', ARGV[2] .. process, 100)
  if #executions == 0 then
    redis.call('ZREM', KEYS[1], process)
  else
    abandoned[#abandoned + 1] = { process, executions }
    if #abandoned == 10 then break end
  end
end
return abandoned
`,
);

/** KEYS: processes, running set of this one. ARGV: process. What it leaves behind is others' at once. */
export const leave = script(`
if redis.call('SCARD', KEYS[2]) == 0 then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return redis.call('ZADD', KEYS[1], 0, ARGV[1])
`);
