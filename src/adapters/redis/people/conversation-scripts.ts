import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { fencedScript, luaScript } from '../client/scripts.ts';
import { addEntries } from './conversation-functions.ts';

/** The strings of a stored conversation. */
export interface StoredConversation {
  /** JSON of what never changes. */
  readonly head: string;
  readonly updatedAt: string;
  /** Empty while nobody holds it. */
  readonly openItemId: string;
  /** See `encodeEntry`; the oldest first. */
  readonly entries: readonly string[];
}

function asConversation(reply: unknown): StoredConversation | undefined {
  const strings = asArray(reply).map(asString);
  const [head, updatedAt, openItemId, ...entries] = strings;
  if (head === undefined || updatedAt === undefined || openItemId === undefined) return undefined;
  return { head, updatedAt, openItemId, entries };
}

/** Defines `read_conversation`: its strings with the last `count` entries, or an empty list. */
const readConversation = `
local function read_conversation(key, count)
  local found = redis.pcall('HMGET', key, 'head', 'updated', 'item')
  if found.err or not found[1] or not found[2] then return {} end
  local reply = { found[1], found[2], found[3] or '' }
  for _, text in ipairs(redis.call('LRANGE', key .. ':entries', -count, -1)) do reply[#reply + 1] = text end
  return reply
end
`;

/** How long before its expiry a conversation that is entered stays longer, so that it does not expire under a message. */
const SOON_MS = 3_600_000;

/** The commands of conversations. The key of the list of entries is that of the conversation with `:entries`. */
export const conversationScripts = {
  /**
   * KEYS: conversation, all conversations. ARGV: deadline, digest, JSON of the customer, head, time, retention in
   * milliseconds, number of entries. Replies with an empty list for the conversation of another customer.
   */
  enterConversation: fencedScript(
    2,
    [
      addEntries,
      readConversation,
      `
local ttl = tonumber(ARGV[6])
local customer = redis.call('HGET', KEYS[1], 'customer')
if not customer then
  redis.call('HSET', KEYS[1], 'customer', ARGV[3], 'head', ARGV[4], 'updated', ARGV[5])
  redis.call('DEL', KEYS[1] .. ':entries')
  touch_conversation(KEYS[1], KEYS[2], ARGV[2], ARGV[6])
elseif customer ~= ARGV[3] then
  return {}
elseif redis.call('PTTL', KEYS[1]) < math.min(${SOON_MS}, ttl / 2) then
  touch_conversation(KEYS[1], KEYS[2], ARGV[2], ARGV[6])
end
return read_conversation(KEYS[1], ARGV[7])
`,
    ],
    asConversation,
  ),

  /** KEYS: conversation. ARGV: number of entries. */
  getConversation: luaScript(
    1,
    [readConversation, 'return read_conversation(KEYS[1], ARGV[1])'],
    asConversation,
  ),

  /**
   * KEYS: conversation, all conversations. ARGV: deadline, digest, JSON of the trace id. Replies with the number of removed
   * entries. A conversation without entries has just begun: its first message is still handled.
   */
  removeEntries: fencedScript(
    2,
    [
      `
local list, prefix, removed = KEYS[1] .. ':entries', ARGV[3] .. '\\n', 0
for _, text in ipairs(redis.call('LRANGE', list, 0, -1)) do
  if string.sub(text, 1, #prefix) == prefix then removed = removed + redis.call('LREM', list, 1, text) end
end
redis.call('HDEL', KEYS[1], 'm:' .. ARGV[3])
if removed > 0 and redis.call('LLEN', list) == 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[2])
end
return removed
`,
    ],
    asNumber,
  ),

  /** KEYS: conversation, all conversations. ARGV: deadline, digest. Replies with 1 where there was one. */
  deleteConversation: fencedScript(
    2,
    [
      `
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('DEL', KEYS[1] .. ':entries')
return redis.call('DEL', KEYS[1])
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /**
   * KEYS: all conversations. ARGV: cursor, about how many to read, prefix of the keys of conversations, JSON of a
   * customer. Replies with the next cursor and the heads of the conversations of that customer. Removes digests without a
   * conversation.
   */
  scanConversations: luaScript(
    1,
    [
      `
local page = redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local heads, missing = {}, {}
for place = 1, #page[2], 2 do
  local digest = page[2][place]
  local found = redis.pcall('HMGET', ARGV[3] .. digest, 'customer', 'head')
  if found.err or not found[1] then
    missing[#missing + 1] = digest
  elseif found[1] == ARGV[4] and found[2] then
    heads[#heads + 1] = found[2]
  end
end
if #missing > 0 then redis.pcall('ZREM', KEYS[1], unpack(missing)) end
return { page[1], heads }
`,
    ],
    (reply) => {
      const [cursor, heads] = asArray(reply);
      return { cursor: asString(cursor), heads: asArray(heads).map(asString) };
    },
  ),
};
