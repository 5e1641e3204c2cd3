import { itemKinds } from '../../../../domain/inbox/item.ts';
import { asArray, asOneOf, asString } from '../../client/replies.ts';
import { fencedScript, newScore } from '../../client/scripts.ts';
import { addEntries } from '../conversation-functions.ts';
import { putExample } from '../example-scripts.ts';
import { ITEM_KEYS, ITEM_VALUES, type StoredItem } from './item-encoding.ts';
import { isBefore, putItem, readItem, waitingCount } from './item-functions.ts';

const createOutcomes = ['created', 'exists', 'full'] as const;

/** Checks that a reply is `[id, item, claim, version, seq]`, or an empty list for none. */
export function asItem(reply: unknown): StoredItem | undefined {
  const strings = asArray(reply);
  if (strings.length === 0) return undefined;
  const [id, item, claim, version, seq] = strings;
  return {
    id: asString(id),
    item: asString(item),
    claim: asString(claim),
    version: asString(version),
    seq: asString(seq),
  };
}

/** The first value after those of an item, which begin at 3. */
const REST = 3 + ITEM_VALUES;

/** The commands that change inbox items. */
export const itemScripts = {
  /** KEYS: see `put_item`. ARGV: deadline, the most items that may wait, then see `put_item`. */
  createItem: fencedScript(
    ITEM_KEYS,
    [
      putItem,
      `
if redis.call('EXISTS', KEYS[1]) == 1 then return 'exists' end
if ${waitingCount(2)} >= tonumber(ARGV[2]) then return 'full' end
put_item(1, 3, true)
return 'created'
`,
    ],
    (reply) => asOneOf(createOutcomes, reply),
  ),

  /**
   * KEYS: see `put_item`, all conversations, then see `put_example`. ARGV: deadline, expected version, then see `put_item`;
   * prefix of the keys of conversations, retention of conversations in milliseconds, 1 where the item waits, JSON of its
   * customer, trace of the reply, time of the reply, the reply or an empty string; id of the example or an empty string,
   * its JSON and its status. The conversation is that of the stored item, because a withdrawn one names none.
   */
  updateItem: fencedScript(
    ITEM_KEYS + 6,
    [
      newScore,
      putItem,
      addEntries,
      putExample,
      `
local stored = redis.pcall('HMGET', KEYS[1], 'version', 'conversation')
if stored.err or stored[1] ~= ARGV[2] then return 0 end
put_item(1, 3)
local prefix, ttl, waits, customer, trace, at, reply = unpack(ARGV, ${REST}, ${REST + 6})
if stored[2] and stored[2] ~= '' then
  local conversation = prefix .. stored[2]
  local known = redis.call('HMGET', conversation, 'customer', 'item')
  if reply ~= '' and known[1] == customer then
    add_entries(conversation, trace, at, { reply })
    touch_conversation(conversation, KEYS[6], stored[2], ttl)
  end
  if waits ~= '1' and known[2] == ARGV[3] then redis.call('HDEL', conversation, 'item') end
end
if ARGV[${REST + 7}] ~= '' then put_example(7, unpack(ARGV, ${REST + 7}, ${REST + 9})) end
return 1
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /**
   * KEYS: all items, timers, open items of each kind, claimed items of each kind. ARGV: deadline, claim, millisecond when
   * it lapses, prefix of the keys of items, and for each kind 1 where it is wanted. Removes ids without an item.
   */
  claimNextItem: fencedScript(
    2 + 2 * itemKinds.length,
    [
      readItem,
      isBefore,
      `
local kinds = ${itemKinds.length}
local function next_open()
  local first, lowest, found
  for kind = 1, kinds do
    local head = {}
    if ARGV[4 + kind] == '1' then head = redis.call('ZRANGE', KEYS[2 + kind], 0, 0, 'WITHSCORES') end
    local id, rank = head[1], tonumber(head[2] or nil)
    if id and (not first or rank < lowest or (rank == lowest and is_before(id, first))) then
      first, lowest, found = id, rank, kind
    end
  end
  return first, found, lowest
end
while true do
  local id, kind, rank = next_open()
  if not id then return {} end
  local key = ARGV[4] .. id
  local stored = read_item(key)
  if stored then
    local timer = redis.call('HGET', key, 'timer')
    redis.call('ZADD', KEYS[2], integer(math.min(tonumber(ARGV[3]), tonumber(timer) or math.huge)), id)
    redis.call('HSET', key, 'claim', ARGV[2])
    local version = redis.call('HINCRBY', key, 'version', 1)
    local seq = redis.call('HINCRBY', key, 'seq', 1)
    redis.call('ZREM', KEYS[2 + kind], id)
    redis.call('ZADD', KEYS[2 + kinds + kind], integer(rank), id)
    return { id, stored[1], ARGV[2], tostring(version), tostring(seq) }
  end
  for _, index in ipairs({ KEYS[1], KEYS[2], KEYS[2 + kind] }) do redis.call('ZREM', index, id) end
end
`,
    ],
    asItem,
  ),
};
