import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { expire, fencedScript, newScore } from '../client/scripts.ts';
import { hasEndedFunction, wakeTimeFunction } from './due/due-scripts.ts';
import type { StoredSignals } from './encoding.ts';

const createOutcomes = ['created', 'exists', 'definition'] as const;
const appendOutcomes = ['appended', 'conflict', 'signalled', 'unknown', 'old'] as const;

/** The outcome of storing a new run; `definition`: nothing was written, because its definition must be sent too. */
type CreateOutcome = (typeof createOutcomes)[number];

/** The reply to an append. */
export interface AppendReply {
  /** As in the port; `old`: nothing was written, because the record of version 0.6 must be converted before. */
  readonly outcome: (typeof appendOutcomes)[number];
  /** The signals that wait; none unless `signalled`. */
  readonly signals: StoredSignals;
  /** Whether the run is active in this replica now. */
  readonly isActive: boolean;
  /** Where it is `signalled`: how many of its events are stored, by an earlier attempt. */
  readonly stored: number;
}

/** Defines `push`, which appends ARGV[first] and all after it to the list KEYS[2]. */
export const push = `
local function push(first)
  for at = first, #ARGV, 1000 do redis.call('RPUSH', KEYS[2], unpack(ARGV, at, math.min(at + 999, #ARGV))) end
end
`;

/**
 * Defines `keep_definition`: stores the definition KEYS[3] unless it is stored, for a minute longer than `ttl`
 * milliseconds, or without end where that is 0 or less.
 */
export const keepDefinition = `
local function keep_definition(json, ttl)
  if redis.call('EXISTS', KEYS[3]) == 0 then
    redis.call('SET', KEYS[3], json)
  end
  if ttl <= 0 then
    redis.call('PERSIST', KEYS[3])
  elseif redis.call('PTTL', KEYS[3]) < ttl + 60000 then
    redis.call('PEXPIRE', KEYS[3], integer(ttl + 60000))
  end
end
`;

/**
 * Defines `remaining`: of the decisions that wait those whose items the run waits for, as JSON; nothing where there are
 * none.
 */
const remainingFunction = `
local function remaining(decisions, waits)
  local kept, before = {}, cjson.decode(decisions)
  for _, item in ipairs(cjson.decode(waits)) do kept[item] = before[item] end
  if next(kept) then return cjson.encode(kept) end
end
`;

/**
 * The commands that change runs. A message on a channel is the length of the log, with a `!` where the run has ended.
 */
