import { createHash } from 'node:crypto';

/** A Lua script that the store runs as one step. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** What a write answers that came after its time, and did nothing. */
export const STALE = 'STALE';

/** Makes a script of parts that it runs one after the other. */
export function script(...parts: readonly string[]): Script {
  const text = parts.map((part) => part.trim()).join('\n');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Time is the store's own, in microseconds: the clocks of the processes that share it may differ. */
export const now = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function whole(number) return string.format('%.0f', number) end
`;

/** A write whose caller has given up must not be carried out when a store that was frozen goes on. */
export const fence = `
local deadline = tonumber(ARGV[1])
if deadline > 0 and now > deadline then return '${STALE}' end
`;

/** The place of a new record: after all others, whatever the store's clock did. */
export const newPlace = `
local function new_place(index)
  local newest = redis.call('ZREVRANGE', index, 0, 0, 'WITHSCORES')
  return math.max(now, tonumber(newest[2] or 0) + 1)
end
`;

/**
 * Records and their index expire by the same reckoning: place plus retention. The index forgets what has expired a
 * little at a time, and goes itself when nothing is added for as long as its records are kept.
 */
export const expire = `
local function expire(record, index, place, retention)
  if retention <= 0 then return end
  redis.call('PEXPIREAT', record, whole((place + retention) / 1000))
  local expired = redis.call('ZRANGEBYSCORE', index, '-inf', whole(now - retention), 'LIMIT', 0, 100)
  if #expired > 0 then redis.call('ZREM', index, unpack(expired)) end
  redis.call('PEXPIRE', index, whole(retention / 1000))
end
`;

/**
 * KEYS: index. ARGV: retention, offset, limit, what record keys begin with. Answers the total, then for each record
 * its id and two texts, which `read` finds under its key. What the index names and nobody holds is taken out of it.
 */
export function page(read: string): Script {
  return script(
    now,
    read,
    `
local retention, offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local oldest = retention > 0 and '(' .. whole(now - retention) or '-inf'
local total, items
for _ = 1, 50 do
  total = redis.call('ZCOUNT', KEYS[1], oldest, '+inf')
  items = {}
  local gone = {}
  local ids = {}
  if offset < total then ids = redis.call('ZREVRANGE', KEYS[1], offset, math.min(offset + limit, total) - 1) end
  for _, id in ipairs(ids) do
    local first, second = read(ARGV[4] .. id)
    if first then
      local size = #items
      items[size + 1], items[size + 2], items[size + 3] = id, first, second
    else
      gone[#gone + 1] = id
    end
  end
  if #gone == 0 then break end
  redis.pcall('ZREM', KEYS[1], unpack(gone))
end
return { total, items }
`,
  );
}
