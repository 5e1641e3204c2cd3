import { asArray, asNumber, asString } from '../client/replies.ts';
import { fencedScript } from '../client/scripts.ts';
import { hasEndedFunction } from './write-scripts.ts';

/** A run that was claimed, as it is stored. */
export interface ClaimReply {
  readonly workflowId: string;
  /** The definition as JSON; empty where it is gone. */
  readonly definition: string;
  /** All events, as JSON. */
  readonly events: readonly string[];
  /** Whether its former replica was found to be gone. */
  readonly crashed: boolean;
  /** The signal that waits, as JSON; empty for none. */
  readonly signal: string;
}

/** The commands by which a replica takes a run that nobody runs, and gives it up. */
export const claimScripts = {
  /**
   * KEYS: run, events, active runs of this replica, replicas, unclaimed runs. ARGV: deadline, id, replica id, prefix of the
   * keys of definitions. Nothing for a run that has ended, is unknown, or is active in another replica; 0 for one of
   * version 0.6. A run that is active in this replica is claimed again: the reply to its claim was lost. Whether the former
   * replica is gone stays recorded until the first append. The first write is one that a store without free memory rejects.
   */
  claimRun: fencedScript(
    5,
    [
      hasEndedFunction,
      `
local id, replica = ARGV[2], ARGV[3]
local found = redis.pcall('HMGET', KEYS[1], 'status', 'definition', 'workflow', 'owner', 'crashed', 'signal')
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
local definition = redis.pcall('GET', ARGV[4] .. found[2])
if type(definition) ~= 'string' then definition = '' end
local events = redis.call('LRANGE', KEYS[2], 0, -1)
return { found[3] or '', definition, events, found[5] and 1 or 0, found[6] or '' }
`,
    ],
    (reply): ClaimReply | 'old' | undefined => {
      const [workflowId, definition, events, crashed, signal] = asArray(reply);
      if (workflowId === undefined) return undefined;
      if (workflowId === 0) return 'old';
      return {
        workflowId: asString(workflowId),
        definition: asString(definition),
        events: asArray(events).map(asString),
        crashed: asNumber(crashed) === 1,
        signal: asString(signal),
      };
    },
  ),

  /**
   * KEYS: run, active runs and signals of this replica, unclaimed runs. ARGV: deadline, id, replica id. Replies with 1 where
   * the run was active in this replica. The first write is one that a store without free memory accepts.
   */
  releaseRun: fencedScript(
    4,
    [
      hasEndedFunction,
      `
local found = redis.pcall('HMGET', KEYS[1], 'status', 'owner')
if found.err or found[2] ~= ARGV[3] or has_ended(found[1]) then return 0 end
redis.call('HDEL', KEYS[1], 'owner', 'crashed')
redis.call('SREM', KEYS[2], ARGV[2])
redis.call('SREM', KEYS[3], ARGV[2])
redis.call('ZADD', KEYS[4], integer(now / 1000), ARGV[2])
return 1
`,
    ],
    asNumber,
  ),
};
