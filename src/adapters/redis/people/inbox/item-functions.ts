import { FIRST_ENDED_RANK, RANK_LIMIT } from '../../../../domain/inbox/order.ts';

/**
 * Defines `put_item`, which stores an item. KEYS from `key`: item, all items, open items of its kind, claimed ones of its
 * kind, timers. ARGV from `value`: what `itemValues` returns. `is_new` saves commands where the item is not stored. Its first write is one that a store without free memory
 * rejects.
 */
export const putItem = `
local function put_item(key, value, is_new)
  local id, status, timer, expiry = ARGV[value], ARGV[value + 3], ARGV[value + 7], ARGV[value + 9]
  redis.call('ZADD', KEYS[key + 1], ARGV[value + 6], id)
  if not is_new then redis.call('DEL', KEYS[key]) end
  redis.call('HSET', KEYS[key], 'item', ARGV[value + 1], 'claim', ARGV[value + 2], 'version', ARGV[value + 4],
    'seq', ARGV[value + 5], 'timer', ARGV[value + 8], 'conversation', ARGV[value + 10])
  if status == 'open' then
    redis.call('ZADD', KEYS[key + 2], ARGV[value + 6], id)
  elseif not is_new then
    redis.call('ZREM', KEYS[key + 2], id)
  end
  if status == 'claimed' then
    redis.call('ZADD', KEYS[key + 3], ARGV[value + 6], id)
  elseif not is_new then
    redis.call('ZREM', KEYS[key + 3], id)
  end
  if timer ~= '' then
    redis.call('ZADD', KEYS[key + 4], timer, id)
  elseif not is_new then
    redis.call('ZREM', KEYS[key + 4], id)
  end
  if expiry ~= '' then redis.call('PEXPIREAT', KEYS[key], expiry) end
end
`;

/** Defines `read_item`: the strings of an item that `decodeItem` takes; nothing where it is not stored. */
export const readItem = `
local function read_item(key)
  local found = redis.pcall('HMGET', key, 'item', 'claim', 'version', 'seq')
  if not found.err and found[1] and found[2] and found[3] and found[4] then return found end
end
`;

/** Defines `is_before`, which compares ids byte by byte: the comparison of Lua depends on the locale of the store. */
export const isBefore = `
local function is_before(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end
`;

/** The number of items that wait, as an expression. KEYS[`key`]: all items. */
export const waitingCount = (key: number): string =>
  `redis.call('ZCOUNT', KEYS[${key}], '-inf', '(${FIRST_ENDED_RANK}')`;

/**
 * Defines `trim_ended`, which removes up to 1,000 ids of items that ended longer than `retention` milliseconds ago from
 * the sorted set of all items; they themselves expire.
 */
export const trimEnded = `
local function trim_ended(index, retention)
  local lowest = '(' .. integer(${RANK_LIMIT - 1} - (now / 1000 - retention))
  local ids = redis.call('ZRANGEBYSCORE', index, lowest, '+inf', 'LIMIT', 0, 1000)
  if #ids > 0 then redis.pcall('ZREM', index, unpack(ids)) end
end
`;
