import { type CommandParser, defineScript } from '@redis/client';

/** The reply to a fenced write that arrived after its deadline and changed nothing. */
export const STALE = 'STALE';

/** A Lua script as a typed command of node-redis. */
export interface LuaScript<T> {
  SCRIPT: string;
  NUMBER_OF_KEYS: number;
  SHA1: string;
  parseCommand(parser: CommandParser, keyNames: readonly string[], values: readonly string[]): void;
  transformReply(reply: unknown): T;
}

/**
 * Defines a Lua script of `keys` keys, which the store runs as one atomic step: the client sends its SHA1, and its text
 * where the store does not know it yet. `parts` run one after the other; `parse` checks the reply.
 */
export function luaScript<T>(
  keys: number,
  parts: readonly string[],
  parse: (reply: unknown) => T,
): LuaScript<T> {
  return defineScript({
    SCRIPT: parts.map((part) => part.trim()).join('\n'),
    NUMBER_OF_KEYS: keys,
    parseCommand(parser: CommandParser, keyNames: readonly string[], values: readonly string[]) {
      parser.pushKeys([...keyNames]);
      parser.push(...values);
    },
    transformReply: (reply: unknown): T => parse(reply),
  });
}

/** As {@link luaScript}, for a script that contains {@link fence}: its reply may be {@link STALE} too. */
export function fencedScript<T>(
  keys: number,
  parts: readonly string[],
  parse: (reply: unknown) => T,
): LuaScript<T | typeof STALE> {
  return luaScript(keys, [now, fence, ...parts], (reply) => (reply === STALE ? STALE : parse(reply)));
}

/** Defines `now`, the time by the store's own clock in microseconds: the clocks of its clients may differ. */
export const now = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function integer(number) return string.format('%.0f', number) end
`;

/** ARGV[1] is a deadline: a write whose caller has timed out must not be applied when a frozen store continues. */
const fence = `
local deadline = tonumber(ARGV[1])
if deadline > 0 and now > deadline then return '${STALE}' end
`;

/** Defines `new_score`, the score of a new record in its index: after all others, even when the clock was set back. */
export const newScore = `
local function new_score(index)
  local newest = redis.call('ZREVRANGE', index, 0, 0, 'WITHSCORES')
  return math.max(now, tonumber(newest[2] or 0) + 1)
end
`;

/**
 * Defines `expire`. A record and its entry in the index expire at the same time: score plus retention. Each call
 * removes up to 100 expired entries; the index itself expires when nothing is added during one retention.
 */
export const expire = `
local function expire(record, index, score, retention)
  if retention <= 0 then return end
  redis.call('PEXPIREAT', record, integer((score + retention) / 1000))
  local expired = redis.call('ZRANGEBYSCORE', index, '-inf', integer(now - retention), 'LIMIT', 0, 100)
  if #expired > 0 then redis.call('ZREM', index, unpack(expired)) end
  redis.call('PEXPIRE', index, integer(retention / 1000))
end
`;

/**
 * KEYS: index. ARGV: retention, offset, limit, prefix of the record keys. Replies with the total, then each record's id
 * and two strings, which the Lua function `read` returns for a record key. Removes ids without a record from the index.
 */
export const page = `
local retention, offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local oldest = retention > 0 and '(' .. integer(now - retention) or '-inf'
local total, items
for _ = 1, 50 do
  total = redis.call('ZCOUNT', KEYS[1], oldest, '+inf')
  items = {}
  local missing = {}
  local ids = {}
  if offset < total then ids = redis.call('ZREVRANGE', KEYS[1], offset, math.min(offset + limit, total) - 1) end
  for _, id in ipairs(ids) do
    local first, second = read(ARGV[4] .. id)
    if first then
      local size = #items
      items[size + 1], items[size + 2], items[size + 3] = id, first, second
    else
      missing[#missing + 1] = id
    end
  end
  if #missing == 0 then break end
  redis.pcall('ZREM', KEYS[1], unpack(missing))
end
return { total, items }
`;