export const runLogWriteScripts = {
  /**
   * KEYS: run, events, definition, index of its workflow, index of all runs, active runs of this replica, replicas; for
   * an unclaimed run the unclaimed ones instead of the active ones; due runs, index of its customer. ARGV: deadline,
   * id, retention in microseconds, replica id or an empty string for an unclaimed run, workflow id, status, summary,
   * time of creation, digest of the definition, definition or an empty string, digest of the customer or an empty
   * string, then events. Replicas of version 0.6 need the field `results`. The first write is one that a store without
   * free memory rejects, which it does not after others, such as PEXPIRE.
   */
  createRunLog: fencedScript(
    9,
    [
      newScore,
      expire,
      hasEndedFunction,
      wakeTimeFunction,
      push,
      keepDefinition,
      `
if type(redis.pcall('HGET', KEYS[1], 'status')) == 'string' then return 'exists' end
if ARGV[10] == '' and redis.call('EXISTS', KEYS[3]) == 0 then return 'definition' end
local retention = tonumber(ARGV[3])
local score = math.max(new_score(KEYS[4]), new_score(KEYS[5]))
redis.call('ZADD', KEYS[4], integer(score), ARGV[2])
redis.call('ZADD', KEYS[5], integer(score), ARGV[2])
keep_definition(ARGV[10], retention / 1000)
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'workflow', ARGV[5], 'status', ARGV[6], 'summary', ARGV[7], 'created', ARGV[8],
  'definition', ARGV[9], 'results', '[]')
push(12)
expire(KEYS[1], KEYS[4], score, retention)
expire(KEYS[2], KEYS[5], score, retention)
if ARGV[11] ~= '' then
  redis.call('HSET', KEYS[1], 'customer', ARGV[11])
  redis.call('ZADD', KEYS[9], integer(score), ARGV[2])
  expire(KEYS[1], KEYS[9], score, retention)
end
if has_ended(ARGV[6]) then
  local wake = wake_time(ARGV[7])
  if wake then redis.call('ZADD', KEYS[8], wake, ARGV[2]) end
  return 'created'
end
if ARGV[4] == '' then
  redis.call('ZADD', KEYS[6], integer(now / 1000), ARGV[2])
else
  redis.call('HSET', KEYS[1], 'owner', ARGV[4])
  redis.call('SADD', KEYS[6], ARGV[2])
  redis.call('ZADD', KEYS[7], 'NX', integer(now / 1000), ARGV[4])
end
return 'created'
`,
    ],
    (reply): CreateOutcome => asOneOf(createOutcomes, reply),
  ),

  /**
   * KEYS: run, events, active runs of this replica, replicas, due runs, parked runs. ARGV: deadline, id, number of
   * events before, replica id, token, status, state or an empty string where both are stored, 1 where a request to
   * cancel is handled, prefixes of the keys of active runs and of signals, channel, 1 where only the owner of a run
   * that has not ended may append to it, as it is for every run that waits, the ids of the items that the run waits for
   * as JSON, then events. The token tells a repeated write, whose reply was lost, from one of another writer: events
   * that this writer has stored already are skipped.
   */
  appendEvents: fencedScript(
    6,
    [
      hasEndedFunction,
      wakeTimeFunction,
      push,
      remainingFunction,
      `
local id, replica = ARGV[2], ARGV[4]
local found = redis.pcall('HMGET', KEYS[1], 'status', 'definition', 'owner', 'writer', 'signal', 'crashed', 'decisions')
if found.err or not found[1] then
  redis.call('SREM', KEYS[3], id)
  return { 'unknown', '', 0 }
end
local status, definition, owner, writer, signal, crashed, decisions = unpack(found, 1, 7)
if not definition then return { 'old', '', 0 } end
local has_left = has_ended(status) or (status == 'WAITING' and not owner and writer == ARGV[5])
if (ARGV[12] == '1' or status == 'WAITING') and owner ~= replica and not has_left then
  redis.call('SREM', KEYS[3], id)
  return { 'conflict', '', 0 }
end
local expected, length = tonumber(ARGV[3]), redis.call('LLEN', KEYS[2])
local token = ARGV[5]
local first = 14
if length > expected and writer == token then
  first = first + length - expected
  if first > #ARGV then return { 'appended', '', owner == replica and 1 or 0 } end
elseif length ~= expected then
  if owner ~= replica then redis.call('SREM', KEYS[3], id) end
  return { 'conflict', '', 0 }
end
local ends, waits, handles = has_ended(ARGV[6]), ARGV[6] == 'WAITING', ARGV[8] == '1'
local left = decisions and remaining(decisions, ARGV[13])
local cancels = signal and not handles
if (cancels and (ends or waits)) or (left and waits) then
  return { 'signalled', cancels and signal or '', 0, first - 14, left or '' }
end
push(first)
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[1], 'status', ARGV[6], 'state', ARGV[7], 'writer', token)
elseif writer ~= token then
  redis.call('HSET', KEYS[1], 'writer', token)
end
if crashed then redis.call('HDEL', KEYS[1], 'crashed') end
if signal and handles then redis.call('HDEL', KEYS[1], 'signal') end
if decisions and not left then
  redis.call('HDEL', KEYS[1], 'decisions')
elseif decisions and left ~= decisions then
  redis.call('HSET', KEYS[1], 'decisions', left)
end
if (signal or decisions) and not cancels and not left and owner then redis.call('SREM', ARGV[10] .. owner, id) end
if waits then
  if owner then
    redis.call('HDEL', KEYS[1], 'owner')
    redis.call('SREM', ARGV[9] .. owner, id)
  end
elseif ends then
  if owner then redis.call('SREM', ARGV[9] .. owner, id) end
elseif has_ended(status) then
  owner = replica
  redis.call('HDEL', KEYS[1], 'signal', 'decisions')
  redis.call('HSET', KEYS[1], 'owner', replica)
  redis.call('SADD', KEYS[3], id)
  redis.call('ZADD', KEYS[4], 'NX', integer(now / 1000), replica)
end
local wake = (waits or ends) and wake_time(ARGV[7])
if wake then
  redis.call('ZADD', KEYS[5], wake, id)
elseif status == 'WAITING' or has_ended(status) then
  redis.call('ZREM', KEYS[5], id)
end
if waits then
  redis.call('ZADD', KEYS[6], integer(now / 1000), id)
elseif status == 'WAITING' then
  redis.call('ZREM', KEYS[6], id)
end
redis.pcall('PUBLISH', ARGV[11], integer(expected + #ARGV - 13) .. (ends and '!' or ''))
return { 'appended', '', (owner == replica and not ends and not waits) and 1 or 0 }
`,
    ],
    (reply): AppendReply => {
      const [outcome, cancel, isActive, stored = 0, decisions = ''] = asArray(reply);
      return {
        outcome: asOneOf(appendOutcomes, outcome),
        signals: { cancel: asString(cancel), decisions: asString(decisions) },
        isActive: asNumber(isActive) === 1,
        stored: asNumber(stored),
      };
    },
  ),

  /**
   * KEYS: run, events, index of all runs, due runs. ARGV: deadline, id, prefixes of the indices of workflows and of
   * customers, channel. Replies with 1 where the run had ended and is deleted. Its definition expires.
   */
  deleteRunLog: fencedScript(
    4,
    [
      hasEndedFunction,
      `
local found = redis.pcall('HMGET', KEYS[1], 'status', 'workflow', 'customer')
if found.err or not has_ended(found[1]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
if found[2] then redis.call('ZREM', ARGV[3] .. found[2], ARGV[2]) end
if found[3] then redis.call('ZREM', ARGV[4] .. found[3], ARGV[2]) end
redis.pcall('PUBLISH', ARGV[5], '0!')
return 1
`,
    ],
    asNumber,
  ),
};
