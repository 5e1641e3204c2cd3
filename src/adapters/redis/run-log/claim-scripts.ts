import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { fencedScript } from '../client/scripts.ts';
import { hasEndedFunction, wakeTimeFunction } from './due/due-scripts.ts';
import type { StoredSignals } from './encoding.ts';

/** A run that was claimed, as it is stored. */
export interface ClaimReply {
  readonly workflowId: string;
  /** The definition as JSON; empty where it is gone. */
  readonly definition: string;
  /** All events, as JSON. */
  readonly events: readonly string[];
  /** Whether its former replica was found to be gone. */
  readonly crashed: boolean;
  /** The signals that wait. */
  readonly signals: StoredSignals;
}

const signalOutcomes = ['sent', 'refused', 'ended', 'unknown'] as const;

/** The reply to a signal. */
export interface SignalReply {
  readonly outcome: (typeof signalOutcomes)[number];
  /** The replica that runs the run; empty where it is not known. */
  readonly owner: string;
  /** Whether the run waits, and no replica has claimed it. */
  readonly isParked: boolean;
}

/** The commands by which a replica takes a run that nobody runs and gives it up, and sends it signals. */
export const claimScripts = {
  /**
   * KEYS: run, events, active runs of this replica, replicas, unclaimed runs, due runs. ARGV: deadline, id, replica id, prefix of the
   * keys of definitions. Nothing for a run that has ended, is unknown, or is active in another replica; 0 for one of
   * version 0.6. A run that is active in this replica is claimed again: the reply to its claim was lost. Whether the former
   * replica is gone stays recorded until the first append. The first write is one that a store without free memory rejects.
   */
  claimRun: fencedScript(
    6,
    [
      hasEndedFunction,
      `
local id, replica = ARGV[2], ARGV[3]
local found = redis.pcall('HMGET', KEYS[1], 'status', 'definition', 'workflow', 'owner', 'crashed', 'signal', 'decisions')
local length = redis.pcall('LLEN', KEYS[2])
local owner = found[4]
if found.err or not found[1] or has_ended(found[1]) or (owner and owner ~= replica) then
  redis.call('ZREM', KEYS[5], id)
  return {}
end
if not found[2] then return { 0 } end
if type(length) ~= 'number' or length == 0 then
  redis.call('ZREM', KEYS[5], id)
  return {}
end
redis.call('HSET', KEYS[1], 'owner', replica)
redis.call('SADD', KEYS[3], id)
redis.call('ZADD', KEYS[4], 'NX', integer(now / 1000), replica)
redis.call('ZREM', KEYS[5], id)
redis.call('ZREM', KEYS[6], id)
local definition = redis.pcall('GET', ARGV[4] .. found[2])
if type(definition) ~= 'string' then definition = '' end
local events = redis.call('LRANGE', KEYS[2], 0, -1)
return { found[3] or '', definition, events, found[5] and 1 or 0, found[6] or '', found[7] or '' }
`,
    ],
    (reply): ClaimReply | 'old' | undefined => {
      const [workflowId, definition, events, crashed, cancel, decisions] = asArray(reply);
      if (workflowId === undefined) return undefined;
      if (workflowId === 0) return 'old';
      return {
        workflowId: asString(workflowId),
        definition: asString(definition),
        events: asArray(events).map(asString),
        crashed: asNumber(crashed) === 1,
        signals: { cancel: asString(cancel), decisions: asString(decisions) },
      };
    },
  ),

  /**
   * KEYS: run, active runs and signals of this replica, unclaimed runs, due runs. ARGV: deadline, id, replica id. Replies with 1 where
   * the run was active in this replica. A WAITING run without a signal goes on waiting. The first write is one that a store without free memory accepts.
   */
  releaseRun: fencedScript(
    5,
    [
      hasEndedFunction,
      wakeTimeFunction,
      `
local found = redis.pcall('HMGET', KEYS[1], 'status', 'owner', 'signal', 'decisions', 'state')
if found.err or found[2] ~= ARGV[3] or has_ended(found[1]) then return 0 end
redis.call('HDEL', KEYS[1], 'owner', 'crashed')
redis.call('SREM', KEYS[2], ARGV[2])
redis.call('SREM', KEYS[3], ARGV[2])
if found[1] ~= 'WAITING' or found[3] or found[4] then redis.call('ZADD', KEYS[4], integer(now / 1000), ARGV[2]) end
local wake = found[1] == 'WAITING' and wake_time(found[5])
if wake then redis.call('ZADD', KEYS[5], wake, ARGV[2]) end
return 1
`,
    ],
    asNumber,
  ),

  /**
   * KEYS: run. ARGV: deadline, id, signal, prefix of the keys of signals, retention in milliseconds or 0; for a decision
   * the id of its item and the member of a state that waits for it, else empty strings; unclaimed runs. The replica that
   * runs the run gets the signal with its heartbeats until a write handles it; where none does, the run waits for a claim.
   */
  signalRun: fencedScript(
    1,
    [
      hasEndedFunction,
      `
local found = redis.pcall('HMGET', KEYS[1], 'status', 'owner', 'decisions', 'state')
if found.err or not found[1] then return { 'unknown', '' } end
if has_ended(found[1]) then return { 'ended', '' } end
if ARGV[6] == '' then
  redis.call('HSET', KEYS[1], 'signal', ARGV[3])
else
  local decisions = found[3] and cjson.decode(found[3]) or {}
  if decisions[ARGV[6]] or not string.find(found[4] or '', ARGV[7], 1, true) then return { 'refused', '' } end
  decisions[ARGV[6]] = ARGV[3]
  redis.call('HSET', KEYS[1], 'decisions', cjson.encode(decisions))
end
if not found[2] then
  redis.call('ZADD', ARGV[8], 'NX', integer(now / 1000), ARGV[2])
  return { 'sent', '', found[1] == 'WAITING' and 1 or 0 }
end
redis.call('SADD', ARGV[4] .. found[2], ARGV[2])
if tonumber(ARGV[5]) > 0 then redis.call('PEXPIRE', ARGV[4] .. found[2], ARGV[5]) end
return { 'sent', found[2] }
`,
    ],
    (reply): SignalReply => {
      const [outcome, owner, isParked] = asArray(reply);
      return {
        outcome: asOneOf(signalOutcomes, outcome),
        owner: asString(owner),
        isParked: isParked === 1,
      };
    },
  ),
};
