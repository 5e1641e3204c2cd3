import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { fencedScript } from '../client/scripts.ts';

const statuses = ['claimed', 'mismatch', 'in_progress', 'lapsed', 'completed'] as const;

/** The reply to a claim. */
export interface ClaimReply {
  readonly status: (typeof statuses)[number];
  readonly reference: string;
  /** Whether the key stood for the same body before. */
  readonly isSameBody: boolean;
  /** The answer as JSON; empty unless `completed`. */
  readonly answer: string;
}

/** Defines the lease of a claim: it is held until `now + lease` milliseconds, and removed after `keep`. */
const hold = `
local function hold(claim, lease, keep)
  redis.call('HSET', claim, 'lease', integer(now + lease * 1000))
  redis.call('PEXPIRE', claim, keep)
end
`;

/** Whether ARGV[2] owns a claim that is under way. */
const owns = `
local held = redis.pcall('HMGET', KEYS[1], 'owner', 'lease')
local owns = not held.err and held[1] == ARGV[2] and held[2]
`;

/** The commands of idempotency keys. Each has one hash: fingerprint, owner, reference, and lease or answer. */
export const idempotencyScripts = {
  /**
   * KEYS: key. ARGV: deadline, owner, fingerprint, reference, lease and retention in milliseconds, 1 where a claim whose
   * lease has ended counts as lapsed, 1 where it is taken over then.
   */
  claimKey: fencedScript(
    1,
    [
      hold,
      `
local found = redis.pcall('HMGET', KEYS[1], 'fingerprint', 'reference', 'lease', 'answer')
if found.err then found = {} end
local same = found[1] == ARGV[3] and 1 or 0
local reference = ARGV[4]
if found[1] then
  local lapsed = found[3] and ARGV[7] == '1' and now > tonumber(found[3])
  if lapsed and ARGV[8] == '1' then
    if same == 1 then reference = found[2] end
  elseif lapsed then return { 'lapsed', found[2], same, '' }
  elseif same == 0 then return { 'mismatch', '', 0, '' }
  elseif found[3] then return { 'in_progress', found[2], 1, '' }
  else return { 'completed', found[2], 1, found[4] } end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'fingerprint', ARGV[3], 'reference', reference)
hold(KEYS[1], ARGV[5], ARGV[6])
return { 'claimed', reference, same, '' }
`,
    ],
    (reply): ClaimReply => {
      const [status, reference, isSameBody, answer] = asArray(reply);
      return {
        status: asOneOf(statuses, status),
        reference: asString(reference),
        isSameBody: asOneOf([0, 1], isSameBody) === 1,
        answer: asString(answer),
      };
    },
  ),

  /** KEYS: key. ARGV: deadline, owner, lease and retention in milliseconds. */
  renewClaim: fencedScript(
    1,
    [hold, owns, `if owns then hold(KEYS[1], ARGV[3], ARGV[4]) end return 1`],
    asNumber,
  ),

  /** KEYS: key. ARGV: deadline, owner, answer, retention in milliseconds. */
  completeClaim: fencedScript(
    1,
    [
      owns,
      `
if not owns then return 0 end
redis.call('HDEL', KEYS[1], 'lease')
redis.call('HSET', KEYS[1], 'answer', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`,
    ],
    asNumber,
  ),

  /** KEYS: key. ARGV: deadline, owner. */
  releaseClaim: fencedScript(1, [owns, `return owns and redis.call('DEL', KEYS[1]) or 0`], asNumber),
};
